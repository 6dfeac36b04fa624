// The parts of a document: immutable, so that versions share them.
//
//     .json     a scalar, or a small subtree as plain JSON: copied as a whole, opened by one level where an edit leads in
//     .object   members by key (ObjectNode.swift)
//     .list     elements by index and by identity (List.swift)
//
// How a part is stored says nothing about its content: two nodes are equal if their JSON is. Which containers are plain
// depends on history, so nothing that edits do may depend on it.
//
// Only opened nodes are compared, converted and freed by recursion, and nothing is opened below `openedLevels`: there,
// a document is plain JSON, which does not recurse.

import ReactiveCodable

/// A part of a document.
enum Node: Sendable {
    case json(JSONValue)
    case object(ObjectNode)
    case list(ListNode)

    /// The number of values up to which a subtree stays plain JSON.
    static let plainCount = 64

    /// The number of levels of a document that are opened.
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

    /// The value of a list.
    static func json(of list: List) -> JSONValue { .array(JSONArray(list.map(\.json))) }

    /// The node with its members in reach, if it is an object.
    var asObject: ObjectNode? {
        switch self {
        case .object(let object): object
        case .json(.object(let object)):
            ObjectNode(keys: object.sortedKeys, values: object.map { Node.json($0.value) })
        default: nil
        }
    }

    /// The node with its elements in reach, if it is a list.
    var asList: List? {
        switch self {
        case .list(let list): list.list
        case .json(.array(let array)): List(array.map(Node.json))
        default: nil
        }
    }

    /// The identity that the node has as an element of a list.
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
    /// Whether both are one object in memory, or equal scalars: then they are equal, at no cost.
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
    /// Whether the JSON of both is equal. Parts that both share are not looked at.
    static func == (left: Node, right: Node) -> Bool {
        switch (left, right) {
        case (.json(let left), .json(let right)): return left == right
        case (.object(let left), .object(let right)): return left == right
        case (.list(let left), .list(let right)): return left.list == right.list
        default:
            // One of them is plain and the other is opened.
            return left.valueCount == right.valueCount && left.json == right.json
        }
    }
}

/// The size that counts towards the limits of a document. It follows from the content alone.
struct Weight: Hashable, Sendable {
    /// The number of values.
    var values: Int
    /// The bytes of strings and keys, eight for a number, and one for each value.
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

    /// Adds a value without its children.
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
    /// The sum, or `Int.max` if it is larger. For counts: both are positive.
    func addingSaturated(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}
