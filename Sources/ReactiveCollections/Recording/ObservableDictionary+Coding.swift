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
        self.init(try decoder.singleValueContainer().decode([Key: Value].self))
        take(name)
    }
}
