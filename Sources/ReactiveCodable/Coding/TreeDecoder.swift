// Decodes values from a `JSONTree`, as `JSONDecoder` would, except that what has not changed is not decoded.
//
// Asked for a `T` at a node that still stands for the `T` it was encoded from, it returns that value itself. So class
// instances and observables keep their identity, and only the way to what has changed is walked.
//
// Decoding recurses, through code that is not ours. Where the stack is nearly used up it ends with an error.

import Reactive

/// What the decoders of one value have in common.
final class TreeDecoding {
    let tree: JSONTree
    let strategies: CodingStrategies
    /// The node that was asked for last: where an error belongs.
    var lastVisited: JSONTree.ID
    /// What members that are missing get, if they may be missing; see InitialValues.swift.
    var initialValues: InitialValues?
    /// Whether decoding plain JSON has failed.
    var hasFailed = false

    init(tree: JSONTree, strategies: CodingStrategies) {
        self.tree = tree
        self.strategies = strategies
        self.lastVisited = tree.root
    }
}

struct TreeDecoder {
    let session: TreeDecoding
    let id: JSONTree.ID
    private let path: CoderPath
    /// Whether what is decoded lies inside the slot's observable, and not the observable itself.
    let isInSlot: Bool

    init(session: TreeDecoding, id: JSONTree.ID, codingPath: [any CodingKey], isInSlot: Bool = false) {
        self.session = session
        self.id = id
        self.isInSlot = isInSlot
        path = CoderPath(codingPath)
    }

    private init(_ outer: TreeDecoder, _ id: JSONTree.ID, _ key: any CodingKey) {
        session = outer.session
        self.id = id
        isInSlot = false
        path = outer.path.appending(key)
    }

    /// The keys that lead here. Complexity: O(their number).
    var codingPath: [any CodingKey] { path.keys }

    var tree: JSONTree { session.tree }
    var strategies: CodingStrategies { session.strategies }

    // MARK: - Values

    /// The value that the node still stands for.
    static func unchanged<T>(_ type: T.Type, at id: JSONTree.ID, in tree: JSONTree, isInSlot: Bool) -> T? {
        if !isInSlot {
            for case let value as T in tree.nodes[id].above { return value }
        }
        guard !tree.nodes[id].isDirty else { return nil }
        for case let value as T in tree.nodes[id].originals { return value }
        return nil
    }

    /// Decodes any value at this node.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        session.lastVisited = id
        if let value = TreeDecoder.unchanged(type, at: id, in: tree, isInSlot: isInSlot) { return value }
        if let plain = try decodePlain(type) { return plain }
        try requireStack()
        try tree.open(id)
        // An observable that was just read knows its value now.
        if let value = TreeDecoder.unchanged(type, at: id, in: tree, isInSlot: isInSlot) { return value }
        let kind = strategies.kind(of: type)
        if let container = try decodeLazily(type, kind) { return container as! T }
        if let scalar = try decodeScalar(type, kind) { return scalar }
        guard let initialValues = session.initialValues else { return try T(from: self) }
        return try initialValues.inFrame { try T(from: self) }
    }

    /// Decodes a node that is plain JSON without opening it; returns `nil` for others.
    ///
    /// If that fails, the node is opened and decoded once more, which finds out where in the document the error belongs.
    private func decodePlain<T: Decodable>(_ type: T.Type) throws -> T? {
        guard tree.nodes[id].kind == .json, session.initialValues == nil, !session.hasFailed else { return nil }
        let decoder = PlainDecoder(tree.nodes[id].json, strategies, path)
        if let value = try? decoder.decode(type) { return value }
        session.hasFailed = true
        return nil
    }

    // MARK: - Nodes

    var scalar: JSONValue? {
        switch tree.nodes[id].kind {
        case .json: tree.nodes[id].json
        case .absent: .null
        default: nil
        }
    }

    func whole() throws -> JSONValue { try tree.snapshot(id) }

    /// The decoder of a child.
    func child(_ id: JSONTree.ID, _ key: any CodingKey) -> TreeDecoder {
        TreeDecoder(self, id, key)
    }

    /// Decodes a child.
    func decode<T: Decodable>(_ type: T.Type, at child: JSONTree.ID, _ key: any CodingKey) throws -> T {
        if let value = TreeDecoder.unchanged(type, at: child, in: tree, isInSlot: false) { return value }
        return try self.child(child, key).decode(type)
    }

    // MARK: - Errors

    var found: String {
        switch tree.nodes[id].kind {
        case .json: tree.nodes[id].json.kind
        case .absent: "nothing"
        case .array: "an array"
        default: "an object"
        }
    }

    func missing(_ key: any CodingKey) -> DecodingError {
        session.lastVisited = id
        return keyNotFound(key)
    }

    func passed(_ type: Any.Type) -> DecodingError {
        session.lastVisited = id
        return ended(type)
    }
}
