// State as modules see it that record values of any type and write them back.

/// State without the type of its value.
package protocol RecordableState: _Node {
    /// The type of the value.
    ///
    /// Not `Value`: dictionaries have values of their own.
    associatedtype Recorded

    /// The value. Reading it in an observer subscribes.
    var value: Recorded { get set }

    /// Whether the state counts two values as the same. Subscribes nobody.
    func areSame(_ old: Recorded, _ new: Recorded) -> Bool
}

/// State that can be created with a value that other state of its type has.
package protocol CreatableState: RecordableState {
    /// Creates state with a value. It compares as its type implies; see `Equality`.
    static func created(with value: Recorded) -> Self
}

/// A node beside others of some state, for observers of one aspect of it: a key of a dictionary, say.
package protocol AspectOfState: _Node {
    /// The state; `nil` if it cannot be recorded.
    var recordableState: (any RecordableState)? { get }
}

extension Observable: CreatableState {
    package static func created(with value: Value) -> Observable { Observable(wrappedValue: value, equals: .automatic) }
}

extension Observable: RecordableState {
    package typealias Recorded = Value

    package func areSame(_ old: Value, _ new: Value) -> Bool { untracked { areEqual(old, new) } }
}
