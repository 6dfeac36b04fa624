// The encoded form: that of a plain dictionary.

import Reactive

extension ObservableDictionary: Encodable where Key: Encodable, Value: Encodable {
    /// Encodes the entries as a plain dictionary does. Observers depend on the whole dictionary.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error that the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        try encodeValue(to: encoder) { try snapshot.encode(to: encoder) }
    }
}

extension ObservableDictionary: Decodable where Key: Decodable, Value: Decodable {
    /// Creates a dictionary from the encoded form of a plain dictionary.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The error that the decoder throws.
    public convenience init(from decoder: any Decoder) throws {
        let name = StateName(for: decoder)
        self.init(decoded: try decoder.singleValueContainer().decode([Key: Value].self), name: name)
    }
}

extension ObservableDictionary {
    fileprivate convenience init(decoded entries: [Key: Value], name: StateName) {
        self.init(entries)
        take(name)
    }
}

extension KeyedDecodingContainer {
    /// Decodes a dictionary. Its name in diagnostics is the key.
    ///
    /// - Parameters:
    ///   - type: The type of the dictionary.
    ///   - key: The key.
    /// - Returns: A new dictionary.
    /// - Throws: Any error that decoding the entries throws.
    public func decode<DictionaryKey: Decodable, Value: Decodable>(
        _ type: ObservableDictionary<DictionaryKey, Value>.Type, forKey key: Key
    ) throws -> ObservableDictionary<DictionaryKey, Value> {
        // No test sees this never hold: the path of the decoder gives the same name, and takes longer.
        guard let name = StateName(forValueUnder: key) else { return try decodeAsItIs(type, forKey: key) }
        return ObservableDictionary(decoded: try decode([DictionaryKey: Value].self, forKey: key), name: name)
    }

    private func decodeAsItIs<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decode(type, forKey: key)
    }
}
