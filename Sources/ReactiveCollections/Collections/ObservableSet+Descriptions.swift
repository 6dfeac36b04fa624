// A set prints like a plain one. Printing is not tracked.

import Reactive

extension ObservableSet: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The elements, as a plain set prints them.
    public var description: String { placeholder ?? untracked { elements.description } }

    /// The elements, as a plain set prints them for debugging.
    public var debugDescription: String { placeholder ?? untracked { elements.debugDescription } }

    /// The mirror of a plain set.
    public var customMirror: Mirror {
        if let placeholder { return Mirror(self, children: ["value": placeholder], displayStyle: .class) }
        return untracked { Mirror(reflecting: elements) }
    }
}

extension ObservableSet: PresentingValue {
    package var presentValue: Any? { elements }
}
