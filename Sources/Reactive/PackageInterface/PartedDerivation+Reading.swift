// Reads of views.

import CReactive

extension _PartedDerivation {
    /// Takes the lock of the node's graph, or increments its depth.
    ///
    /// - Precondition: This thread holds no other graph.
    @inlinable @inline(__always)
    package final func enter() { graph.enter(for: node) }

    /// Ends one ``enter()``. The outermost runs the reactions that are due.
    @inlinable @inline(__always)
    package final func leave() { graph.leave() }

    /// Brings the derivation up to date, and runs `body`, which reads the state, under the lock. Subscribes the running
    /// evaluation.
    ///
    /// - Precondition: Not called in its own evaluation, directly or through others: that stops the program with a
    ///   message that lists the names.
    @inlinable @inline(__always)
    package final func read<Result>(_ body: () -> Result) -> Result {
        // No test sees this never hold: it only saves the lock.
        if reactive_is_known_read(node, [.notCurrent, .live], .live) {
            node.advanceCursor()
            return body()
        }
        let graph = graph
        graph.enter(for: node)
        defer { graph.leave() }
        noteRead()
        return body()
    }

    /// Brings the derivation up to date; subscribes the running evaluation, if there is one. Under the lock.
    @usableFromInline
    package final func noteRead() {
        let graph = graph
        guard graph.noteRead(ofDerivation: observer, canThrow: false) else { graph.stopForCycle(through: node) }
    }
}
