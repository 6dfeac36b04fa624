// State, for modules that record values of any type and write them back.

/// State with the type of its value erased.
package protocol RecordableState: _Node {
    /// The type of the value.
    ///
    /// It is not named `Value`, because a dictionary already has an associated type of that name.
    associatedtype Recorded

    /// The value. Reading it in an observer subscribes the observer.
    var value: Recorded { get set }

    /// Returns whether the state counts two values as the same. Subscribes no observer.
    func areSame(_ old: Recorded, _ new: Recorded) -> Bool
}

/// State that can be created with the value of other state of its type.
package protocol CreatableState: RecordableState {
    /// Creates state with a value. It compares by the rule that its type implies; see `Equality`.
    static func created(with value: Recorded) -> Self
}

/// A node for observers of one aspect of some state, such as one key of a dictionary.
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
