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
        self.init(decoded: try decoder.singleValueContainer().decode([Element].self), name: name)
    }
}

extension ObservableArray {
    fileprivate convenience init(decoded elements: [Element], name: StateName) {
        self.init(elements, equals: .automatic)
        take(name)
    }
}

extension KeyedDecodingContainer {
    /// Decodes an array. Its name in diagnostics is the key.
    ///
    /// - Parameters:
    ///   - type: The type of the array.
    ///   - key: The key.
    /// - Returns: A new array.
    /// - Throws: Any error that decoding the elements throws.
    public func decode<Element: Decodable>(
        _ type: ObservableArray<Element>.Type, forKey key: Key
    ) throws -> ObservableArray<Element> {
        // No test sees this never hold: the path of the decoder gives the same name, and takes longer.
        guard let name = StateName(forValueUnder: key) else { return try decodeAsItIs(type, forKey: key) }
        return ObservableArray(decoded: try decode([Element].self, forKey: key), name: name)
    }

    private func decodeAsItIs<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decode(type, forKey: key)
    }
}
