// Versions and comparisons of values, for the package's other modules.

import CReactive

extension _Node {
    /// A number that grows whenever the value changes. Valid under the lock, right after a read.
    package final var version: UInt64 { node.pointee.changed_at }
}

extension _Node {
    /// Returns the first result of `body` for the parts of reactions that observe the node. Visits the first 1,000
    /// observers. Under the lock.
    package final func firstObservingPart<Found>(_ body: (_ReactionPart) -> Found?) -> Found? {
        var edge = node.pointee.observers
        var rest = 1_000
        while let current = edge, rest > 0 {
            if let observer = current.pointee.observer, observer.pointee.flags.contains(.part),
                observer.pointee.flags.isDisjoint(with: [.parted, .router]),
                let found = body(observer.asObserver.part.takeUnretainedValue())
            {
                return found
            }
            edge = current.pointee.next_observer
            rest -= 1
        }
        return nil
    }
}

extension ThrowingComputed {
    /// A number that grows whenever the value changes. Valid under the lock, right after a read.
    package var version: UInt64 { result.version }
}

extension Equality {
    /// Returns whether two values count as the same.
    @inlinable
    package func callAsFunction(_ old: Value, _ new: Value) -> Bool { areEqual(old, new) }

    /// The rule as a closure, for code that is compiled into users' modules.
    @inlinable
    package var comparison: (Value, Value) -> Bool { areEqual }
}
