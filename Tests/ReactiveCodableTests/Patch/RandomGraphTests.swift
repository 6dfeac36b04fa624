// Random graphs and random edits: the patch from one state to a second, applied to a graph in the first state, produces
// the second.

import JSONTestSupport
import Reactive
import ReactiveCodable
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct RandomGraphTests {
        /// Observables inside structs, objects, arrays, dictionaries and optionals.
        final class Node: Codable {
            let id: Int
            @Observable var name = ""
            @Observable var children: [Node] = []
            @Observable var byKey: [String: Part] = [:]
            @Observable var optional: Node?
            var plain = [1, 2]
            init(_ id: Int) { self.id = id }
        }

        struct Part: Codable {
            var size: Int
            @Observable var note: String?
            @Observable var pair: [Int]
        }

        static func node(_ random: inout RandomDocuments, _ depth: Int) -> Node {
            let node = Node(random.below(4))
            fill(node, &random, depth)
            return node
        }

        private static func fill(_ node: Node, _ random: inout RandomDocuments, _ depth: Int) {
            node.name = ["", "a", "b", "c"][random.below(4)]
            node.plain = (0..<random.below(3)).map { $0 }
            guard depth > 0 else { return }
            node.children = (0..<random.below(4)).map { _ in self.node(&random, depth - 1) }
            node.byKey = [:]
            for _ in 0..<random.below(3) {
                node.byKey[random.key()] = Part(
                    size: random.below(3), note: random.below(2) == 0 ? nil : "n", pair: [random.below(3), 2])
            }
            node.optional = random.below(2) == 0 ? nil : self.node(&random, depth - 1)
        }

        /// Makes some random changes.
        static func change(_ node: Node, _ random: inout RandomDocuments) {
            switch random.below(9) {
            case 0: node.name += "x"
            case 1: node.children.insert(self.node(&random, 1), at: random.below(node.children.count + 1))
            case 2 where !node.children.isEmpty: node.children.remove(at: random.below(node.children.count))
            case 3: node.children.shuffle(using: &random)
            case 4: node.byKey[random.key()] = Part(size: 9, note: "new", pair: [])
            case 5: node.optional = random.below(2) == 0 ? nil : self.node(&random, 1)
            case 6:
                for key in node.byKey.keys.sorted() {
                    node.byKey[key]?.pair.append(random.below(5))
                    node.byKey[key]?.note = random.below(2) == 0 ? nil : "m"
                    node.byKey[key]?.size += random.below(2)
                }
            default:
                if let child = random.below(2) == 0 ? node.children.first : node.optional ?? node.children.last {
                    change(child, &random)
                }
            }
        }

        @Test func patchesLeadFromStateToStateAndBack() throws {
            for seed in seeds(40) {
                var random = RandomDocuments(seed: seed)
                let graph = Self.node(&random, 3)
                let before = try JSONValue(encoding: graph)
                // A twin is edited; the graph only gets the patches.
                let twin = try before.decoded(as: Node.self)
                #expect(try JSONValue(encoding: twin) == before, "seed \(seed)")
                var history: [JSONPatch] = []
                var state = before
                for _ in 0..<5 {
                    for _ in 0...random.below(3) { Self.change(twin, &random) }
                    let next = try JSONValue(encoding: twin)
                    let patch = JSONPatch(from: state, to: next)
                    #expect(try NaiveJSONPatch.apply(patch, to: state) == next, "seed \(seed)")
                    try apply(patch, to: graph)
                    #expect(try JSONValue(encoding: graph) == next, "seed \(seed): \(patch) on \(state)")
                    history.append(patch)
                    state = next
                }
                for patch in history.reversed() { try apply(patch.inverse, to: graph) }
                #expect(try JSONValue(encoding: graph) == before, "seed \(seed)")
            }
        }
    }
}
