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
        // No test sees this boundary: any number near it would do.
        while let current = edge, rest > 0 {
            // No test sees this always hold: it only saves casts.
            if let observer = current.pointee.observer, observer.pointee.flags.contains(.part),
                // No test sees this always hold: as above.
                // No test sees this left out: as above.
                observer.pointee.flags.isDisjoint(with: [.parted, .router]),
                let found = body(observer.asObserver.part.takeUnretainedValue())
            {
                return found
            }
            // No test sees this left out: what is not found is searched for in a different way.
            edge = current.pointee.next_observer
            // No test sees this left out: it only limits the time.
            rest -= 1
        }
        return nil
    }
}

extension Computed {
    /// Creates a computed whose closure continues from its ``lastResult``: what it remembers is part of the result, and
    /// is rolled back with it. So a result may be stored although it counts as the same as the last one. The closure
    /// belongs to no actor.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics.
    ///   - areEqual: Returns whether two results count as the same for observers.
    ///   - isStored: Whether a result that counts as the same replaces the last one, because it remembers something
    ///     else.
    ///   - fileID: The source file of the call.
    ///   - line: The line in the source file.
    ///   - compute: Returns the value.
    package convenience init(
        named name: String, continuing areEqual: @escaping (Value, Value) -> Bool,
        storing isStored: @escaping (Value, Value) -> Bool, fileID: StaticString = #fileID, line: UInt = #line,
        _ compute: @escaping () -> Value
    ) {
        self.init(named: name, fileID: fileID, line: line, compute: compute) {
            unsafeDowncast($0, to: Computed<Value>.self).recompute(areEqual, isStored: isStored)
        }
    }

    /// The result of the last evaluation that was not rolled back, up to date or not; `nil` if there is none. Reading
    /// it is not recorded. Under the lock.
    package final var lastResult: Value? { node.pointee.flags.contains(.hasValue) ? storage.pointee : nil }
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
