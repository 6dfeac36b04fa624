// Reading without the value: for modules that only want to know when it changes. Not generic, and so independent of the
// value's type.

import CReactive

extension _Derivation {
    /// Brings the value up to date, and records a read of it.
    ///
    /// - Throws: ``CycleError`` if the running evaluation is needed to compute the value.
    package final func followDerivation() throws(CycleError) {
        let graph = graph
        graph.enter(for: node)
        defer { graph.leave() }
        guard graph.noteRead(ofDerivation: observer, canThrow: true) else { throw cycle }
    }
}
