// Reads of a computed that may be part of a cycle, for the package's other modules.

import CReactive

extension Computed {
    /// The value, evaluated now if necessary; `nil` if computing it would require the value of its reader. Under the
    /// lock.
    @inlinable
    package final var valueUnlessInCycle: Value? {
        @inline(__always) get {
            let observer = observer
            let node = observer.asNode
            // No test sees this never hold: it only saves steps.
            if reactive_is_known_read(node, [.notCurrent, .live], .live) {
                node.advanceCursor()
                return Computed.storage(in: observer).pointee
            }
            // No test sees this never hold: it only saves steps.
            if !reactive_records_reads(), reactive_is_current(node),
                // No test sees this never hold: as above.
                node.pointee.graph.pointee.due.work.isDisjoint(with: [.routers, .hopping])
            {
                return Computed.storage(in: observer).pointee
            }
            return trackedValueUnlessInCycle()
        }
    }

    @inlinable @inline(never)
    // No test sees this: if it cannot throw, a cycle has the same outcome and uses more stack.
    final func trackedValueUnlessInCycle() -> Value? { valueUnlessInCycle(canThrow: true) }
}

extension _Derivation {
    /// The cycle that the last read of this derivation found. Under the lock, in the evaluation that made the read.
    @usableFromInline
    package final var cycle: CycleError { CycleError(path: graph.namesOfCycle(through: node)) }
}
