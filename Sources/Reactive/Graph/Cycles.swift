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
// The way from one evaluation to the next may lead through a validation: then those in between are not running but being checked,
// one step of `path` each, and what they read before the step still holds.

import CReactive

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Makes the innermost evaluation depend on what led from `node`, which is running, to it.
    func trackCycle(through node: NodePointer) {
        let thread = reactive_current()
        let evaluations = pointee.evaluating.elements(of: Evaluation.self)
        let count = pointee.evaluating.count
        guard let start = (0..<count).last(where: { evaluations[$0].node == node }), start < count - 1 else { return }

        var visited: Set = [evaluations[count - 1].node]
        var pending: [NodePointer] = []
        for index in start..<(count - 1) {
            // Each evaluation's cursor was saved by the one inside it.
            visited.insert(evaluations[index].node)
            pending.append(sourcesOf: evaluations[index].node.asObserver, until: evaluations[index + 1].cursor?.pointee)
            for step in steps(afterEvaluation: index) {
                // One that is no longer being checked has been evaluated since, and the edge may be gone.
                let isChecking = step.observer.flags.contains(.checking)
                visited.insert(step.observer.asNode)
                pending.append(sourcesOf: step.observer, until: isChecking ? step.edge : nil)
            }
        }
        while let source = pending.popLast() {
            guard visited.insert(source).inserted else { continue }
            if source.pointee.flags.contains(.derivation) {
                pending.append(sourcesOf: source.asObserver, until: nil)
            } else if thread.pointee.active != nil {
                track(source)
            }
        }
    }

    /// What validations were checking when the evaluation after this one began. Precondition: there is one.
    private func steps(afterEvaluation index: Int) -> UnsafeBufferPointer<Step> {
        let evaluations = pointee.evaluating.elements(of: Evaluation.self)
        let start = Int(evaluations[index].path_count)
        let count = Int(evaluations[index + 1].path_count) - start
        guard count > 0 else { return UnsafeBufferPointer(start: nil, count: 0) }
        return UnsafeBufferPointer(start: pointee.path.elements(of: Step.self) + start, count: count)
    }

    /// The names on the cycle from `node` to `node`. Precondition: it is running.
    private func cyclePath(to node: NodePointer) -> [String] {
        let evaluations = pointee.evaluating.elements(of: Evaluation.self)
        let count = pointee.evaluating.count
        let start = (0..<count).last { evaluations[$0].node == node } ?? count - 1
        var path: [NodePointer] = []
        var places: [NodePointer: Int] = [:]
        // What is met again was checked first and then evaluated. The way between the two is a cycle of its own.
        func append(_ node: NodePointer) {
            if let place = places[node] {
                for detour in path[(place + 1)...] { places[detour] = nil }
                path.removeSubrange((place + 1)...)
            } else {
                places[node] = path.count
                path.append(node)
            }
        }
        for index in start..<count {
            append(evaluations[index].node)
            if index < count - 1 { steps(afterEvaluation: index).forEach { append($0.observer.asNode) } }
        }
        return (path + [node]).map { NodeName.text(of: $0.pointee) }
    }

    /// The names on the cycle that reading `node`, which is running, closes. Takes the lock.
    func namesOfCycle(through node: NodePointer) -> [String] {
        enter()
        defer { leave() }
        return cyclePath(to: node)
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
    }
}
