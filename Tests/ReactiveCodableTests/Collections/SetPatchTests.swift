// Sets in patches, journals and histories: one element is one operation, at its position in the document.

import Foundation
import JSONTestSupport
import Reactive
import ReactiveCodable
import ReactiveCollections
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct SetPatchTests {
        private final class Counter: @unchecked Sendable {
            // Sendable because each test uses one thread.
            var encoded = 0
            var decoded = 0
            var compared = 0
            var hashed = 0
            @TaskLocal static var current: Counter?
        }

        /// An element that counts its encodings, comparisons and hash values.
        private struct Tag: Hashable, Codable {
            let name: String

            init(_ name: String) { self.name = name }

            init(from decoder: any Decoder) throws {
                Counter.current?.decoded += 1
                name = try decoder.singleValueContainer().decode(String.self)
            }

            func encode(to encoder: any Encoder) throws {
                Counter.current?.encoded += 1
                var container = encoder.singleValueContainer()
                try container.encode(name)
            }

            static func == (a: Tag, b: Tag) -> Bool {
                Counter.current?.compared += 1
                return a.name == b.name
            }

            func hash(into hasher: inout Hasher) {
                Counter.current?.hashed += 1
                hasher.combine(name)
            }
        }

        private final class Model: Codable {
            private(set) var tags: ObservableSet<Tag>

            init(_ count: Int) { tags = ObservableSet((0..<count).map { Tag("t\($0)") }) }

            init(_ names: [String]) { tags = ObservableSet(names.map(Tag.init)) }

            var names: Set<String> { Set(tags.map(\.name)) }
        }

        private func document(_ names: [String]) -> JSONValue {
            ["tags": .array(JSONArray(names.map { .string($0) }))]
        }

        /// Returns the patches of edits, each checked against the documents before and after.
        private func patches(of model: Model, _ edits: [() -> Void]) throws -> [String] {
            var changes: [DeepChanges] = []
            let observation = deepObserve(model) { changes.append($0) }
            defer { observation.cancel() }
            return try edits.map { edit in
                let before = try JSONValue(encoding: model)
                changes = []
                edit()
                let after = try JSONValue(encoding: model)
                try #require(changes.count == 1)
                let patch = try changes[0].jsonPatch()
                #expect(try NaiveJSONPatch.apply(patch, to: before) == after)
                #expect(try NaiveJSONPatch.apply(patch.inverse, to: after) == before)
                #expect(try JSONValue(encoding: changes[0].before) == before)
                return patch.description
            }
        }

        @Test func oneElementIsOneOperation() throws {
            let model = Model(["a", "b", "c", "d"])
            let patches = try patches(
                of: model,
                [
                    { model.tags.remove(Tag("b")) },
                    { model.tags.insert(Tag("e")) },
                    { model.tags.formSymmetricDifference([Tag("a"), Tag("f")]) },
                    { model.tags.removeAll() },
                    { model.tags.insert(Tag("a")) },
                ])
            #expect(
                patches == [
                    #"[{"op":"remove","path":"/tags/1"}]"#,
                    #"[{"op":"add","path":"/tags/3","value":"e"}]"#,
                    #"[{"op":"remove","path":"/tags/0"},{"op":"add","path":"/tags/3","value":"f"}]"#,
                    #"[{"op":"replace","path":"/tags","value":[]}]"#,
                    #"[{"op":"add","path":"/tags/0","value":"a"}]"#,
                ])
        }

        /// An element that is removed and inserted again in a transaction becomes the last one.
        @Test func anElementThatIsInsertedAgainHasMoved() throws {
            let model = Model(["a", "b", "c"])
            let patches = try patches(
                of: model,
                [
                    {
                        inTransaction {
                            model.tags.remove(Tag("a"))
                            model.tags.insert(Tag("a"))
                            model.tags.insert(Tag("d"))
                        }
                    }
                ])
            #expect(try JSONValue(encoding: model) == document(["b", "c", "a", "d"]))
            #expect(
                patches == [
                    #"[{"from":"/tags/0","op":"move","path":"/tags/2"},{"op":"add","path":"/tags/3","value":"d"}]"#
                ])
        }

        @Test func aTransactionThatRestoresTheElementsIsNoChange() throws {
            let model = Model(["a", "b"])
            var count = 0
            let observation = deepObserve(model) { count += 1 }
            defer { observation.cancel() }
            inTransaction {
                model.tags.remove(Tag("a"))
                model.tags.insert(Tag("a"))
            }
            #expect(try count == 0 && JSONValue(encoding: model) == document(["a", "b"]))
        }

        // MARK: - Costs

        private func count(_ body: () throws -> Void) rethrows -> Counter {
            let counter = Counter()
            try Counter.$current.withValue(counter, operation: body)
            return counter
        }

        /// The work per element does not depend on the number of elements.
        @Test(arguments: [100, 10_000])
        func aChangeCostsOneElement(size: Int) throws {
            let model = Model(size)
            var patch = JSONPatch([])
            let observation = deepObserve(model) { changes in
                do { patch = try changes.jsonPatch() } catch { Issue.record(error) }
            }
            defer { observation.cancel() }
            let history = History(model)
            defer { history.end() }
            // Both observers encode an added element, and the patch contains it.
            func expectCost(_ counter: Counter, encoded: Int, decoded: Int = 0) {
                #expect(counter.encoded <= encoded && counter.decoded <= decoded)
                #expect(counter.compared <= 20 && counter.hashed <= 20)
            }
            expectCost(count { model.tags.insert(Tag("new")) }, encoded: 3)
            #expect(patch.description == #"[{"op":"add","path":"/tags/\#(size)","value":"new"}]"#)
            expectCost(count { model.tags.remove(Tag("t50")) }, encoded: 1)
            #expect(patch.description == #"[{"op":"remove","path":"/tags/50"}]"#)
            expectCost(try count { try history.undo() }, encoded: 3)
            #expect(patch.description == #"[{"op":"add","path":"/tags/50","value":"t50"}]"#)
            expectCost(try count { try history.redo() }, encoded: 1)
            let add = try JSONPatch([.add(path: JSONPointer("/tags/7"), value: "x")])
            let remove = try JSONPatch([.remove(path: JSONPointer("/tags/7"))])
            try apply(add, to: model)
            try apply(remove, to: model)
            expectCost(try count { try apply(add, to: model) }, encoded: 3, decoded: 1)
            expectCost(try count { try apply(remove, to: model) }, encoded: 2)
        }

        // MARK: - Foreign patches

        @Test(arguments: [
            (#"[{"op":"move","from":"/tags/3","path":"/tags/0"}]"#, ["d", "a", "b", "c"]),
            (#"[{"op":"remove","path":"/tags/1"},{"op":"add","path":"/tags/1","value":"b"}]"#, ["a", "b", "c", "d"]),
            (#"[{"op":"remove","path":"/tags/0"},{"op":"add","path":"/tags/2","value":"a"}]"#, ["b", "c", "a", "d"]),
            (#"[{"op":"replace","path":"/tags/0","value":"x"}]"#, ["x", "b", "c", "d"]),
            (#"[{"op":"replace","path":"/tags","value":["d","x","a"]}]"#, ["d", "x", "a"]),
            (#"[{"op":"replace","path":"/tags","value":["d","c","b","a"]}]"#, ["d", "c", "b", "a"]),
            (
                #"[{"op":"replace","path":"/tags/0","value":"b"},{"op":"replace","path":"/tags/1","value":"a"}]"#,
                ["b", "a", "c", "d"]
            ),
            (
                #"[{"op":"test","path":"/tags/2","value":"c"},{"op":"add","path":"/tags/-","value":"e"}]"#,
                ["a", "b", "c", "d", "e"]
            ),
            // Elements that the set already has stay at their positions.
            (#"[{"op":"add","path":"/tags/0","value":"c"}]"#, ["a", "b", "c", "d"]),
            (
                #"[{"op":"add","path":"/tags/0","value":"x"},{"op":"add","path":"/tags/3","value":"x"}]"#,
                ["x", "a", "b", "c", "d"]
            ),
            (#"[{"op":"add","path":"/tags/0","value":"d"},{"op":"remove","path":"/tags/4"}]"#, ["d", "a", "b", "c"]),
        ])
        func foreignPatchesAreApplied(text: String, names: [String]) throws {
            let model = Model(["a", "b", "c", "d"])
            let tags = model.tags
            var patches: [JSONPatch] = []
            let observation = deepObserve(model) { changes in
                do { patches.append(try changes.jsonPatch()) } catch { Issue.record(error) }
            }
            defer { observation.cancel() }
            let before = try JSONValue(encoding: model)
            try apply(JSONPatch(parsing: text), to: model)
            #expect(model.tags === tags && model.names == Set(names))
            #expect(try JSONValue(encoding: model) == document(names))
            #expect(try patches.reduce(before) { try NaiveJSONPatch.apply($1, to: $0) } == document(names))
        }

        @Test func onlyObserversOfChangedElementsRun() throws {
            let model = Model(["a", "b", "c"])
            var runs: [String] = []
            let reactions = [
                autorun { runs.append("count \(model.tags.count)") },
                autorun { runs.append("b \(model.tags.contains(Tag("b")))") },
                autorun { runs.append("elements \(model.tags.snapshot.count)") },
            ]
            defer { reactions.forEach { $0.cancel() } }
            runs = []
            try apply(JSONPatch([.move(from: JSONPointer("/tags/2"), path: JSONPointer("/tags/0"))]), to: model)
            #expect(runs.isEmpty)
            try apply(JSONPatch([.remove(path: JSONPointer("/tags/0"))]), to: model)
            #expect(runs == ["count 2", "elements 2"])
        }

        // MARK: - Files and histories

        @Test func aJournalOfASetIsShort() throws {
            try withFolder { folder in
                let url = folder.appendingPathComponent("model.json")
                let journal = url.appendingPathExtension("journal")
                let model = Model(1_000)
                let autosave = autosave(model, to: url, as: .journal, schedule: .custom { _ in })
                defer { autosave.cancel() }
                try autosave.flush()
                let size = try Data(contentsOf: journal).count
                model.tags.remove(Tag("t5"))
                model.tags.insert(Tag("new"))
                model.tags.insert(Tag("t5"))
                try autosave.flush()
                #expect(try Data(contentsOf: journal).count - size < 400)
                let loaded: Model = try load(from: url)
                #expect(try JSONValue(encoding: loaded) == JSONValue(encoding: model))
            }
        }

        @Test func undoRestoresTheOrder() throws {
            let model = Model(["a", "b", "c", "d"])
            let history = History(model)
            defer { history.end() }
            model.tags.removeAll { $0.name != "c" }
            model.tags.removeAll()
            model.tags.formUnion([Tag("d"), Tag("a")])
            try history.undo()
            try history.undo()
            #expect(try JSONValue(encoding: model) == document(["c"]))
            try history.undo()
            #expect(try JSONValue(encoding: model) == document(["a", "b", "c", "d"]))
            while history.canRedo { try history.redo() }
            #expect(try JSONValue(encoding: model) == document(["d", "a"]))
        }

        /// Equal to others with the same name and any color.
        private struct Label: Hashable, Codable {
            let name: String
            let color: Int
            static func == (a: Label, b: Label) -> Bool { a.name == b.name }
            func hash(into hasher: inout Hasher) { hasher.combine(name) }
        }

        /// An element cannot replace the one at its position while the set still has an equal element elsewhere.
        @Test func undoRestoresElementsThatWereInsertedAgainInADifferentOrder() throws {
            struct Labels: Codable {
                private(set) var labels: ObservableSet<Label>
            }
            let model = Labels(labels: [Label(name: "a", color: 1), Label(name: "b", color: 1)])
            let before = try JSONValue(encoding: model)
            let history = History(model)
            defer { history.end() }
            inTransaction {
                model.labels.removeAll()
                for name in ["b", "a", "c"] { model.labels.insert(Label(name: name, color: 2)) }
            }
            let after = try JSONValue(encoding: model)
            #expect(before != after)
            try history.undo()
            #expect(try JSONValue(encoding: model) == before)
            try history.redo()
            #expect(try JSONValue(encoding: model) == after)
        }

        /// A different process, which hashes differently, reads a log and its document.
        @Test func aLogFitsTheDocument() throws {
            let model = Model(["a", "b", "c", "d"])
            let history = History(model)
            defer { history.end() }
            model.tags.remove(Tag("b"))
            model.tags.insert(Tag("e"))
            model.tags.insert(Tag("b"))
            try history.undo()
            let copy = try JSONValue(encoding: model).decoded(as: Model.self)
            let resumed = try History(copy, log: history.log)
            defer { resumed.end() }
            try resumed.redo()
            #expect(try JSONValue(encoding: copy) == document(["a", "c", "d", "e", "b"]))
            while resumed.canUndo { try resumed.undo() }
            #expect(try JSONValue(encoding: copy) == document(["a", "b", "c", "d"]))
        }

        @Test func untrackedChangesStay() throws {
            let model = Model(["a", "b", "c"])
            let history = History(model)
            defer { history.end() }
            model.tags.remove(Tag("a"))
            model.tags.insert(Tag("d"))
            history.untracked {
                model.tags.remove(Tag("b"))
                model.tags.insert(Tag("x"))
                model.tags.insert(Tag("a"))
            }
            try history.undo()
            #expect(model.names == ["a", "c", "x"])
            try history.undo()
            #expect(model.names == ["a", "c", "x"])
            try history.redo()
            #expect(model.names == ["c", "x"])
        }

        // MARK: - Elements with observables

        private final class Item: Codable, Hashable {
            let id: Int
            @Observable var title: String

            init(_ id: Int) {
                self.id = id
                _title = Observable(wrappedValue: "item \(id)")
            }

            static func == (a: Item, b: Item) -> Bool { a.id == b.id }
            func hash(into hasher: inout Hasher) { hasher.combine(id) }
        }

        @Test func elementsAreObservedAtTheirPositions() throws {
            struct Model: Codable { private(set) var items: ObservableSet<Item> }
            let items = (0..<4).map(Item.init)
            let model = Model(items: ObservableSet(items))
            var pointers: [String] = []
            let observation = deepObserve(model) { pointers += $0.map(\.pointer) }
            defer { observation.cancel() }
            items[2].title = "x"
            model.items.remove(items[0])
            items[2].title = "y"
            model.items.insert(items[0])
            items[0].title = "z"
            #expect(pointers == ["/items/2/title", "/items", "/items/1/title", "/items", "/items/3/title"])
            try apply([.replace(path: JSONPointer("/items/1/title"), value: "patched")], to: model)
            #expect(items[2].title == "patched")
        }
    }
}
