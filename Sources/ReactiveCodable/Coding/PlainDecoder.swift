// Decodes values from plain JSON, as `JSONDecoder` would.
//
// A plain JSON node contains nothing that represents a value from which it was encoded. So nothing is looked up, and no
// nodes are created for its contents.

struct PlainDecoder: ValueDecoder {
    let json: JSONValue
    let strategies: CodingStrategies
    let path: CoderPath

    init(_ json: JSONValue, _ strategies: CodingStrategies, _ path: CoderPath) {
        self.json = json
        self.strategies = strategies
        self.path = path
    }

    var codingPath: [any CodingKey] { path.keys }

    var scalar: JSONValue? {
        switch json {
        case .array, .object: nil
        default: json
        }
    }

    var found: String { json.kind }

    func whole() -> JSONValue { json }

    // MARK: - Values

    /// Decodes any value.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let kind = strategies.kind(of: type)
        if let scalar = try decodeScalar(type, kind) { return scalar }
        try requireStack()
        if let container = try strategies.lazilyDecodable(type, kind)?.decode(from: self) { return container as! T }
        return try T(from: self)
    }

    /// Returns the decoder of a child.
    func child(_ json: JSONValue, _ key: any CodingKey) -> PlainDecoder {
        PlainDecoder(json, strategies, path.appending(key))
    }

    func array() throws -> JSONArray {
        guard case .array(let array) = json else { throw mismatch([Any].self) }
        return array
    }

    func object() throws -> JSONObject {
        guard case .object(let object) = json else { throw mismatch([String: Any].self) }
        return object
    }

    // MARK: - Containers

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        // A type may pass on the decoder that `superDecoder()` returns, so that no value is decoded in between.
        try requireStack()
        var object = try object()
        // No test sees this always hold: it only saves a copy, since the default strategy keeps each name.
        if !strategies.keepsDecodedKeys {
            object = JSONObject(
                try object.map { (key: try strategies.decodedKey($0.key) { codingPath }, value: $0.value) })
        }
        return KeyedDecodingContainer(PlainKeyedDecoding<Key>(decoder: self, object: object))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try requireStack()
        return PlainUnkeyedDecoding(decoder: self, array: try array())
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension PlainDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { isNil }
}

private struct PlainKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: PlainDecoder
    let object: JSONObject
    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] { object.sortedKeys.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { object[key.stringValue] != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try child(key).isNil }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try child(key).bool() }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try child(key).string() }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try child(key).integer(Int.self) }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try child(key).decode(type) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try child(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try child(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { nested(AnyKey.super) }
    func superDecoder(forKey key: Key) throws -> any Decoder { nested(key) }

    private func child(_ key: Key) throws -> PlainDecoder {
        guard let json = object[key.stringValue] else { throw decoder.keyNotFound(key) }
        return decoder.child(json, key)
    }

    /// Returns the decoder of a member, or of `null` if the member does not exist.
    private func nested(_ key: some CodingKey) -> PlainDecoder { decoder.child(object[key.stringValue] ?? .null, key) }
}

struct PlainUnkeyedDecoding: UnkeyedDecodingContainer {
    let decoder: PlainDecoder
    let array: JSONArray
    private(set) var currentIndex = 0
    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { array.count }
    var isAtEnd: Bool { currentIndex == array.count }

    init(decoder: PlainDecoder, array: JSONArray) {
        self.decoder = decoder
        self.array = array
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd else { throw decoder.ended(Any?.self) }
        guard array[currentIndex] == .null else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        guard !isAtEnd else { throw decoder.ended(type) }
        let value = try decoder.child(array[currentIndex], AnyKey.element(currentIndex)).decode(type)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { try next().container(keyedBy: type) }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
    mutating func superDecoder() throws -> any Decoder { try next() }

    private mutating func next() throws -> PlainDecoder {
        guard !isAtEnd else { throw decoder.ended(Any.self) }
        defer { currentIndex += 1 }
        return decoder.child(array[currentIndex], AnyKey.element(currentIndex))
    }
}
