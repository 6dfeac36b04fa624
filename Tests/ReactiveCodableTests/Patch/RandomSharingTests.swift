// Random graphs in which objects, structs and arrays have several paths: a patch changes the document as specified, and
// nothing else.

import JSONTestSupport
import Reactive
import ReactiveCodable
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct RandomSharingTests {
        class Node: Codable {
            let id: Int
            @Observable var name = ""
            @Observable var parts: [Part] = []
            @Observable var children: [Node] = []
            @Observable var favourite: Part?
            @Observable var best: Node?
            @Observable var byKey: [String: Part] = [:]
            var plain: Part?
            init(_ id: Int) { self.id = id }
        }

        struct Part: Codable {
            var size: Int
            @Observable var note = "-"
            @Observable var tags: [String] = []
            var inner = Inner()
        }

        struct Inner: Codable {
            @Observable var count = 0
            @Observable var parts: [Part] = []
        }

        /// Builds graphs that reuse their own objects.
        struct Pool {
            var random: RandomDocuments
            var nodes: [Node] = []
            var parts: [Part] = []

            mutating func part() -> Part {
                if !parts.isEmpty, random.below(2) == 0 { return parts[random.below(parts.count)] }
                let part = Part(size: random.below(5))
                if random.below(3) == 0 { part.inner.parts = [self.part()] }
                parts.append(part)
                return part
            }

            mutating func node(_ depth: Int) -> Node {
                if !nodes.isEmpty, random.below(3) == 0 { return nodes[random.below(nodes.count)] }
                let node = Node(random.below(9))
                node.parts = (0..<random.below(3)).map { _ in part() }
                node.favourite = random.below(2) == 0 ? part() : nil
                node.plain = random.below(3) == 0 ? part() : nil
                for _ in 0..<random.below(3) { node.byKey[random.key()] = part() }
                if depth > 0 {
                    node.children = (0..<random.below(3)).map { _ in self.node(depth - 1) }
                    node.best = random.below(2) == 0 ? self.node(depth - 1) : nil
                }
                if let other = nodes.last, random.below(3) == 0 { node.parts = other.parts }
                nodes.append(node)
                return node
            }
        }

        /// Makes some random changes in a graph without sharing.
        static func change(_ node: Node, _ random: inout RandomDocuments) {
            func change(_ part: inout Part) {
                switch random.below(5) {
                case 0: part.size += 1
                case 1: part.note += "x"
                case 2: part.tags.append("t\(random.below(9))")
                case 3: part.inner.count += 1
                default: if !part.inner.parts.isEmpty { part.inner.parts[0].note += "y" }
                }
            }
            switch random.below(10) {
            case 0: node.name += "x"
            case 1 where !node.parts.isEmpty: change(&node.parts[random.below(node.parts.count)])
            case 2: node.parts.append(Part(size: 7))
            case 3 where !node.parts.isEmpty: node.parts.remove(at: random.below(node.parts.count))
            case 4: node.parts.shuffle(using: &random)
            case 5:
                if var part = node.favourite {
                    change(&part)
                    node.favourite = random.below(3) == 0 ? nil : part
                }
            case 6: for key in node.byKey.keys.sorted() { change(&node.byKey[key]!) }
            default:
                if let child = random.below(2) == 0 ? node.best : node.children.first {
                    Self.change(child, &random)
                } else if random.below(2) == 0 {
                    node.children.shuffle(using: &random)
                }
            }
        }

        @Test func aPatchChangesNothingThatItDoesNotName() throws {
            for seed in seeds(30) {
                var pool = Pool(random: RandomDocuments(seed: seed))
                let graph = pool.node(3)
                // A copy without sharing is edited; the graph gets the patches.
                let twin = try JSONValue(encoding: graph).decoded(as: Node.self)
                var random = pool.random
                var reports = 0
                let observer: Reaction? = seed % 3 == 0 ? nil : deepObserve(graph) { reports += 1 }
                defer { observer?.cancel() }
                for round in 0..<6 {
                    let before = try JSONValue(encoding: graph)
                    for _ in 0...random.below(4) { Self.change(twin, &random) }
                    let next = try JSONValue(encoding: twin)
                    let patch = JSONPatch(from: before, to: next)
                    let reported = reports
                    if round == 3 {
                        try inTransaction { try apply(patch, to: graph) }
                    } else {
                        try apply(patch, to: graph)
                    }
                    #expect(try JSONValue(encoding: graph) == next, "seed \(seed), round \(round): \(patch)")
                    #expect(observer == nil || before == next || reports == reported + 1, "seed \(seed)")
                }
            }
        }
    }
}
