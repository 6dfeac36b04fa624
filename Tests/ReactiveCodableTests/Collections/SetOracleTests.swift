// Random edits of recorded sets. Each patch updates plain JSON and a second graph, forwards and backwards, to exactly
// the document that the set encodes, whatever order its elements have.

import Foundation
import JSONTestSupport
import Reactive
import ReactiveCodable
import ReactiveCollections
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct SetOracleTests {
        private final class Model: Codable {
            private(set) var tags: ObservableSet<Int>
            private(set) var nested: ObservableArray<ObservableSet<String>>

            init(_ random: inout SplitMix64) {
                tags = ObservableSet((0..<random.below(12)).map { _ in random.below(30) })
                nested = [["a", "b"], []]
            }
        }

        private struct Failure: Error {}

        /// Changes a set by a random method.
        private static func edit(_ set: ObservableSet<Int>, _ random: inout SplitMix64) {
            let some = (0..<random.below(5)).map { _ in random.below(30) }
            switch random.below(14) {
            case 0...3: set.insert(random.below(30))
            case 4...6: if let element = set.elements.sorted().randomElement(using: &random) { set.remove(element) }
            case 7: set.formUnion(some)
            case 8: set.subtract(some)
            case 9: set.formSymmetricDifference(some)
            case 10: if random.oneIn(3) { set.removeAll() }
            case 11: set.removeAll { $0 % 5 == 0 }
            case 12: _ = set.popFirst()
            default:
                // Inserts a removed element again, in a row of its own or of a different element.
                let elements = set.elements.sorted().prefix(3)
                for element in elements { set.remove(element) }
                for element in elements { set.insert(element) }
            }
        }

        private static func edit(_ model: Model, _ random: inout SplitMix64) {
            switch random.below(6) {
            case 0:
                let set = model.nested[random.below(2)]
                if !set.insert(String(random.pick(Array("abcdef")))).inserted { set.removeAll() }
            case 1 where model.nested.count > 1: model.nested.swapAt(0, 1)
            default: edit(model.tags, &random)
            }
        }

        /// One transaction, or several single changes. `look` is called in the middle.
        private static func change(_ model: Model, _ random: inout SplitMix64, _ look: () -> Void) {
            switch random.below(4) {
            case 0: edit(model, &random)
            case 1: inTransaction { for _ in 0...random.below(4) { edit(model, &random) } }
            case 2:
                inTransaction {
                    edit(model, &random)
                    try? inTransaction {
                        for _ in 0...random.below(3) { edit(model, &random) }
                        look()
                        throw Failure()
                    }
                    if random.oneIn(2) { look() }
                    edit(model, &random)
                }
            default:
                try? inTransaction {
                    for _ in 0...random.below(4) { edit(model, &random) }
                    look()
                    throw Failure()
                }
            }
        }

        /// An observed graph, and its document according to the patches.
        private final class Replica {
            let model: Model
            var document: JSONValue
            var patches: [JSONPatch] = []
            private var observation: Reaction?

            init(_ model: Model, _ document: JSONValue) {
                self.model = model
                self.document = document
                observation = deepObserve(model, of: self) { replica, changes in
                    guard let patch = try? changes.jsonPatch() else { return }
                    replica.patches.append(patch)
                }
            }

            /// Takes the patches of the last changes, and applies each forwards and backwards.
            func takePatches(_ comment: Comment) throws -> [JSONPatch] {
                defer { patches = [] }
                for patch in patches {
                    let next = try NaiveJSONPatch.apply(patch, to: document)
                    #expect(try NaiveJSONPatch.apply(patch.inverse, to: next) == document, comment)
                    document = next
                }
                #expect(try JSONValue(encoding: model) == document, comment)
                return patches
            }
        }

        @Test func replicasThatExchangePatchesStayTheSame() throws {
            for seed in seeds(60) {
                let comment: Comment = "seed \(seed)"
                var random = SplitMix64(seed: seed)
                let first = Model(&random)
                let document = try JSONValue(encoding: first)
                let replicas = [
                    Replica(first, document), Replica(try document.decoded(as: Model.self), document),
                ]
                for _ in 0..<25 {
                    let sender = random.below(2)
                    Self.change(replicas[sender].model, &random) {}
                    for patch in try replicas[sender].takePatches(comment) {
                        try apply(patch, to: replicas[1 - sender].model)
                    }
                    _ = try replicas[1 - sender].takePatches(comment)
                    #expect(replicas[0].document == replicas[1].document, comment)
                    #expect(replicas[0].model.tags == replicas[1].model.tags, comment)
                }
            }
        }

        /// Observers that read inside transactions see roll-backs. Undo restores the order, too.
        @Test func stepsRestoreDocuments() throws {
            for seed in seeds(60) {
                let comment: Comment = "seed \(seed)"
                var random = SplitMix64(seed: seed)
                let model = Model(&random)
                // The documents by number of steps, as far as they are known.
                var documents = [0: try JSONValue(encoding: model)]
                let start = try #require(documents[0])
                let history = History(model)
                defer { history.end() }
                let replica = Replica(model, start)
                for _ in 0..<25 {
                    if random.oneIn(3) {
                        if random.oneIn(3) {
                            if history.canRedo { try history.redo() }
                        } else if history.canUndo {
                            try history.undo()
                        }
                    } else {
                        let count = history.undoCount
                        Self.change(model, &random) { history.seal() }
                        if history.undoCount > count { documents = documents.filter { $0.key <= count } }
                    }
                    _ = try replica.takePatches(comment)
                    let document = try JSONValue(encoding: model)
                    #expect(documents[history.undoCount] ?? document == document, comment)
                    documents[history.undoCount] = document
                }
                let log = history.log
                let last = try JSONValue(encoding: model)
                while history.canUndo { try history.undo() }
                #expect(try JSONValue(encoding: model) == start, comment)
                let copy = try start.decoded(as: Model.self)
                for entry in log.done { try apply(entry.patch, to: copy) }
                #expect(try JSONValue(encoding: copy) == last, comment)
            }
        }

        /// Arbitrary edits of the array that a set is encoded as, by any program.
        @Test func foreignPatchesAreAppliedExactly() throws {
            for seed in seeds(60) {
                let comment: Comment = "seed \(seed)"
                var random = SplitMix64(seed: seed)
                let set = ObservableSet((0..<8).map { _ in random.below(30) })
                var document = try JSONValue(encoding: set)
                for _ in 0..<25 {
                    guard case .array(let array) = document else { throw Failure() }
                    var elements = Array(array)
                    if random.oneIn(4) {
                        elements.shuffle(using: &random)
                    }
                    for _ in 0..<random.below(3) where !elements.isEmpty {
                        elements.remove(at: random.below(elements.count))
                    }
                    for _ in 0..<random.below(3) {
                        let value = JSONValue.number(JSONNumber(random.below(40)))
                        if !elements.contains(value) { elements.insert(value, at: random.below(elements.count + 1)) }
                    }
                    let next = JSONValue.array(JSONArray(elements))
                    let patch =
                        random.oneIn(5)
                        ? JSONPatch([.replace(path: .root, value: next)]) : JSONPatch(from: document, to: next)
                    let model = set
                    try apply(patch, to: model)
                    #expect(try JSONValue(encoding: set) == next, "\(comment): \(patch) on \(document)")
                    if random.oneIn(4) { set.insert(random.below(40)) }
                    document = try JSONValue(encoding: set)
                }
            }
        }
    }
}
