// The nodes of a document. They are immutable, so that versions share them.
//
//     .json     a scalar, or a small subtree as plain JSON: copied as a whole, opened by one level if an edit enters it
//     .object   members by key (ObjectNode.swift)
//     .list     elements by index and by identity (List.swift)
//
// A subtree may be plain or opened, depending on the history of the document. Two nodes are equal if their JSON is
// equal, and the effect of an edit must not depend on which subtrees are plain.
//
// Opened nodes are compared, converted and freed by recursion. Nothing is opened below `openedLevels`: there, a
// document is plain JSON, which is processed without recursion.

import ReactiveCodable

/// A node of a document: a value with everything inside it.
enum Node: Sendable {
    case json(JSONValue)
    case object(ObjectNode)
    case list(ListNode)

    /// The maximum number of values of a subtree that stays plain JSON.
    static let plainCount = 64

    /// The maximum number of opened levels of a document.
    static let openedLevels = 64

    /// Creates the node of a value.
    ///
    /// - Parameter level: The number of containers around it.
    init(_ json: JSONValue, level: Int = 0) {
        switch json {
        case .object(let object) where json.valueCount > Node.plainCount && level < Node.openedLevels:
            self = .object(
                ObjectNode(keys: object.sortedKeys, values: object.map { Node($0.value, level: level + 1) }))
        case .array(let array) where json.valueCount > Node.plainCount && level < Node.openedLevels:
            self = .list(ListNode(List(array.map { Node($0, level: level + 1) })))
        default:
            self = .json(json)
        }
    }

    /// The value.
    var json: JSONValue {
        switch self {
        case .json(let json): json
        case .object(let object): .object(object.json)
        case .list(let list): Node.json(of: list.list)
        }
    }

    /// Returns the JSON of a list.
    static func json(of list: List) -> JSONValue { .array(JSONArray(list.map(\.json))) }

    /// The node as an opened object; `nil` if it is not an object.
    var asObject: ObjectNode? {
        switch self {
        case .object(let object): object
        case .json(.object(let object)):
            ObjectNode(keys: object.sortedKeys, values: object.map { Node.json($0.value) })
        default: nil
        }
    }

    /// The node as an opened list; `nil` if it is not a list.
    var asList: List? {
        switch self {
        case .list(let list): list.list
        case .json(.array(let array)): List(array.map(Node.json))
        default: nil
        }
    }

    /// The identity that the node has as an element of a list; `nil` if it has none.
    var identity: JSONValue? {
        switch self {
        case .json(let json): json.identity
        case .object(let object):
            if case .json(let id)? = object["id"], id.isIdentity { id } else { nil }
        case .list: nil
        }
    }

    /// The size that counts towards the limits of a document.
    var weight: Weight {
        switch self {
        case .json(let json): Weight(json)
        case .object(let object): object.weight
        case .list(let list): list.list.weight
        }
    }

    /// The number of values.
    var valueCount: Int {
        if case .json(let json) = self { json.valueCount } else { weight.values }
    }

    /// The number of levels of arrays and objects.
    ///
    /// - Complexity: O(*n*) for opened nodes.
    var depth: Int {
        switch self {
        case .json(let json): json.depth
        case .object(let object): 1 + (object.values.lazy.map(\.depth).max() ?? 0)
        case .list(let list): 1 + (list.list.lazy.map(\.depth).max() ?? 0)
        }
    }

    /// The kind of value, for messages.
    var kind: String {
        switch self {
        case .json(let json):
            switch json {
            case .null: "null"
            case .bool: "a boolean"
            case .number: "a number"
            case .string: "a string"
            case .array: "a list"
            case .object: "an object"
            }
        case .object: "an object"
        case .list: "a list"
        }
    }
}

extension Node {
    /// Returns whether both are one object in memory, or equal plain values. Then they are equal, without a comparison
    /// of opened nodes.
    func isIdentical(to other: Node) -> Bool {
        switch (self, other) {
        case (.object(let left), .object(let right)): left === right
        case (.list(let left), .list(let right)): left === right || left.list.root === right.list.root
        case (.json(let left), .json(let right)): left == right
        default: false
        }
    }
}

extension Node: Equatable {
    /// Returns whether the JSON of both is equal. Shared parts are not compared.
    static func == (left: Node, right: Node) -> Bool {
        switch (left, right) {
        case (.json(let left), .json(let right)): return left == right
        case (.object(let left), .object(let right)): return left == right
        case (.list(let left), .list(let right)): return left.list == right.list
        default:
            // One is plain, and the other is opened.
            return left.valueCount == right.valueCount && left.json == right.json
        }
    }
}

/// The size that counts towards the limits of a document. It depends on the content alone.
struct Weight: Hashable, Sendable {
    /// The number of values.
    var values: Int
    /// The number of bytes: those of strings and keys, eight for a number, and one for each value.
    var bytes: Int

    static let container = Weight(values: 1, bytes: 1)

    init(values: Int, bytes: Int) {
        self.values = values
        self.bytes = bytes
    }

    /// The weight of a value.
    ///
    /// - Complexity: O(*n*), without recursion.
    init(_ json: JSONValue) {
        self.init(values: 0, bytes: 0)
        var containers: [JSONValue] = []
        add(json, &containers)
        while let next = containers.popLast() {
            if case .array(let array) = next { for element in array { add(element, &containers) } }
            guard case .object(let object) = next else { continue }
            for (key, value) in object {
                bytes = bytes.addingSaturated(key.utf8.count)
                add(value, &containers)
            }
        }
    }

    /// Adds a value without its children, and appends it to `containers` if it has any.
    private mutating func add(_ json: JSONValue, _ containers: inout [JSONValue]) {
        self += Weight.container
        switch json {
        case .null, .bool: break
        case .number(let number):
            bytes = bytes.addingSaturated(number.exactly(Int64.self) == nil ? number.description.utf8.count : 8)
        case .string(let string): bytes = bytes.addingSaturated(string.utf8.count)
        case .array, .object: containers.append(json)
        }
    }

    static func += (left: inout Weight, right: Weight) {
        left.values = left.values.addingSaturated(right.values)
        left.bytes = left.bytes.addingSaturated(right.bytes)
    }

    static func + (left: Weight, right: Weight) -> Weight {
        var sum = left
        sum += right
        return sum
    }

    static func -= (left: inout Weight, right: Weight) {
        left.values -= right.values
        left.bytes -= right.bytes
    }
}

extension Int {
    /// Returns the sum, or `Int.max` if it is larger. For counts, which are not negative.
    func addingSaturated(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}
