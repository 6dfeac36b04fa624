// Converts Swift values to JSON values and back, without text.

import Reactive

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension JSONValue {
    /// Creates the JSON of a value as `encoder` encodes it.
    ///
    /// All observables in the value are read at one moment, under the lock of their graph. They are read one after the
    /// other, not one inside the other, so that a long chain of them needs no stack. In an observer this subscribes,
    /// like reading.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: The encoder whose strategies and user info apply.
    /// - Throws: Any error that encoding throws; `EncodingError` for a graph that contains itself.
    public init(encoding value: some Encodable, using encoder: JSONEncoder = JSONEncoder()) throws {
        let strategies = CodingStrategies(encoder: encoder, decoder: JSONDecoder())
        // Locked, so that all observables are read at one moment.
        self = try GraphHandle(ofStateIn: value).withLock {
            try JSONValue(encoding: value, strategies)
        }
    }

    /// Creates the JSON of a value. Under the lock of the graph of its observables.
    init(encoding value: some Encodable, _ strategies: CodingStrategies) throws {
        self = try PlainEncoder.json(of: value, strategies)
    }

    /// Returns the value that `decoder` decodes from this JSON.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder whose strategies and user info apply.
    /// - Throws: Any error that decoding throws.
    public func decoded<T: Decodable>(as type: T.Type = T.self, using decoder: JSONDecoder = JSONDecoder()) throws -> T
    {
        try decoded(as: type, using: decoder, in: nil)
    }

    /// Returns the value that `decoder` decodes from this JSON, for state of a name.
    func decoded<T: Decodable>(as type: T.Type, using decoder: JSONDecoder, in holder: StateName?) throws -> T {
        let strategies = CodingStrategies(encoder: JSONEncoder(), decoder: decoder)
        let session = TreeDecoding(tree: JSONTree(self), strategies: strategies)
        return try DecoderOfState.$current.withValue(.tree) {
            try TreeDecoder(session: session, in: holder).decode(type)
        }
    }
}
