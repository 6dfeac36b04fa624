// An encoder that produces no output: it passes the values of an encoding to a visitor.

import Reactive

/// Visits the values of an encoding, and produces no output.
class ObservableVisitor {
    /// The encoder's user info for `encode(to:)`.
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Visits a value.
    func visit<Value: Encodable>(_ value: Value) throws {}

    /// Called if the encoded value is a record of state of this graph.
    func end(with graph: GraphHandle?) throws {}
}

/// A visitor as seen by `encode(to:)`: an encoder and all of its containers.
struct ObservableSearchEncoder: EncoderOfObservables, SingleValueEncodingContainer, UnkeyedEncodingContainer {
    fileprivate let visitor: ObservableVisitor
    private(set) var count = 0

    init(visitor: ObservableVisitor) { self.visitor = visitor }

    /// Ends the search: the encoded value is a record of state of this graph.
    func end(with graph: GraphHandle) throws { try visitor.end(with: graph) }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { visitor.userInfo }

    func encodeObservable<O: EncodableObservable>(_ observable: O) throws { try visitor.visit(observable) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedSearch<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    mutating func encodeNil() throws { count += 1 }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        count += 1
        try visitor.visit(value)
    }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func superEncoder() -> any Encoder { self }
}

private struct KeyedSearch<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ObservableSearchEncoder

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws {}
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try encoder.visitor.visit(value) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { encoder.container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder }
    func superEncoder() -> any Encoder { encoder }
    func superEncoder(forKey key: Key) -> any Encoder { encoder }
}
