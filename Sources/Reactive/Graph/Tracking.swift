// Tracking: records the reads of an evaluation.
//
// The record of an evaluation holds a cursor into its observer's list of sources: the edge that the *last* evaluation
// created at this position, and in `expected` the node that this edge leads to. The thread's context leads to the
// record. An evaluation that repeats its reads only moves the cursor (`advanceCursor`, inlined into every read). A read
// that deviates arrives here:
//
//     expected:         a   b   c   d            reads a, c: `b` may be gone, because the next edge leads to `c`
//                           ^                    → unlink b, move past c
//
//     expected:         a   b   c   d            reads a, x: a new source
//                           ^                    → insert an edge to x before b and stay on b
//
// When the evaluation ends, the edges from the cursor on were not read again, and are dropped. `last_reader`, the
// number of the evaluation that last read a node, shows whether a node is already recorded, so that two reads create
// one edge.

import CReactive

extension UnsafeMutablePointer where Pointee == NodeHeader {
    /// Moves the running evaluation's cursor past a known read of this node.
    ///
    /// Written in Swift, since the optimiser sees that plain stores release nothing. It would hold on to the node
    /// around a C function.
    @inlinable @inline(__always)
    func advanceCursor() {
        let evaluation = reactive_current().pointee.tracking
        guard evaluation.pointee.expected == self else { return }
        let edge = evaluation.pointee.cursor.pointee
        pointee.last_reader = evaluation.pointee.number
        evaluation.pointee.cursor = edge.addressOfNextSource
        evaluation.pointee.expected = edge.pointee.next_source.pointee.source
    }
}

extension UnsafeMutablePointer where Pointee == Edge {
    /// The pointer to the edge behind this one in its observer's list.
    @inlinable @inline(__always)
    var addressOfNextSource: UnsafeMutablePointer<EdgePointer> {
        (UnsafeMutableRawPointer(self) + MemoryLayout<UnsafeRawPointer>.size)
            .assumingMemoryBound(to: EdgePointer.self)
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Runs `body` as an evaluation of `observer`: the reads of this thread become the observer's list of sources.
    @inline(__always)
    func evaluate<Result>(_ observer: ObserverPointer, _ body: () -> Result) -> Result {
        let thread = reactive_current()
        let tracking = thread.pointee.tracking
        pointee.evaluations &+= 1
        var evaluation = Evaluation(
            expected: observer.pointee.sources.pointee.source, cursor: addressOfSources(of: observer),
            number: pointee.evaluations, node: observer.asNode, outer: pointee.evaluating,
            path_count: pointee.path.count)
        // "Unprotected": nothing overruns it, so there is no canary to be checked after each evaluation.
        return _withUnprotectedUnsafeMutablePointer(to: &evaluation) { evaluation in
            pointee.evaluating = evaluation
            thread.pointee.tracking = evaluation
            observer.flags = observer.flags.subtracting([.stale, .marks, .checking, .relinked]).union(.running)
            observer.pointee.validated_at = pointee.epoch

            let result = body()

            pointee.evaluating = evaluation.pointee.outer
            thread.pointee.tracking = tracking
            let rest = evaluation.pointee.cursor
            if rest.pointee != reactive_end_of_sources() { dropUnread(rest, of: observer) }

            let flags = observer.flags.subtracting(.running)
            observer.flags = flags
            // If a source of a live observer has changed since, the observer is marked; otherwise it reflects
            // everything up to now.
            // No test sees this left out: an observer that is stale is evaluated in any case.
            if flags.contains(.live), flags.isDisjoint(with: [.stale, .maybeStale]) {
                observer.pointee.validated_at = pointee.epoch
            }
            return result
        }
    }

    /// Drops the sources that an evaluation did not read again: those from `rest` on.
    @inline(never)
    private func dropUnread(_ rest: UnsafeMutablePointer<EdgePointer>, of observer: ObserverPointer) {
        observer.flags.insert(.relinked)
        let unread = rest.pointee
        rest.pointee = reactive_end_of_sources()
        drop(unread)
    }

    /// Records that the running evaluation read `node`, a node of this graph. Precondition: the thread tracks reads.
    @inline(__always)
    func track(_ node: NodePointer) {
        if reactive_is_expected(node) {
            node.advanceCursor()
        } else {
            trackUnexpected(node)
        }
    }

    @inline(never)
    private func trackUnexpected(_ node: NodePointer) {
        let evaluation = reactive_current().pointee.tracking
        if !reactive_is_tracking() { return noteOutsideRead(of: node) }
        // No test sees this never hold: it only saves an edge. (A read in between by a source has the same outcome.)
        if node.pointee.last_reader == evaluation.pointee.number { return }
        node.pointee.last_reader = evaluation.pointee.number

        let observer = evaluation.pointee.node.asObserver
        observer.flags.insert(.relinked)
        let cursor = evaluation.pointee.cursor
        let current = cursor.pointee
        let ahead = current.pointee.next_source
        // No test sees this never hold: it only saves an edge.
        if ahead.pointee.source == node {
            cursor.pointee = ahead
            current.pointee.next_source = reactive_end_of_sources()
            evaluation.pointee.cursor = ahead.addressOfNextSource
            evaluation.pointee.expected = ahead.pointee.next_source.pointee.source
            drop(current)
        } else {
            let edge = link(observer, to: node)
            edge.pointee.next_source = current
            cursor.pointee = edge
            evaluation.pointee.cursor = edge.addressOfNextSource
        }
    }

    /// The pointer to the first edge of an observer's list.
    func addressOfSources(of observer: ObserverPointer) -> UnsafeMutablePointer<EdgePointer> {
        (UnsafeMutableRawPointer(observer) + MemoryLayout<ObserverHeader>.offset(of: \.sources).unsafelyUnwrapped)
            .assumingMemoryBound(to: EdgePointer.self)
    }
}
