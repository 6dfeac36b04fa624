// The encoded form: that of a plain set.

import Reactive

extension ObservableSet: Encodable where Element: Encodable {
    /// Encodes the elements as a plain set does. Observers depend on all elements and their order.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error that the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        try encodeValue(to: encoder) {
            enter()
            noteReadOfAll()
            let table = table
            leave()
            try SetSnapshot(table).encode(to: encoder)
        }
    }
}

extension ObservableSet: Decodable where Element: Decodable {
    /// Creates a set from the encoded form of a plain set.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The error that the decoder throws.
    public convenience init(from decoder: any Decoder) throws {
        let name = StateName(for: decoder)
        self.init(decoded: try decoder.singleValueContainer().decode([Element].self), name: name)
    }
}

extension ObservableSet {
    fileprivate convenience init(decoded elements: [Element], name: StateName) {
        self.init(elements)
        take(name)
    }
}

extension KeyedDecodingContainer {
    /// Decodes a set. Its name in diagnostics is the key.
    ///
    /// - Parameters:
    ///   - type: The type of the set.
    ///   - key: The key.
    /// - Returns: A new set.
    /// - Throws: Any error that decoding the elements throws.
    public func decode<Element: Decodable>(
        _ type: ObservableSet<Element>.Type, forKey key: Key
    ) throws -> ObservableSet<Element> {
        // No test sees this never hold: the path of the decoder gives the same name, and takes longer.
        guard let name = StateName(forValueUnder: key) else { return try decodeAsItIs(type, forKey: key) }
        return ObservableSet(decoded: try decode([Element].self, forKey: key), name: name)
    }

    private func decodeAsItIs<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decode(type, forKey: key)
    }
}
