// Arrays and dictionaries that are encoded one element at a time, when a path leads to it, and whose unchanged elements
// are not decoded again.
//
// In an annotated tree, the node of an array keeps the array itself (JSONTree+Elements.swift). Decoding the node after
// a patch copies the unchanged ranges from that array. The same is true for dictionaries whose keys are strings or
// integers. Other containers have no order, or no keys, by which one element could be found.

import Reactive

// MARK: - Origins

/// An encoded container, which is kept.
class ContainerBox<Container> {
    final let container: Container
    fileprivate let strategies: CodingStrategies
    /// The view of the past in which it was encoded.
    fileprivate let view: PastView?

    fileprivate init(_ container: Container, _ strategies: CodingStrategies) {
        self.container = container
        self.strategies = strategies
        view = PastView.current
    }

    /// Encodes an element of the container into a new node.
    fileprivate final func encode(_ element: some Encodable, in tree: JSONTree, _ node: JSONTree.ID) throws {
        try EncodersOfObservables.active {
            try PastView.with(view) {
                try TreeEncoder(tree: tree, id: node, strategies: strategies).encode(element)
            }
        }
    }
}

private final class ArrayElements<Element: Encodable>: ContainerBox<[Element]>, JSONElementSource {
    var count: Int { container.count }

    func makeNode(of index: Int, parent: JSONTree.ID, in tree: JSONTree) throws -> JSONTree.ID {
        let node = tree.makeNode(parent: parent, key: AnyKey.element(index))
        try encode(container[index], in: tree, node)
        return node
    }
}

private final class RowElements<V: EncodableElements>: ContainerBox<V>, JSONElementSource {
    var count: Int { container.elementCount }

    func makeNode(of index: Int, parent: JSONTree.ID, in tree: JSONTree) throws -> JSONTree.ID {
        let node = tree.makeNode(parent: parent, key: AnyKey.element(index))
        try encode(container.element(at: index), in: tree, node)
        return node
    }
}

private final class DictionaryMembers<D: MemberDictionary>: ContainerBox<D>, JSONMemberSource {
    var keys: [String] {
        var keys: [String] = []
        // No test sees this: it only saves allocations.
        keys.reserveCapacity(container.memberCount)
        container.forEachMember { key, _ in keys.append(key.memberName) }
        return keys
    }

    func makeNode(of key: String, parent: JSONTree.ID, in tree: JSONTree) throws -> JSONTree.ID? {
        guard let (found, value) = container.stored(named: key) else { return nil }
        let node = tree.makeNode(parent: parent, key: found.codingKey)
        try encode(value, in: tree, node)
        return node
    }
}

extension Dictionary where Key: MemberKey {
    /// Returns the key with exactly this name.
    fileprivate func key(named name: String) -> Key? {
        guard let index = Key(memberName: name).flatMap({ index(forKey: $0) }) else { return nil }
        return keys[index].memberName.utf8.elementsEqual(name.utf8) ? keys[index] : nil
    }
}

extension MemberDictionary {
    /// Returns the member with exactly this name: "05" is not a name of 5, and a different normal form of a string is a
    /// different name.
    func stored(named name: String) -> (key: Key, member: Member)? {
        guard let found = Key(memberName: name).flatMap({ stored($0) }) else { return nil }
        return found.key.memberName.utf8.elementsEqual(name.utf8) ? found : nil
    }
}

extension MemberKey {
    /// The key as encoders use it.
    var codingKey: AnyKey { (self as? Int).map { .numbered(memberName, $0) } ?? .name(memberName) }
}

// MARK: - Encoding

/// A container that can be encoded one element at a time.
protocol LazilyEncodable {
    /// Turns the encoder's node into one of this container, without encoding its elements.
    func encodeLazily(to encoder: TreeEncoder)
}

extension Array: LazilyEncodable where Element: Encodable {
    func encodeLazily(to encoder: TreeEncoder) {
        encoder.tree.nodes[encoder.id].kind = .array
        encoder.tree.nodes[encoder.id].lazyElements = LazyElements(
            ArrayElements<Element>(self, encoder.strategies))
    }
}

extension Dictionary: LazilyEncodable where Key: MemberKey, Value: Encodable {
    func encodeLazily(to encoder: TreeEncoder) {
        encoder.tree.nodes[encoder.id].kind = .object
        encoder.tree.nodes[encoder.id].isDictionary = true
        encoder.tree.nodes[encoder.id].lazyMembers = LazyMembers(
            DictionaryMembers<Self>(self, encoder.strategies))
    }
}

extension TreeEncoder {
    /// Encodes the value of an ordered collection like a container.
    private func encodeLazily(_ value: some EncodableElements) {
        tree.nodes[id].kind = .array
        tree.nodes[id].lazyElements = LazyElements(RowElements(value, strategies))
    }

    /// Encodes the value of a keyed collection like a container.
    private func encodeLazily(_ value: some MemberDictionary) {
        tree.nodes[id].kind = .object
        tree.nodes[id].isDictionary = true
        tree.nodes[id].lazyMembers = LazyMembers(DictionaryMembers(value, strategies))
    }

    /// Encodes the elements of a collection later, if possible. Returns `false` otherwise.
    fileprivate func encodeCollectionLazily(_ value: some Encodable) -> Bool {
        if let value = encodableElements(value) {
            encodeLazily(value)
            return true
        }
        // No test sees this never hold: the collection is encoded as a dictionary then, which is encoded later as well.
        guard let value = memberDictionary(value), strategies.keepsEncodedKeys || hasStringKeys(value) else {
            return false
        }
        encodeLazily(value)
        // No test sees this: as above, and the dictionary at this node takes the place of the collection.
        return true
    }
}

/// Whether strategies for keys do not apply to the keys of a dictionary.
func hasStringKeys<D: MemberDictionary>(_ dictionary: D) -> Bool { D.Key.self == String.self }

extension TreeEncoder {
    /// Encodes the elements of a container later, if the tree is annotated and the container supports that. Returns
    /// `false` otherwise.
    func encodeLazily(_ value: some Encodable, _ kind: TypeInfo.Kind) -> Bool {
        guard tree.isAnnotated else { return false }
        switch kind {
        case .array, .stringDictionary: break
        case .orderedValue, .keyedValue: return encodeCollectionLazily(value)
        // The strategies for keys apply to all keys except strings.
        case .otherDictionary where strategies.keepsEncodedKeys: break
        default: return false
        }
        guard let container = lazilyEncodable(value) else { return false }
        container.encodeLazily(to: self)
        return true
    }
}

// MARK: - Decoding

/// A container that can be decoded without decoding its unchanged elements.
protocol LazilyDecodable {
    static func decodeLazily(from decoder: TreeDecoder) throws -> Self
    /// Decodes the container from plain JSON, in which no elements are unchanged.
    static func decode(from decoder: PlainDecoder) throws -> Self
}

extension Array: LazilyDecodable where Element: Decodable {
    static func decodeLazily(from decoder: TreeDecoder) throws -> [Element] {
        let tree = decoder.tree
        try decoder.requireArray()
        var result: [Element] = []
        // No test sees this: it only saves allocations.
        result.reserveCapacity(tree.elementCount(of: decoder.id))
        func decode(_ node: JSONTree.ID) throws {
            result.append(try decoder.decode(Element.self, at: node, AnyKey.element(result.count)))
        }
        if let lazy = tree.nodes[decoder.id].lazyElements, let box = lazy.source as? ContainerBox<[Element]> {
            for segment in lazy.segments {
                switch segment {
                case .untouched(let range): result += box.container[range]
                case .node(let node): try decode(node)
                }
            }
        } else {
            for node in try tree.openElements(of: decoder.id) { try decode(node) }
        }
        return result
    }

    static func decode(from decoder: PlainDecoder) throws -> [Element] {
        var elements = PlainUnkeyedDecoding(decoder: decoder, array: try decoder.array())
        var result: [Element] = []
        // No test sees this: it only saves allocations.
        result.reserveCapacity(elements.array.count)
        while !elements.isAtEnd { result.append(try elements.decode(Element.self)) }
        return result
    }
}

extension Dictionary: LazilyDecodable where Key: MemberKey, Value: Decodable {
    static func decodeLazily(from decoder: TreeDecoder) throws -> [Key: Value] {
        let tree = decoder.tree
        try decoder.requireObject()
        var result: [Key: Value] = [:]
        if let lazy = tree.nodes[decoder.id].lazyMembers, let box = lazy.source as? ContainerBox<[Key: Value]> {
            result = box.container
            for name in lazy.touched {
                if let key = box.container.key(named: name.string) { result[key] = nil }
            }
        } else {
            try tree.openMembers(of: decoder.id)
        }
        for (name, node) in tree.nodes[decoder.id].members {
            try result.add(name, decoder) { try decoder.decode(Value.self, at: node, $0) }
        }
        return result
    }

    static func decode(from decoder: PlainDecoder) throws -> [Key: Value] {
        var result: [Key: Value] = [:]
        for (name, json) in try decoder.object() {
            try result.add(name, decoder) { try decoder.child(json, $0).decode(Value.self) }
        }
        return result
    }

    /// Adds a member that must not exist yet.
    private mutating func add(
        _ name: String, _ decoder: some ValueDecoder, _ decode: (any CodingKey) throws -> Value
    ) throws {
        guard let key = Key(memberName: name) else {
            throw decoder.corrupted("the key \"\(name)\" of a member is not a valid \(Key.self)")
        }
        guard updateValue(try decode(key.codingKey), forKey: key) == nil else {
            throw decoder.corrupted("two members have the key \"\(name)\", in different spellings")
        }
    }
}

extension CodingStrategies {
    /// Returns a type as that of a container that supports partial decoding.
    func lazilyDecodable(_ type: any Decodable.Type, _ kind: TypeInfo.Kind) -> (any LazilyDecodable.Type)? {
        switch kind {
        case .array, .stringDictionary: type as? any LazilyDecodable.Type
        // The strategies for keys apply to all keys except strings.
        case .otherDictionary where keepsDecodedKeys: type as? any LazilyDecodable.Type
        default: nil
        }
    }
}

extension TreeDecoder {
    /// Decodes the changed elements of a container. Returns `nil` for a type that does not support that.
    func decodeLazily(_ type: any Decodable.Type, _ kind: TypeInfo.Kind) throws -> (any LazilyDecodable)? {
        try strategies.lazilyDecodable(type, kind)?.decodeLazily(from: self)
    }

    /// Throws unless the node is an array.
    func requireArray() throws {
        session.lastVisited = id
        try requireStack()
        try tree.open(id)
        guard tree.nodes[id].kind == .array else { throw mismatch([Any].self) }
    }

    /// Throws unless the node is an object.
    func requireObject() throws {
        session.lastVisited = id
        try requireStack()
        try tree.open(id)
        guard tree.nodes[id].kind == .object || tree.nodes[id].kind == .empty else {
            throw mismatch([String: Any].self)
        }
    }
}
