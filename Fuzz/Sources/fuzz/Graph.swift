// A small graph with all features of graphs: classes, sharing, sets, dictionaries, payloads, generics.

import Reactive
import ReactiveCodable

enum Kind: String, Codable, Hashable { case plain, special }

enum Shape: Codable, Hashable {
    case point
    case circle(radius: Double)
    case label(String, size: Int)
}

struct Box<Content: Codable>: Codable {
    @Observable var content: Content
}

class Node: Codable {
    @Observable var name: String
    @Observable var next: Node?
    @Observable var tags: Set<String> = ["x", "y"]
    @Observable var scores: [String: Int] = ["e\u{301}": 1, "b": 2]
    @Observable var weights: [Kind: Double] = [.plain: 1.5]

    init(_ name: String) { _name = Observable(wrappedValue: name) }
}

struct Graph: Codable {
    var version = 1
    @Observable var nodes: [Node] = [Node("a"), Node("b"), Node("c")]
    @Observable var selected: Node?
    @Observable var shape = Shape.circle(radius: 2)
    @Observable var text: String? = "text"
    @Observable var numbers: [Int] = [1, 2, 3]
    var box = Box<String?>(content: Observable(wrappedValue: nil).wrappedValue)
    var boxes: [String: Box<Bool>] = ["one": Box(content: true)]

    init() {
        selected = nodes[1]
        nodes[0].next = nodes[2]
    }

    /// The graph as JSON.
    var json: JSONValue? { try? JSONValue(encoding: self) }
}
