// Arrays and dictionaries that are encoded one element at a time, when a path leads to it, and decoded around the
// elements that changed.
//
// In an annotated tree the node of an array keeps the array itself (JSONTree+Elements.swift). Decoding it after a
// patch takes the ranges that nobody touched from that array as they are. The same goes for dictionaries whose keys are
// strings or integers; other containers have no order, or no keys, by which one element could be found.

import Reactive

// MARK: - Origins

/// Keeps a container that was encoded.
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
            try PastView.$current.withValue(view) {
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

private final class DictionaryMembers<Key: MemberKey, Value: Encodable>: ContainerBox<[Key: Value]>, JSONMemberSource {
    var keys: [String] { container.keys.map(\.memberName) }

    func makeNode(of key: String, parent: JSONTree.ID, in tree: JSONTree) throws -> JSONTree.ID? {
        guard let index = index(ofMember: key) else { return nil }
        let (found, value) = container[index]
        let node = tree.makeNode(parent: parent, key: found.codingKey)
        try encode(value, in: tree, node)
        return node
    }
}

extension ContainerBox {
    /// The position of the member with exactly this name: "05" is no name of 5, and another normal form of a string is
    /// another name.
    fileprivate func index<Key: MemberKey, Value>(
        ofMember name: String
    ) -> [Key: Value].Index? where Container == [Key: Value] {
        guard let index = Key(memberName: name).flatMap({ container.index(forKey: $0) }) else { return nil }
        return container[index].key.memberName.utf8.elementsEqual(name.utf8) ? index : nil
    }
}

/// A key of dictionaries that encoders take for objects.
protocol MemberKey: Hashable, Encodable {
    init?(memberName: String)
    var memberName: String { get }
    var codingKey: AnyKey { get }
    /// Whether it is the same name: another normal form of a string is another name.
    func isSame(as other: Self) -> Bool
}

extension String: MemberKey {
    init?(memberName: String) { self = memberName }
    var memberName: String { self }
    var codingKey: AnyKey { .name(self) }
    func isSame(as other: String) -> Bool { self == other && utf8.elementsEqual(other.utf8) }
}

extension Int: MemberKey {
    init?(memberName: String) { self.init(memberName) }
    var memberName: String { String(self) }
    var codingKey: AnyKey { .numbered(String(self), self) }
    func isSame(as other: Int) -> Bool { self == other }
}

// MARK: - Encoding

/// A container that can be encoded one element at a time.
protocol LazilyEncodable {
    /// Makes the encoder's node one of this container, without encoding its elements.
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
            DictionaryMembers<Key, Value>(self, encoder.strategies))
    }
}

extension TreeEncoder {
    /// Leaves the elements of a container for later, if the tree is annotated and the container is one for which that
    /// works. Returns false otherwise.
    func encodeLazily(_ value: some Encodable, _ kind: TypeInfo.Kind) -> Bool {
        guard tree.isAnnotated else { return false }
        switch kind {
        case .array, .stringDictionary: break
        // The strategies for keys apply to all but strings.
        case .otherDictionary where strategies.keepsEncodedKeys: break
        default: return false
        }
        guard let container = value as? any LazilyEncodable else { return false }
        container.encodeLazily(to: self)
        return true
    }
}

// MARK: - Decoding

/// A container that can be decoded around what has changed in it.
protocol LazilyDecodable {
    static func decodeLazily(from decoder: TreeDecoder) throws -> Self
}

extension Array: LazilyDecodable where Element: Decodable {
    static func decodeLazily(from decoder: TreeDecoder) throws -> [Element] {
        let tree = decoder.tree
        try decoder.requireArray()
        var result: [Element] = []
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
}

extension Dictionary: LazilyDecodable where Key: MemberKey, Value: Decodable {
    static func decodeLazily(from decoder: TreeDecoder) throws -> [Key: Value] {
        let tree = decoder.tree
        try decoder.requireObject()
        var result: [Key: Value] = [:]
        if let lazy = tree.nodes[decoder.id].lazyMembers, let box = lazy.source as? ContainerBox<[Key: Value]> {
            result = box.container
            for name in lazy.touched {
                if let index = box.index(ofMember: name.string) { result[box.container[index].key] = nil }
            }
        } else {
            try tree.openMembers(of: decoder.id)
        }
        for (name, node) in tree.nodes[decoder.id].members {
            guard let key = Key(memberName: name) else {
                throw decoder.corrupted("the key \"\(name)\" of a member is no \(Key.self)")
            }
            let value = try decoder.decode(Value.self, at: node, key.codingKey)
            guard result.updateValue(value, forKey: key) == nil else {
                throw decoder.corrupted("two members have the key \"\(name)\" for Swift, in different spellings")
            }
        }
        return result
    }
}

extension TreeDecoder {
    /// Decodes a container around what has changed in it, or returns `nil` for a type for which that does not work.
    func decodeLazily(_ type: any Decodable.Type, _ kind: TypeInfo.Kind) throws -> (any LazilyDecodable)? {
        switch kind {
        case .array, .stringDictionary: break
        case .otherDictionary where strategies.keepsDecodedKeys: break
        default: return nil
        }
        return try (type as? any LazilyDecodable.Type)?.decodeLazily(from: self)
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
