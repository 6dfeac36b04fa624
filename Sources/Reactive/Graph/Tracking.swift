// Recording what an evaluation reads.
//
// The thread's context holds a cursor into the evaluating observer's list of sources: the edge that the *last* evaluation made at
// this position, and in `expected` the node it leads to. An evaluation that reads what it read before only moves the cursor
// (`advanceCursor`, inlined into every read). A read that deviates comes here:
//
//     expected:         a   b   c   d            reads a, c: `b` may be gone, because the next edge leads to `c`
//                           ^                    → unlink b, step over c
//
//     expected:         a   b   c   d            reads a, x: something new
//                           ^                    → insert an edge to x before b and stay on b
//
// When the evaluation ends, the edges from the cursor on are what it did not read again, and are dropped. `last_reader`, the number of
// the evaluation that last read a node, says whether a node has been recorded already, so that reading twice makes one edge.

import CReactive

extension UnsafeMutablePointer where Pointee == NodeHeader {
    /// Moves the running evaluation's cursor past a known read of this node.
    ///
    /// Written in Swift, since the optimiser sees that plain stores release nothing. It would hold on to the node around a C function.
    @inlinable @inline(__always)
    func advanceCursor() {
        let thread = reactive_current()
        guard thread.pointee.expected == self else { return }
        let edge = thread.pointee.cursor.unsafelyUnwrapped.pointee
        pointee.last_reader = thread.pointee.evaluation
        thread.pointee.cursor = edge.nextSlot
        thread.pointee.expected = edge.pointee.next_source.pointee.source
    }
}

extension UnsafeMutablePointer where Pointee == Edge {
    /// Where the edge behind this one in its observer's list is stored.
    @inlinable @inline(__always)
    var nextSlot: UnsafeMutablePointer<EdgePointer> {
        (UnsafeMutableRawPointer(self) + MemoryLayout<UnsafeRawPointer>.size)
            .assumingMemoryBound(to: EdgePointer.self)
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Runs `body` as an evaluation of `observer`: what this thread reads meanwhile is the observer's list of sources from then on.
    @inline(__always)
    func evaluate<Result>(_ observer: ObserverPointer, _ body: () -> Result) -> Result {
        let thread = reactive_current()
        var evaluation = Evaluation(
            outer: pointee.evaluating, node: observer.asNode, expected: thread.pointee.expected,
            cursor: thread.pointee.cursor, evaluation: thread.pointee.evaluation, active: thread.pointee.active,
            path_count: pointee.path.count)
        // "Unprotected": nothing overruns it, so there is no canary to be checked after each evaluation.
        return _withUnprotectedUnsafeMutablePointer(to: &evaluation) { saved in
            pointee.evaluating = saved
            observer.flags = observer.flags.subtracting([.stale, .marks, .checking, .relinked]).union(.running)
            observer.pointee.validated_at = pointee.epoch
            pointee.evaluations &+= 1
            thread.pointee.evaluation = pointee.evaluations
            thread.pointee.active = observer.asNode
            thread.pointee.cursor = sourcesSlot(of: observer)
            thread.pointee.expected = observer.pointee.sources.pointee.source

            let result = body()

            let rest = thread.pointee.cursor.unsafelyUnwrapped
            pointee.evaluating = saved.pointee.outer
            thread.pointee.expected = saved.pointee.expected
            thread.pointee.cursor = saved.pointee.cursor
            thread.pointee.evaluation = saved.pointee.evaluation
            thread.pointee.active = saved.pointee.active
            if rest.pointee != reactive_end_of_sources() { dropUnread(rest, of: observer) }

            let flags = observer.flags.subtracting(.running)
            observer.flags = flags
            // What a live observer read and what changed since has marked it; otherwise it reflects everything up to now.
            if flags.contains(.live), flags.isDisjoint(with: [.stale, .maybeStale]) {
                observer.pointee.validated_at = pointee.epoch
            }
            return result
        }
    }

    /// Forgets the sources that an evaluation did not read again: those from `rest` on.
    @inline(never)
    private func dropUnread(_ rest: UnsafeMutablePointer<EdgePointer>, of observer: ObserverPointer) {
        observer.flags.insert(.relinked)
        let unread = rest.pointee
        rest.pointee = reactive_end_of_sources()
        drop(unread)
    }

    /// Records that the running evaluation read `node`, a node of this graph. Precondition: the thread tracks.
    @inline(__always)
    func track(_ node: NodePointer) {
        if reactive_current().pointee.expected == node {
            node.advanceCursor()
        } else {
            trackUnexpected(node)
        }
    }

    @inline(never)
    private func trackUnexpected(_ node: NodePointer) {
        let thread = reactive_current()
        if node.pointee.last_reader == thread.pointee.evaluation { return }
        node.pointee.last_reader = thread.pointee.evaluation

        let observer = thread.pointee.active.unsafelyUnwrapped.asObserver
        observer.flags.insert(.relinked)
        let cursor = thread.pointee.cursor.unsafelyUnwrapped
        let current = cursor.pointee
        let ahead = current.pointee.next_source
        if ahead.pointee.source == node {
            cursor.pointee = ahead
            current.pointee.next_source = reactive_end_of_sources()
            thread.pointee.cursor = ahead.nextSlot
            thread.pointee.expected = ahead.pointee.next_source.pointee.source
            drop(current)
        } else {
            let edge = link(observer, to: node)
            edge.pointee.next_source = current
            cursor.pointee = edge
            thread.pointee.cursor = edge.nextSlot
        }
    }

    /// Where the first edge of an observer's list is stored.
    func sourcesSlot(of observer: ObserverPointer) -> UnsafeMutablePointer<EdgePointer> {
        (UnsafeMutableRawPointer(observer) + MemoryLayout<ObserverHeader>.offset(of: \.sources).unsafelyUnwrapped)
            .assumingMemoryBound(to: EdgePointer.self)
    }
}
