// Reads without the value, for modules that only need to know when it changes. Not generic, and so independent of the
// value's type.

import CReactive

extension _Derivation {
    /// Brings the value up to date, and records a read of it.
    ///
    /// - Throws: ``CycleError`` if computing the value would require the running evaluation.
    package final func followDerivation() throws(CycleError) {
        let graph = graph
        graph.enter(for: node)
        defer { graph.leave() }
        // No test sees this: if it cannot throw, a cycle has the same outcome and uses more stack.
        guard graph.noteRead(ofDerivation: observer, canThrow: true) else { throw cycle }
    }

    /// Calls `body` with each source that the last evaluation has read, in the order of the reads. During an
    /// evaluation, with each source that it has read so far. Under the lock.
    package final func forEachSourceRead(_ body: (_Node) -> Void) {
        var end: UnsafeMutablePointer<EdgePointer>?
        // No test sees this always hold: without an evaluation, the loop below finds none.
        if observer.flags.contains(.running) {
            var evaluation = graph.pointee.evaluating
            // No test sees this: so far, only the innermost evaluation asks.
            while let current = evaluation, current.pointee.node != node { evaluation = current.pointee.outer }
            end = evaluation?.pointee.cursor
        }
        var cursor = graph.addressOfSources(of: observer)
        while cursor != end, let source = cursor.pointee.pointee.source {
            source.object._withUnsafeGuaranteedRef(body)
            cursor = cursor.pointee.addressOfNextSource
        }
    }

    /// Drops the sources, so that the next read evaluates the node. Does nothing if a live observer reads it, or if it
    /// is being evaluated. Under the lock.
    // No test sees this block: freeing the node does the same.
    package final func forgetSources() {
        guard node.pointee.flags.isDisjoint(with: [.live, .running, .checking]) else { return }
        node.pointee.flags.insert(.stale)
        graph.dropSources(of: observer)
    }
}
