// A dictionary prints like a plain one. Printing is not tracked, so that it does not change the program's behaviour.

import Reactive

extension ObservableDictionary: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The entries, as a plain dictionary prints them.
    public var description: String { placeholder ?? untracked { elements.description } }

    /// The entries, as a plain dictionary prints them for debugging.
    public var debugDescription: String { placeholder ?? untracked { elements.debugDescription } }

    /// The mirror of a plain dictionary.
    public var customMirror: Mirror {
        if let placeholder { return Mirror(self, children: ["value": placeholder], displayStyle: .class) }
        return untracked { Mirror(reflecting: elements) }
    }
}

extension _KeyedSource {
    /// The text that replaces the contents if this thread holds the lock of a different graph; `nil` if the contents
    /// can be read.
    final var placeholder: String? {
        let graph = graphHandle
        return graph.isOutOfReach ? "\(displayName) of \(graph.name)" : nil
    }
}

extension ObservableDictionary: PresentingValue {
    package var presentValue: Any? { elements }
}
