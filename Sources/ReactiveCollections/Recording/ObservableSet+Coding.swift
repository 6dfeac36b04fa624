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
        self.init(try decoder.singleValueContainer().decode([Element].self))
        take(name)
    }
}
