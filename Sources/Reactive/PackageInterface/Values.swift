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

extension Computed {
    /// Creates a computed whose closure continues from its last result: what it remembers is part of the result, and is
    /// rolled back with it. So a result may be stored although it counts as the same as the last one.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - equality: The rule by which a result is no change for observers.
    ///   - isStored: Whether a result that is no change replaces the last one, because it remembers something else.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - compute: Returns the value, given the last result; `nil` the first time. It belongs to no actor.
    package convenience init(
        named name: String? = nil, continuing equality: Equality<Value>,
        storing isStored: @escaping (Value, Value) -> Bool = { _, _ in false }, fileID: StaticString = #fileID,
        line: UInt = #line, _ compute: @escaping (Value?) -> Value
    ) {
        let last = LastResult<Value>()
        self.init(named: name, fileID: fileID, line: line) {
            compute(last.value)
        } evaluate: {
            unsafeDowncast($0, to: Computed<Value>.self).recompute(equality.areEqual, isStored: isStored)
        }
        last.computed = self
    }

    /// The result of the last evaluation that was not rolled back, up to date or not; `nil` if there is none. Reading it
    /// is not recorded. Under the lock.
    package final var lastResult: Value? { node.pointee.flags.contains(.hasValue) ? storage.pointee : nil }
}

/// The last result of a computed, for its closure.
private final class LastResult<Value> {
    /// Alive while its closure runs.
    unowned(unsafe) var computed: Computed<Value>?

    var value: Value? { computed?.lastResult }
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
