// Between values of Swift and JSON values, without a detour through text.

import Reactive

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension JSONValue {
    /// Creates the JSON that `encoder` makes of a value.
    ///
    /// Observables within are read at one moment, under the lock of their graph, and one after the other, not one
    /// within the other, so that a long chain of them needs no stack. In an observer this subscribes, as reading does.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: The encoder whose strategies and user info to follow.
    /// - Throws: What encoding throws; `EncodingError` for a graph that contains itself.
    public init(encoding value: some Encodable, using encoder: JSONEncoder = JSONEncoder()) throws {
        let strategies = CodingStrategies(encoder: encoder, decoder: JSONDecoder())
        // Locked, so that the observables are all read at one moment.
        self = try GraphHandle(ofStateIn: value).withLock {
            try JSONValue(encoding: value, strategies)
        }
    }

    /// Creates the JSON of a value. Under the lock of the graph that its observables belong to.
    init(encoding value: some Encodable, _ strategies: CodingStrategies) throws {
        self = try PlainEncoder.json(of: value, strategies)
    }

    /// The value that `decoder` makes of this JSON.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: Whose strategies and user info to follow.
    /// - Throws: What decoding throws.
    public func decoded<T: Decodable>(as type: T.Type = T.self, using decoder: JSONDecoder = JSONDecoder()) throws -> T
    {
        let tree = JSONTree(self)
        let strategies = CodingStrategies(encoder: JSONEncoder(), decoder: decoder)
        let session = TreeDecoding(tree: tree, strategies: strategies)
        return try TreeDecoder(session: session, id: tree.root, codingPath: []).decode(type)
    }
}
