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

import CReactive

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Makes the innermost evaluation depend on what led from `node`, which is running, to it.
    func trackCycle(through node: NodePointer) {
        let thread = reactive_current()
        let evaluations = pointee.evaluating.elements(of: Evaluation.self)
        let count = pointee.evaluating.count
        guard let start = (0..<count).last(where: { evaluations[$0].node == node }), start < count - 1 else { return }

        var visited = Set((start..<count).map { evaluations[$0].node })
        var pending: [NodePointer] = []
        for index in start..<(count - 1) {
            // Each evaluation's cursor was saved by the one inside it.
            let end = evaluations[index + 1].cursor?.pointee
            var edge = evaluations[index].node.asObserver.pointee.sources
            while edge != end, let source = edge.pointee.source {
                pending.append(source)
                edge = edge.pointee.next_source
            }
        }
        while let source = pending.popLast() {
            guard visited.insert(source).inserted else { continue }
            if source.pointee.flags.contains(.derivation) {
                var edge = source.asObserver.pointee.sources
                while let next = edge.pointee.source {
                    pending.append(next)
                    edge = edge.pointee.next_source
                }
            } else if thread.pointee.active != nil {
                track(source)
            }
        }
    }

    /// The names from the evaluation of `node` down to the innermost, and `node` again. Precondition: it is running.
    func cyclePath(to node: NodePointer) -> [String] {
        let evaluations = pointee.evaluating.elements(of: Evaluation.self)
        let start = (0..<pointee.evaluating.count).last { evaluations[$0].node == node } ?? 0
        return evaluationNames(from: start) + [NodeName.text(of: node.pointee)]
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
