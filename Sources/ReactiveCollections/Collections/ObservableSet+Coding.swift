// Coding and printing: all as a plain set does it. Printing reads without subscribing.

import Reactive

extension ObservableSet: Encodable where Element: Encodable {
    /// Encodes the elements as a plain set does. Observers depend on all elements.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws { try elements.encode(to: encoder) }
}

extension ObservableSet: Decodable where Element: Decodable {
    /// Creates a set from what a plain set has encoded.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: What the decoder throws.
    public convenience init(from decoder: any Decoder) throws { self.init(try [Element](from: decoder)) }
}

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
