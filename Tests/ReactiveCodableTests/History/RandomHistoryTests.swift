// Random edits, undone and redone, of graphs with sharing, cycles, sets and keys of any type, compared with a model
// that keeps all values of all objects.

import Reactive
import ReactiveCodable
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite struct RandomHistoryTests {
        enum Kind: Int, Codable, CaseIterable { case one, two, three }

        final class Node: Codable {
            let id: Int
            @Observable var name = ""
            @Observable var children: [Node] = []
            @Observable var friend: Node?
            @Observable var byKind: [Kind: Node] = [:]
            @Observable var tags: Set<Int> = []
            @Observable var path: [String?] = []
            init(_ id: Int) { self.id = id }

            /// The values, with objects replaced by their numbers.
            var state: String {
                let kinds = Kind.allCases.map { kind in byKind[kind].map { "\($0.id)" } ?? "-" }
                return "\(name) \(children.map(\.id)) \(friend?.id ?? -1) \(kinds) \(tags.sorted()) \(path)"
            }

            var neighbours: [Node] { children + [friend].compactMap(\.self) + byKind.values }
        }

        /// The values of the objects that the root reaches, by their numbers.
        private static func reachable(from root: Node) -> [Int: String] {
            var states: [Int: String] = [:]
            var open = [root]
            while let node = open.popLast() {
                if states[node.id] != nil { continue }
                states[node.id] = node.state
                open += node.neighbours
            }
            return states
        }

        /// Edits random objects.
        private static func edit(_ nodes: [Node], _ random: inout SplitMix64) {
            edit(nodes[Int.random(in: 0..<nodes.count, using: &random)], nodes, &random)
        }

        private static func edit(_ node: Node, _ nodes: [Node], _ random: inout SplitMix64) {
            func number(_ limit: Int) -> Int { Int.random(in: 0..<max(limit, 1), using: &random) }
            let other = nodes[number(nodes.count)]
            switch number(11) {
            case 0, 1: node.name += "\(number(10))"
            case 2: node.children.insert(other, at: number(node.children.count + 1))
            case 3 where !node.children.isEmpty: node.children.remove(at: number(node.children.count))
            case 4: node.children.shuffle(using: &random)
            case 5: node.friend = number(3) == 0 ? nil : other
            case 6: node.byKind[Kind.allCases[number(3)]] = number(2) == 0 ? nil : other
            case 7: node.tags.formSymmetricDifference([number(5)])
            case 8: node.path.append(number(2) == 0 ? nil : "p\(number(5))")
            case 9: node.path.removeAll { $0 == nil }
            default: if number(4) == 0 { node.children = [] }
            }
        }

        @Test func undoAndRedoAgreeWithAModel() throws {
            for seed in seeds(60) {
                var random = SplitMix64(seed: seed)
                let nodes = (0..<8).map(Node.init)
                // They refer to one another.
                defer { for node in nodes { (node.children, node.friend, node.byKind) = ([], nil, [:]) } }
                for _ in 0..<20 { RandomHistoryTests.edit(nodes, &random) }
                let root = nodes[0]
                let history = History(root, limit: .unlimited)
                var model = [RandomHistoryTests.reachable(from: root)]
                var position = 0
                func check(_ action: String) {
                    let found = RandomHistoryTests.reachable(from: root)
                    #expect(found == model[position], "seed \(seed): after \(action) at \(position)")
                    #expect(history.undoCount == position, "seed \(seed): after \(action)")
                    #expect(history.redoCount == model.count - 1 - position, "seed \(seed): after \(action)")
                }
                for _ in 0..<60 {
                    switch Int.random(in: 0..<6, using: &random) {
                    case 0 where history.canUndo:
                        try history.undo()
                        position -= 1
                        check("undo")
                    case 1 where history.canRedo:
                        try history.redo()
                        position += 1
                        check("redo")
                    case 2:
                        // Objects outside the graph may be changed freely.
                        let known = RandomHistoryTests.reachable(from: root)
                        for node in nodes where known[node.id] == nil {
                            RandomHistoryTests.edit(node, nodes, &random)
                        }
                        check("an edit outside")
                    default:
                        inTransaction {
                            for _ in 0...Int.random(in: 0..<3, using: &random) {
                                RandomHistoryTests.edit(nodes, &random)
                            }
                        }
                        if history.undoCount == position + 1, history.redoCount == 0 {
                            model.removeSubrange((position + 1)...)
                            model.append(RandomHistoryTests.reachable(from: root))
                            position += 1
                        }
                        check("an edit")
                    }
                }
                while history.canUndo {
                    try history.undo()
                    position -= 1
                    check("undo")
                }
                while history.canRedo {
                    try history.redo()
                    position += 1
                    check("redo")
                }
            }
        }
    }
}
