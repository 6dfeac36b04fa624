// An array prints like a plain one. Printing is not tracked. If the thread holds the lock of a different graph, the
// array cannot be read, and prints its name instead.

import Reactive

extension ObservableArray: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The elements, as a plain array prints them.
    public final var description: String { placeholder ?? untracked { elements }.description }

    /// The elements, as a plain array prints them for debugging.
    public final var debugDescription: String { placeholder ?? untracked { elements }.debugDescription }

    /// The mirror of a plain array.
    public final var customMirror: Mirror {
        Mirror(reflecting: placeholder == nil ? untracked { elements } : [])
    }

    private var placeholder: String? {
        obstacle == nil ? nil : "\(displayName) of \(graphHandle.name)"
    }
}

extension ObservableArray: PresentingValue {
    package var presentValue: Any? { elements }
}
