// Decodes values from a `JSONTree`, like `JSONDecoder`, but does not decode unchanged values.
//
// If a `T` is requested at a node that still represents the `T` it was encoded from, that value itself is returned. So
// class instances and observables keep their identity, and only the paths to changed values are decoded.
//
// Decoding recurses, through code that is not ours. If the stack is nearly exhausted, it throws an error.

import Reactive

/// The shared state of the decoders of one value.
final class TreeDecoding {
    let tree: JSONTree
    let strategies: CodingStrategies
    /// The node that was requested last. Errors are reported for it.
    var lastVisited: JSONTree.ID
    /// The values for missing members, if members may be missing; see InitialValues.swift.
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
    let path: CoderPath
    /// Whether the decoder decodes the value inside the holder's observable, and not the observable itself.
    let isInHolder: Bool

    /// Creates the decoder of the root.
    ///
    /// - Parameter holder: The name of the state around the root, if there is any.
    init(session: TreeDecoding, in holder: StateName? = nil) {
        self.session = session
        id = session.tree.root
        // No test sees this: the tree of a document is not annotated.
        isInHolder = false
        path = CoderPath(in: holder)
    }

    /// Creates the decoder of the value inside an observable.
    ///
    /// - Parameter holder: The name of the observable.
    init(session: TreeDecoding, id: JSONTree.ID, codingPath: [any CodingKey], in holder: StateName) {
        self.session = session
        self.id = id
        isInHolder = true
        path = CoderPath(codingPath, in: holder)
    }

    private init(_ outer: TreeDecoder, _ id: JSONTree.ID, _ key: any CodingKey) {
        session = outer.session
        self.id = id
        isInHolder = false
        path = outer.path.appending(key)
    }

    /// The keys that lead to the node. Complexity: O(*n*) in the number of keys.
    var codingPath: [any CodingKey] { path.keys }

    var tree: JSONTree { session.tree }
    var strategies: CodingStrategies { session.strategies }

    // MARK: - Values

    /// Returns the value that the node still represents.
    static func unchanged<T>(_ type: T.Type, at id: JSONTree.ID, in tree: JSONTree, isInHolder: Bool) -> T? {
        if !isInHolder {
            for case let value as T in tree.nodes[id].above { return value }
        }
        guard !tree.nodes[id].isDirty else { return nil }
        for case let value as T in tree.nodes[id].originals { return value }
        return nil
    }

    /// Decodes any value at this node.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        session.lastVisited = id
        if let value = TreeDecoder.unchanged(type, at: id, in: tree, isInHolder: isInHolder) { return value }
        // No test sees this never hold: it only saves nodes.
        if let plain = try decodePlain(type) { return plain }
        try requireStack()
        try tree.open(id)
        // An observable that was just read knows its value now.
        if let value = TreeDecoder.unchanged(type, at: id, in: tree, isInHolder: isInHolder) { return value }
        let kind = strategies.kind(of: type)
        if let container = try decodeLazily(type, kind) { return container as! T }
        if let scalar = try decodeScalar(type, kind) { return scalar }
        guard let initialValues = session.initialValues else { return try T(from: self) }
        return try initialValues.inFrame { try T(from: self) }
    }

    /// Decodes a plain JSON node without opening it. Returns `nil` for other nodes.
    ///
    /// If that fails, the node is opened and decoded again, which finds the path of the error.
    private func decodePlain<T: Decodable>(_ type: T.Type) throws -> T? {
        // No test sees this never hold: it only saves nodes.
        guard tree.nodes[id].kind == .json, session.initialValues == nil, !session.hasFailed else { return nil }
        let decoder = PlainDecoder(tree.nodes[id].json, strategies, path)
        func decode() throws -> T { try decoder.decode(type) }
        let value =
            // No test sees this: it only saves setting a task-local value, which is not asked for about plain types.
            strategies.isPlain(type)
            ? try? decode() : try? DecoderOfState.$current.withValue(.plain, operation: decode)
        if let value { return value }
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

    /// Returns the decoder of a child.
    func child(_ id: JSONTree.ID, _ key: any CodingKey) -> TreeDecoder {
        TreeDecoder(self, id, key)
    }

    /// Decodes a child.
    func decode<T: Decodable>(_ type: T.Type, at child: JSONTree.ID, _ key: any CodingKey) throws -> T {
        // No test sees this: it only saves a decoder, which looks as well.
        if let value = TreeDecoder.unchanged(type, at: child, in: tree, isInHolder: false) { return value }
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
