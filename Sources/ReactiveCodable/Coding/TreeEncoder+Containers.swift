// A `TreeEncoder` as seen by `encode(to:)`: an encoder and its containers.

import Reactive

extension TreeEncoder: ValueEncoder {
    var codingPath: [any CodingKey] { tree.codingPath(to: id) }

    func encodeObservable<O: EncodableObservable>(_ observable: O) throws { note(observable) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        tree.nodes[id].kind = .object
        return KeyedEncodingContainer(TreeKeyedEncoding<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        tree.nodes[id].kind = .array
        return TreeUnkeyedEncoding(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { TreeSingleValueEncoding(encoder: self) }
}

private struct TreeKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: TreeEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil(forKey key: Key) throws { try encoder.member(key).set(.null) }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try encoder.member(key).encode(value)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy keyType: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { nested(key).container(keyedBy: keyType) }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nested(key).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { nested(AnyKey.super) }
    mutating func superEncoder(forKey key: Key) -> any Encoder { nested(key) }

    /// Returns the encoder of a member that is a container. It cannot throw: a key whose strategy fails keeps its name.
    private func nested(_ key: some CodingKey) -> TreeEncoder {
        (try? encoder.member(key)) ?? encoder.member(named: key.stringValue, key)
    }
}

private struct TreeUnkeyedEncoding: UnkeyedEncodingContainer {
    let encoder: TreeEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.tree.nodes[encoder.id].elements.count }

    mutating func encodeNil() throws { encoder.nextElement().set(.null) }
    mutating func encode<T: Encodable>(_ value: T) throws { try encoder.nextElement().encode(value) }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder.nextElement().container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.nextElement().unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { encoder.nextElement() }
}

private struct TreeSingleValueEncoding: SingleValueEncodingContainer {
    let encoder: TreeEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil() throws { encoder.set(.null) }
    mutating func encode<T: Encodable>(_ value: T) throws { try encoder.encode(value) }
}
