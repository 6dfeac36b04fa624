// How the package's other modules read a computed that may be part of a cycle.

import CReactive

extension Computed {
    /// The value, computed now if need be; `nil` if whoever reads it is needed to compute it. Under the lock.
    @inlinable
    package final var valueUnlessInCycle: Value? {
        @inline(__always) get {
            let observer = observer
            let node = observer.asNode
            if reactive_is_known_read(node, [.unsettled, .live], .live) {
                node.advanceCursor()
                return Computed.place(in: observer).pointee
            }
            if !reactive_records_reads(), reactive_is_current(node),
                node.pointee.graph.pointee.due.work.isDisjoint(with: [.routers, .away])
            {
                return Computed.place(in: observer).pointee
            }
            return trackedValueUnlessInCycle()
        }
    }

    @inlinable @inline(never)
    final func trackedValueUnlessInCycle() -> Value? { valueUnlessInCycle(canThrow: true) }
}

extension _Derivation {
    /// The cycle that the last read of this derivation found. Under the lock, in the evaluation that read it.
    @usableFromInline
    package final var cycle: CycleError { CycleError(path: graph.namesOfCycle(through: node)) }
}
