// What printing an array shows: what a plain one shows. Printing subscribes nobody. Where another graph is held, which
// is where the array cannot be read, it shows the array's name.

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
