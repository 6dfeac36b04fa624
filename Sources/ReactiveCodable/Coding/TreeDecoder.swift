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

    init(tree: JSONTree, strategies: CodingStrategies) {
        self.tree = tree
        self.strategies = strategies
        self.lastVisited = tree.root
    }
}

/// A key on the path to a decoder, which shares those in front of it.
private final class DecodedKey {
    let key: any CodingKey
    let outer: DecodedKey?

    init(key: any CodingKey, outer: DecodedKey?) {
        self.key = key
        self.outer = outer
    }
}

struct TreeDecoder {
    let session: TreeDecoding
    let id: JSONTree.ID
    /// The keys that lead to where decoding began.
    private let origin: [any CodingKey]
    /// The keys from there, the last one first.
    private let steps: DecodedKey?
    /// Whether what is decoded lies inside the slot's observable, and not the observable itself.
    let isInSlot: Bool

    init(session: TreeDecoding, id: JSONTree.ID, codingPath: [any CodingKey], isInSlot: Bool = false) {
        self.session = session
        self.id = id
        self.isInSlot = isInSlot
        origin = codingPath
        steps = nil
    }

    private init(_ outer: TreeDecoder, _ id: JSONTree.ID, _ key: any CodingKey) {
        session = outer.session
        self.id = id
        isInSlot = false
        origin = outer.origin
        steps = DecodedKey(key: key, outer: outer.steps)
    }

    /// The keys that lead here. Complexity: O(their number).
    var codingPath: [any CodingKey] {
        var reversed: [any CodingKey] = []
        var step = steps
        while let current = step {
            reversed.append(current.key)
            step = current.outer
        }
        return origin + reversed.reversed()
    }

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
        try requireStack()
        try tree.open(id)
        // An observable that was just read knows its value now.
        if let value = TreeDecoder.unchanged(type, at: id, in: tree, isInSlot: isInSlot) { return value }
        func cast(_ value: Any) -> T { value as! T }
        let kind = strategies.kind(of: type)
        if let container = try decodeLazily(type, kind) { return cast(container) }
        switch kind {
        case .string: return cast(try string())
        case .bool: return cast(try bool())
        case .int: return cast(try integer(Int.self))
        case .double: return cast(try floatingPoint(Double.self) { $0.double })
        case .float: return cast(try floatingPoint(Float.self) { $0.float })
        case .integer:
            guard let integer = type as? any FixedWidthInteger.Type else { break }
            return cast(try self.integer(integer))
        case .date: return cast(try date())
        case .data: return cast(try data())
        case .url: return cast(try url())
        case .decimal: return cast(try decimal())
        case .json: return cast(try tree.snapshot(id))
        case .observable, .optionalProperty, .stringDictionary, .otherDictionary, .array, .orderedValue, .keyedValue,
            .unordered, .other:
            break
        }
        guard let initialValues = session.initialValues else { return try T(from: self) }
        return try initialValues.inFrame { try T(from: self) }
    }

    /// Throws if the stack is nearly used up.
    func requireStack() throws {
        guard _ReactionPart.stackIsLow else { return }
        throw corrupted("the values are nested so deeply that decoding them would overflow the stack")
    }

    private func bool() throws -> Bool {
        guard case .bool(let value) = json else { throw mismatch(Bool.self) }
        return value
    }

    func string() throws -> String {
        guard case .string(let value) = json else { throw mismatch(String.self) }
        return value
    }

    private func integer<I: FixedWidthInteger>(_ type: I.Type) throws -> I {
        guard case .number(let number) = json else { throw mismatch(type) }
        guard let value = number.exactly(type) else { throw corrupted("\(number) does not fit in \(type)") }
        return value
    }

    func floatingPoint<F: BinaryFloatingPoint>(_ type: F.Type, _ value: (JSONNumber) -> F) throws -> F {
        if case .number(let number) = json {
            guard value(number).isFinite else { throw corrupted("\(number) does not fit in \(type)") }
            return value(number)
        }
        if case .string(let text) = json, let texts = strategies.decodedNonConformingFloats {
            switch text {
            case texts.infinity: return .infinity
            case texts.negativeInfinity: return -.infinity
            case texts.nan: return .nan
            default: break
            }
        }
        throw mismatch(type)
    }

    // MARK: - Nodes

    /// The scalar at the node; `nil` for a container.
    var json: JSONValue? {
        switch tree.nodes[id].kind {
        case .json: tree.nodes[id].json
        case .absent: .null
        default: nil
        }
    }

    var isNil: Bool { json == .null }

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

    private var context: (String) -> DecodingError.Context {
        { [codingPath] in DecodingError.Context(codingPath: codingPath, debugDescription: $0) }
    }

    func mismatch(_ type: Any.Type) -> DecodingError {
        let found =
            switch tree.nodes[id].kind {
            case .json: tree.nodes[id].json.kind
            case .absent: "nothing"
            case .array: "an array"
            default: "an object"
            }
        let text = "expected \(type), found \(found)"
        return isNil ? .valueNotFound(type, context(text)) : .typeMismatch(type, context(text))
    }

    func corrupted(_ text: String) -> DecodingError { .dataCorrupted(context(text)) }

    func missing(_ key: any CodingKey) -> DecodingError {
        session.lastVisited = id
        return .keyNotFound(key, context("the member \"\(key.stringValue)\" is missing"))
    }

    func ended(_ type: Any.Type) -> DecodingError {
        session.lastVisited = id
        return .valueNotFound(type, context("expected \(type), the array has ended"))
    }
}
