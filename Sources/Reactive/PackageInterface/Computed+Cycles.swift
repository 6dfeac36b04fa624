// Reading a computed that may be part of a cycle: for modules that report cycles in words of their own.

import CReactive

extension Computed {
    /// The value, as ``value`` returns it, for a computed that may depend on itself.
    ///
    /// - Throws: ``CycleError`` if the running evaluation is needed to compute the value.
    @inlinable
    package final var valueOutsideCycle: Value {
        get throws(CycleError) {
            guard let value = valueUnlessInCycle(canThrow: true) else { throw cycleError() }
            return value
        }
    }

    @usableFromInline @inline(never)
    final func cycleError() -> CycleError { CycleError(path: graph.namesOfCycle(through: node)) }
}
