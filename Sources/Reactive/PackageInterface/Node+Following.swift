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
        guard graph.noteRead(ofDerivation: observer, canThrow: true) else { throw cycle }
    }

    /// Calls `body` with each source that the last evaluation has read, in the order of the reads. During an
    /// evaluation, with each source that it has read so far. Under the lock.
    package final func forEachSourceRead(_ body: (_Node) -> Void) {
        var end: UnsafeMutablePointer<EdgePointer>?
        if observer.flags.contains(.running) {
            var evaluation = graph.pointee.evaluating
            while let current = evaluation, current.pointee.node != node { evaluation = current.pointee.outer }
            end = evaluation?.pointee.cursor
        }
        var slot = graph.sourcesSlot(of: observer)
        while slot != end, let source = slot.pointee.pointee.source {
            source.object._withUnsafeGuaranteedRef(body)
            slot = slot.pointee.nextSlot
        }
    }

    /// Drops the sources, so that the next read evaluates the node. Does nothing if a live observer reads it, or if it
    /// is being evaluated. Under the lock.
    package final func forgetSources() {
        guard node.pointee.flags.isDisjoint(with: [.live, .running, .checking]) else { return }
        node.pointee.flags.insert(.stale)
        graph.dropSources(of: observer)
    }
}
