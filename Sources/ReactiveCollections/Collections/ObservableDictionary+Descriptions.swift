// Printing, as a plain dictionary does it. It reads without subscribing: looking must not change the program.

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
    /// What is shown instead of the contents where this thread holds another graph; `nil` where they can be read.
    final var placeholder: String? {
        let graph = graphHandle
        return graph.isOutOfReach ? "\(displayName) of \(graph.name)" : nil
    }
}
