// The encoded form: that of a plain array.

import Reactive

extension ObservableArray: Encodable where Element: Encodable {
    /// Encodes the elements as a plain array. In a reaction this subscribes to the whole array.
    ///
    /// - Parameter encoder: Any encoder.
    /// - Throws: The error that encoding an element throws.
    public func encode(to encoder: any Encoder) throws {
        try encodeValue(to: encoder) { try elements.encode(to: encoder) }
    }
}

extension ObservableArray: Decodable where Element: Decodable {
    /// Creates an array from the encoded form of a plain one. Elements are compared by their type's default comparison;
    /// see `Equality`.
    ///
    /// - Parameter decoder: Any decoder.
    /// - Throws: The error that decoding an element throws.
    public convenience init(from decoder: any Decoder) throws {
        let name = StateName(for: decoder)
        self.init(try decoder.singleValueContainer().decode([Element].self), equals: .automatic)
        take(name)
    }
}
