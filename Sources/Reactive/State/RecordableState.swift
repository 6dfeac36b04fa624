// State, for modules that record values of any type and write them back.

import CReactive

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

/// State that can be created like other state of its type.
package protocol CreatableState: RecordableState {
    /// Returns a function that creates state with the comparison of this state. The function does not keep this state.
    var creator: (_ value: Recorded, _ name: StateName) -> Self { get }
}

/// A node for observers of one aspect of some state, such as one key of a dictionary.
package protocol AspectOfState: _Node {
    /// The state; `nil` if it cannot be recorded.
    var recordableState: (any RecordableState)? { get }
}

extension Observable: CreatableState {
    package var creator: (_ value: Value, _ name: StateName) -> Observable {
        let (areEqual, comparesBits) = (areEqual, comparesBits)
        return { value, name in
            let new = Observable(
                stored: value, areEqual: areEqual, comparesBits: comparesBits, named: nil, fileID: #fileID, line: #line)
            new.take(name)
            return new
        }
    }
}

extension Observable: RecordableState {
    package typealias Recorded = Value

    package func areSame(_ old: Value, _ new: Value) -> Bool { untracked { areEqual(old, new) } }
}
