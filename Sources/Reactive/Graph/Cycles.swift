// Reads of a derivation that is running.
//
// Such a read is not recorded: an edge would make the graph a cycle, in which nodes keep each other alive and live. But
// the outcome of the reader, usually an error, is valid only while each derivation on the path from the running one
// still leads to the next. So the reader takes over the sources that those have read so far:
//
//     b reads cond, a; a reads isBroken, b:     b → cond, a → isBroken, then reading b closes the cycle
//                                               a takes over: isBroken (its own already) and cond
//
// It takes over the sources at the ends of all paths, and not the derivations in between, since those might lead to the
// reader.
//
// The path from one evaluation to the next may lead through a validation. The derivations in between are then not
// running but being checked, one step of `path` each. The sources that they read before the step are known to be
// unchanged, so they would read the source at the step again. So a read of one of them is a cycle too. Evaluating it
// would have the same result, but use more stack for each.

import CReactive

/// A derivation on a cycle, and the position in its list of sources from which the cycle continues.
private struct Link {
    var observer: ObserverPointer
    /// The edge that the cycle follows, or `nil` if all sources count.
    var edge: EdgePointer?
    /// The epoch at which the sources before `edge` were known to be unchanged.
    var epoch: UInt64
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Whether a derivation that is not running is certain to lead to the innermost evaluation.
    func isOnPath(_ derivation: ObserverPointer) -> Bool {
        // No test sees this: without an answer here, a cycle has the same outcome and uses more stack.
        guard derivation.flags.contains(.checking), let link = path(from: derivation.asNode).last else { return false }
        // A derivation that has written may have changed the path to here.
        // No test sees this: a derivation that is being checked is on the path, which then ends with it.
        return link.observer == derivation && link.epoch == pointee.epoch
    }

    /// Makes the innermost evaluation depend on the path to it from `node`, whose read closes a cycle.
    func trackCycle(through node: NodePointer) {
        // No test sees this: it only saves a walk, because nothing is tracked then.
        guard reactive_is_tracking() else { return }
        let path = path(from: node)
        var visited = Set(path.map(\.observer.asNode))
        var pending: [NodePointer] = []
        for link in path.dropFirst() { pending.append(sourcesOf: link.observer, until: link.edge) }
        while let source = pending.popLast() {
            guard visited.insert(source).inserted else { continue }
            // No test sees this never hold: the reader would follow the derivation itself, which shows the same changes.
            // (Only if a derivation writes, edges might form a circle, which is never freed.)
            if source.pointee.flags.contains(.derivation) {
                pending.append(sourcesOf: source.asObserver, until: nil)
            } else {
                track(source)
            }
        }
    }

    /// Returns the path from `node` to the innermost evaluation, backwards.
    private func path(from node: NodePointer) -> [Link] {
        var path: [Link] = []
        var edge: EdgePointer?
        var innermost = pointee.evaluating
        while let evaluation = innermost?.pointee {
            innermost = evaluation.outer
            path.append(Link(observer: evaluation.node.asObserver, edge: edge, epoch: pointee.epoch))
            if evaluation.node == node { break }
            edge = evaluation.outer?.pointee.cursor.pointee

            var step = evaluation.path_count
            let firstStep = evaluation.outer?.pointee.path_count ?? 0
            while step > firstStep {
                step -= 1
                let checked = pointee.path.elements(of: Step.self)[step]
                // A derivation that is no longer being checked has been evaluated since, and the edge may be gone.
                // No test sees this: without an edge all sources count, which are more than needed. An edge that is gone
                // is only compared, and would have to be a later one in the same list.
                let edge = checked.observer.flags.contains(.checking) ? checked.edge : nil
                path.append(Link(observer: checked.observer, edge: edge, epoch: checked.epoch))
                if checked.observer.asNode == node { return path }
            }
        }
        return path
    }

    /// Returns the names on the cycle that a read of `node` closes; `node` is the first and the last. Takes the lock.
    func namesOfCycle(through node: NodePointer) -> [String] {
        enter()
        defer { leave() }
        var path: [NodePointer] = []
        var positions: [NodePointer: Int] = [:]
        for next in self.path(from: node).reversed().map(\.observer.wholeNode) {
            if let position = positions[next] {
                // Checked first and then evaluated. The path between the two is a cycle of its own.
                let detour = path[(position + 1)...]
                for node in detour { positions[node] = nil }
                path.removeLast(detour.count)
            } else {
                positions[next] = path.count
                path.append(next)
            }
        }
        return (path + [node]).map { NodeName.text(of: $0.pointee) }
    }

    @usableFromInline @inline(never)
    func stopForCycle(through node: NodePointer) -> Never {
        fatalError(
            """
            Reactive: a computed depends on itself: \(abbreviated(namesOfCycle(through: node))). Break the cycle, or \
            use ThrowingComputed, which throws CycleError instead.
            """)
    }
}

extension [NodePointer] {
    /// Appends the sources of the observer, up to an edge.
    fileprivate mutating func append(sourcesOf observer: ObserverPointer, until end: EdgePointer?) {
        var edge = observer.pointee.sources
        while edge != end, let source = edge.pointee.source {
            append(source)
            edge = edge.pointee.next_source
        }
        observer.forEachPartOfDerivation { append(sourcesOf: $0, until: nil) }
    }
}
