// State as modules see it that record values of any type and write them back.

/// State without the type of its value.
package protocol RecordableState: _Node {
    /// The type of the value.
    associatedtype Value

    /// The value. Reading it in an observer subscribes.
    var value: Value { get set }

    /// Whether the state counts two values as the same. Subscribes nobody.
    func areSame(_ old: Value, _ new: Value) -> Bool
}

extension Observable: RecordableState {
    package func areSame(_ old: Value, _ new: Value) -> Bool { untracked { areEqual(old, new) } }
}
