// What the package's other modules ask of values: how new one is, and whether two are equal.

import CReactive

extension _Node {
    /// A number that grows whenever the value changes. Valid under the lock, right after a read.
    package final var version: UInt64 { node.pointee.changed_at }
}

extension ThrowingComputed {
    /// A number that grows whenever the value changes. Valid under the lock, right after a read.
    package var version: UInt64 { result.version }
}

extension Equality {
    /// Whether two values count as the same.
    package func callAsFunction(_ old: Value, _ new: Value) -> Bool { areEqual(old, new) }
}
