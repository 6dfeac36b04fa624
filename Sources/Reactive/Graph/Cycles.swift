// When a derivation is read while it is running.
//
// The read is not recorded: an edge would make the graph a cycle, in which nodes keep each other alive and live. But the outcome of
// the reader, usually an error, holds only while each derivation on the way from the running one leads to the next. So the reader
// takes over what those have read so far:
//
//     b reads cond, a; a reads isBroken, b:     b → cond, a → isBroken, then reading b closes the cycle
//                                               a takes over: isBroken (its own already) and cond
//
// Taken over are the sources at the ends of all paths, not the derivations in between, since those might lead to the reader.
//
// The way from one evaluation to the next may lead through a validation: those in between are not running but being checked, one
// step of `path` each. What they read before the step is known to be unchanged, so they would read what the step leads to again.
// That makes a cycle of a read of one of them, too. Evaluating it would lead to the same end, with a piece of stack for each.

import CReactive

/// A derivation on the way round a cycle, and where in its list of sources the rest of the way begins.
private struct Link {
    var observer: ObserverPointer
    /// The edge that leads on, or `nil` if all sources count.
    var edge: EdgePointer?
    /// The epoch at which what comes before `edge` was known to hold.
    var epoch: UInt64
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Whether a derivation that is not running is sure to lead to the innermost evaluation.
    func leadsHere(_ derivation: ObserverPointer) -> Bool {
        guard derivation.flags.contains(.checking), let link = way(from: derivation.asNode).last else { return false }
        // A derivation that has written may have changed what led here.
        return link.observer == derivation && link.epoch == pointee.epoch
    }

    /// Makes the innermost evaluation depend on what led from `node`, whose read closes a cycle, to it.
    func trackCycle(through node: NodePointer) {
        guard reactive_is_tracking() else { return }
        let way = way(from: node)
        var visited = Set(way.map(\.observer.asNode))
        var pending: [NodePointer] = []
        for link in way.dropFirst() { pending.append(sourcesOf: link.observer, until: link.edge) }
        while let source = pending.popLast() {
            guard visited.insert(source).inserted else { continue }
            if source.pointee.flags.contains(.derivation) {
                pending.append(sourcesOf: source.asObserver, until: nil)
            } else {
                track(source)
            }
        }
    }

    /// The innermost evaluation and what led to it, backwards up to `node`.
    private func way(from node: NodePointer) -> [Link] {
        var way: [Link] = []
        var edge: EdgePointer?
        var innermost = pointee.evaluating
        while let evaluation = innermost?.pointee {
            innermost = evaluation.outer
            way.append(Link(observer: evaluation.node.asObserver, edge: edge, epoch: pointee.epoch))
            if evaluation.node == node { break }
            edge = evaluation.outer?.pointee.cursor.pointee

            var step = evaluation.path_count
            let firstStep = evaluation.outer?.pointee.path_count ?? 0
            while step > firstStep {
                step -= 1
                let checked = pointee.path.elements(of: Step.self)[step]
                // One that is no longer being checked has been evaluated since, and the edge may be gone.
                let edge = checked.observer.flags.contains(.checking) ? checked.edge : nil
                way.append(Link(observer: checked.observer, edge: edge, epoch: checked.epoch))
                if checked.observer.asNode == node { return way }
            }
        }
        return way
    }

    /// The names on the cycle that reading `node` closes, from there to there. Takes the lock.
    func namesOfCycle(through node: NodePointer) -> [String] {
        enter()
        defer { leave() }
        var path: [NodePointer] = []
        var places: [NodePointer: Int] = [:]
        for next in way(from: node).reversed().map(\.observer.wholeNode) {
            if let place = places[next] {
                // Checked first and then evaluated. The way from there to here is a cycle of its own.
                for detour in path[(place + 1)...] { places[detour] = nil }
                path.removeSubrange((place + 1)...)
            } else {
                places[next] = path.count
                path.append(next)
            }
        }
        return (path + [node]).map { NodeName.text(of: $0.pointee) }
    }

    @usableFromInline @inline(never)
    func stopForCycle(through node: NodePointer) -> Never {
        fatalError(
            """
            Reactive: a computed reads itself: \(abbreviated(namesOfCycle(through: node))). Break the cycle, or use \
            ThrowingComputed, which throws CycleError there.
            """)
    }
}

extension [NodePointer] {
    /// Appends what the observer read, up to an edge.
    fileprivate mutating func append(sourcesOf observer: ObserverPointer, until end: EdgePointer?) {
        var edge = observer.pointee.sources
        while edge != end, let source = edge.pointee.source {
            append(source)
            edge = edge.pointee.next_source
        }
        observer.forEachPartOfDerivation { append(sourcesOf: $0, until: nil) }
    }
}
