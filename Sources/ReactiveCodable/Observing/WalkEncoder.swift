// The encoder of a walk, and its containers.
//
// One generic method implements the containers' methods for numbers, strings and so on.

import Reactive

struct WalkEncoder: EncoderOfObservables {
    let walk: Walk
    let regionPath: RegionPath?
    /// Whether the value is a collection without an order.
    var isUnordered = false
    let recording: Transcript?

    var codingPath: [any CodingKey] { walk.codingPath(regionPath) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        recording?.becomeKeyed()
        return KeyedEncodingContainer(WalkKeyedContainer<Key>(self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        recording?.becomeUnkeyed()
        return WalkUnkeyedContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { WalkSingleValueContainer(encoder: self) }

    func encodeObservable<O: EncodableObservable>(_ observable: O) throws {
        walk.visit(observable, at: Position(outer: regionPath, component: .itself), recording)
    }

    /// Returns an encoder for the next path component.
    func nested(_ component: PathComponent, _ recording: Transcript?) -> WalkEncoder {
        WalkEncoder(walk: walk, regionPath: RegionPath(outer: regionPath, component: component), recording: recording)
    }
}

private struct WalkKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let encoder: WalkEncoder
    private let keys: KeyBoxes

    init(_ encoder: WalkEncoder) {
        self.encoder = encoder
        keys = encoder.walk.boxes(of: Key.self)
    }

    var codingPath: [any CodingKey] { encoder.codingPath }

    private func component(_ key: Key) -> PathComponent { .key(keys.box(key)) }

    func encodeNil(forKey key: Key) throws {
        encoder.recording?.add(key).content = .null
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        encoder.walk.visit(
            value, at: Position(outer: encoder.regionPath, component: component(key)), encoder.recording?.add(key))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.nested(component(key), encoder.recording?.add(key)).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.nested(component(key), encoder.recording?.add(key)).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        encoder.nested(.key(BoxedKey(AnyKey.super)), encoder.recording?.add(AnyKey.super))
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        encoder.nested(component(key), encoder.recording?.add(key))
    }
}

private struct WalkUnkeyedContainer: UnkeyedEncodingContainer {
    let encoder: WalkEncoder
    var count = 0

    init(encoder: WalkEncoder) { self.encoder = encoder }

    var codingPath: [any CodingKey] { encoder.codingPath }

    private mutating func next() -> PathComponent {
        defer { count += 1 }
        return encoder.isUnordered ? .entry(count) : .index(count)
    }

    mutating func encodeNil() throws {
        _ = next()
        encoder.recording?.add().content = .null
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        encoder.walk.visit(value, at: Position(outer: encoder.regionPath, component: next()), encoder.recording?.add())
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        encoder.nested(next(), encoder.recording?.add()).container(keyedBy: keyType)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        encoder.nested(next(), encoder.recording?.add()).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { encoder.nested(next(), encoder.recording?.add()) }
}

private struct WalkSingleValueContainer: SingleValueEncodingContainer {
    let encoder: WalkEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() throws { encoder.recording?.content = .null }

    func encode<Value: Encodable>(_ value: Value) throws {
        encoder.walk.visit(value, at: Position(outer: encoder.regionPath, component: .itself), encoder.recording)
    }
}
