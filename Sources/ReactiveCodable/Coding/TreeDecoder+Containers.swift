// A `TreeDecoder` as seen by `init(from:)`: a decoder and its containers.

extension TreeDecoder: ValueDecoder {
    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        var members = try members()
        // No test sees this always hold: it only saves a copy, since the default strategy keeps each name.
        if !strategies.keepsDecodedKeys {
            var renamed: JSONMembers<JSONTree.ID> = [:]
            for (name, id) in members { renamed[try strategies.decodedKey(name) { codingPath }] = id }
            members = renamed
        }
        return KeyedDecodingContainer(TreeKeyedDecoding<Key>(decoder: self, members: members))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try requireArray()
        return TreeUnkeyedDecoding(decoder: self, elements: try tree.openElements(of: id))
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        try tree.open(id)
        return TreeSingleValueDecoding(decoder: self)
    }

    /// Returns the nodes of an object, absent ones included.
    func members() throws -> JSONMembers<JSONTree.ID> {
        try requireObject()
        return try tree.openMembers(of: id)
    }
}

private struct TreeKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: TreeDecoder
    let members: JSONMembers<JSONTree.ID>
    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] {
        members.filter { decoder.tree.nodes[$0.value].kind != .absent }.keys.sorted().compactMap(Key.init(stringValue:))
    }

    /// Whether the member exists, or an observable without a member: decoding that one returns the observable.
    func contains(_ key: Key) -> Bool {
        decoder.session.initialValues?.resolvePending()
        return members[key.stringValue] != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        let id = try id(key)
        try decoder.tree.open(id)
        return decoder.child(id, key).isNil
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        let id = members[key.stringValue]
        if let initialValues = decoder.session.initialValues {
            initialValues.resolvePending()
            if id != nil { initialValues.noteMember(of: decoder) }
            if id == nil, let value = try initialValues.value(of: type, missing: key, in: decoder) { return value }
        }
        return try decoder.decode(type, at: id ?? self.id(key), key)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try decoder.child(id(key), key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder.child(id(key), key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { nested(AnyKey.super) }
    func superDecoder(forKey key: Key) throws -> any Decoder { nested(key) }

    private func id(_ key: Key) throws -> JSONTree.ID {
        guard let id = members[key.stringValue] else { throw decoder.missing(key) }
        return id
    }

    /// Returns the decoder of a member, or of `null` if the member does not exist.
    private func nested(_ key: some CodingKey) -> TreeDecoder {
        let id = members[key.stringValue] ?? decoder.tree.makeNode(kind: .json, parent: decoder.id)
        return decoder.child(id, key)
    }
}

private struct TreeUnkeyedDecoding: UnkeyedDecodingContainer {
    let decoder: TreeDecoder
    let elements: [JSONTree.ID]
    var currentIndex = 0
    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    init(decoder: TreeDecoder, elements: [JSONTree.ID]) {
        self.decoder = decoder
        self.elements = elements
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd else { throw decoder.passed(Any?.self) }
        try decoder.tree.open(elements[currentIndex])
        guard decoder.child(elements[currentIndex], AnyKey.element(currentIndex)).isNil else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        guard !isAtEnd else { throw decoder.passed(type) }
        let value = try decoder.decode(type, at: elements[currentIndex], AnyKey.element(currentIndex))
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { try next().container(keyedBy: type) }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
    mutating func superDecoder() throws -> any Decoder { try next() }

    private mutating func next() throws -> TreeDecoder {
        guard !isAtEnd else { throw decoder.passed(Any.self) }
        defer { currentIndex += 1 }
        return decoder.child(elements[currentIndex], AnyKey.element(currentIndex))
    }
}

private struct TreeSingleValueDecoding: SingleValueDecodingContainer {
    let decoder: TreeDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.isNil }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.decode(type) }
}
