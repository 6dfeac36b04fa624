// Reading without the value: for modules that only want to know when it changes. Not generic, and so independent of the
// value's type.

import CReactive

extension _Node {
    /// Records a read of a source.
    package final func followSource() {
        let graph = graph
        graph.enter(for: node)
        defer { graph.leave() }
        graph.noteRead(of: node)
    }
}

extension _Derivation {
    /// Brings the value up to date, and records a read of it.
    ///
    /// - Throws: ``CycleError`` if the running evaluation is needed to compute the value.
    package final func followDerivation() throws(CycleError) {
        let graph = graph
        graph.enter(for: node)
        defer { graph.leave() }
        guard graph.noteRead(ofDerivation: observer, canThrow: true) else {
            throw CycleError(path: graph.namesOfCycle(through: node))
        }
    }
}

extension ThrowingComputed {
    /// Brings the value up to date, and records a read of it.
    ///
    /// - Throws: ``CycleError`` if the running evaluation is needed to compute the value; not what the value is.
    package func follow() throws(CycleError) { try result.followDerivation() }
}
