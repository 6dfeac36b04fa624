// Patches that are applied to collections, and files of collections.

import Foundation
import Reactive
import ReactiveCodable
import ReactiveCollections
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct CollectionApplyTests {
        final class Counter: @unchecked Sendable {
            // Sendable because each test uses one thread.
            var encoded = 0
            var decoded = 0
            @TaskLocal static var current: Counter?
        }

        final class Item: Codable {
            let id: Int
            @Observable var title: String
            enum CodingKeys: CodingKey { case id, title }

            init(_ id: Int) {
                self.id = id
                _title = Observable(wrappedValue: "item \(id)")
            }

            init(from decoder: any Decoder) throws {
                Counter.current?.decoded += 1
                let container = try decoder.container(keyedBy: CodingKeys.self)
                id = try container.decode(Int.self, forKey: .id)
                _title = try container.decode(Observable<String>.self, forKey: .title)
            }

            func encode(to encoder: any Encoder) throws {
                Counter.current?.encoded += 1
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(id, forKey: .id)
                try container.encode(_title, forKey: .title)
            }
        }

        struct Model: Codable {
            private(set) var items: ObservableArray<Item>
            private(set) var byName: ObservableDictionary<String, Item>
            private(set) var byNumber: ObservableDictionary<Int, Item>
            private(set) var numbers: ObservableArray<Int>
            private(set) var tags: ObservableSet<String>
            private(set) var grid: ObservableArray<ObservableArray<Int>>

            init(_ count: Int = 1_000) {
                items = ObservableArray((0..<count).map(Item.init))
                byName = ObservableDictionary(uniqueKeysWithValues: (0..<count).map { ("k\($0)", Item($0)) })
                byNumber = ObservableDictionary(uniqueKeysWithValues: (0..<count).map { ($0, Item($0)) })
                numbers = ObservableArray(0..<count)
                tags = ["a", "b"]
                grid = [[1], [2]]
            }
        }

        /// Applies a patch, and compares the graph with the patched document. Returns the cost of the second of two
        /// applications, since the first one searches for shared objects.
        @discardableResult
        private func cost(_ text: String, of model: Model) throws -> (encoded: Int, decoded: Int) {
            let patch = try JSONPatch(parsing: text)
            let before = try JSONValue(encoding: model)
            try apply([.replace(path: JSONPointer("/tags"), value: ["c"])], to: model)
            try apply([.replace(path: JSONPointer("/tags"), value: before["tags"] ?? .null)], to: model)
            let counter = Counter()
            try Counter.$current.withValue(counter) { try apply(patch, to: model) }
            #expect(try JSONValue(encoding: model) == patch.applying(to: before))
            return (counter.encoded, counter.decoded)
        }

        @Test(arguments: [
            (#"[{"op":"add","path":"/items/0","value":{"id":7,"title":"new"}}]"#, 0, 1),
            (#"[{"op":"add","path":"/items/-","value":{"id":7,"title":"new"}}]"#, 0, 1),
            (#"[{"op":"remove","path":"/items/500"}]"#, 1, 0),
            (#"[{"op":"move","from":"/items/3","path":"/items/900"}]"#, 1, 0),
            (#"[{"op":"replace","path":"/items/3/title","value":"x"}]"#, 1, 0),
            (#"[{"op":"add","path":"/byName/new","value":{"id":7,"title":"new"}}]"#, 0, 1),
            (#"[{"op":"remove","path":"/byName/k7"}]"#, 1, 0),
            (#"[{"op":"replace","path":"/byNumber/5/title","value":"x"}]"#, 1, 0),
            (#"[{"op":"remove","path":"/byNumber/5"}]"#, 1, 0),
        ])
        func anOperationCostsTheLengthOfItsPath(text: String, encoded: Int, decoded: Int) throws {
            let cost = try cost(text, of: Model())
            #expect(cost.encoded <= encoded && cost.decoded == decoded)
        }

        @Test func elementsBesideTheChangeKeepTheirIdentity() throws {
            let model = Model(10)
            let items = model.items.elements
            try cost(
                #"""
                [{"op":"move","from":"/items/2","path":"/items/7"},{"op":"remove","path":"/items/0"},
                 {"op":"replace","path":"/items/3","value":{"id":99,"title":"other"}},
                 {"op":"add","path":"/items/4","value":{"id":100,"title":"added"}},
                 {"op":"move","from":"/items/9","path":"/items/0"}]
                """#, of: model)
            let kept = model.items.elements.filter { item in items.contains { $0 === item } }.map(\.id)
            #expect(kept == [9, 1, 3, 4, 6, 7, 2, 8])
            #expect(model.items.map(\.id) == [9, 1, 3, 4, 99, 100, 6, 7, 2, 8])
        }

        @Test func severalOperationsOfOtherKinds() throws {
            let model = Model(6)
            let (items, grid) = (model.items, model.grid.elements)
            try cost(
                #"""
                [{"op":"test","path":"/items/1/id","value":1},{"op":"copy","from":"/items/1","path":"/byName/copy"},
                 {"op":"move","from":"/byName/k1","path":"/items/0"},
                 {"op":"move","from":"/items/2","path":"/byNumber/99"},
                 {"op":"replace","path":"/numbers/2","value":22},{"op":"move","from":"/numbers/0","path":"/numbers/5"},
                 {"op":"replace","path":"/tags","value":["b"]},{"op":"add","path":"/grid/0/0","value":5},
                 {"op":"add","path":"/grid/2","value":[7,8]},{"op":"remove","path":"/grid/1"}]
                """#, of: model)
            #expect(model.items === items && model.grid[0] === grid[0])
            #expect(model.numbers.elements == [1, 22, 3, 4, 5, 0])
            #expect(model.tags.elements == ["b"])
            try cost(#"[{"op":"replace","path":"/numbers","value":[5,1,6,22,3]}]"#, of: model)
            try cost(#"[{"op":"replace","path":"/items","value":[]}]"#, of: model)
        }

        @Test func aPatchThatDoesNotFitChangesNothing() throws {
            let model = Model(3)
            let before = try JSONValue(encoding: model)
            for text in [
                #"[{"op":"remove","path":"/items/0"},{"op":"add","path":"/numbers/0","value":"text"}]"#,
                #"[{"op":"remove","path":"/items/0"},{"op":"remove","path":"/items/2"}]"#,
                #"[{"op":"replace","path":"/byNumber","value":{"x":{"id":1,"title":""}}}]"#,
            ] {
                #expect(throws: JSONPatchError.self) { try apply(JSONPatch(parsing: text), to: model) }
                #expect(try JSONValue(encoding: model) == before)
            }
        }

        @Test func aSharedElementIsReplacedAndNotOverwritten() throws {
            let model = Model(2)
            model.byName["k0"] = model.items[0]
            let shared = model.items[0]
            try apply([.replace(path: JSONPointer("/items/0/title"), value: "own")], to: model)
            #expect(model.items[0] !== shared && model.items[0].title == "own")
            #expect(model.byName["k0"] === shared && shared.title == "item 0")
        }

        @Test func aJournalGrowsByTheChange() throws {
            try withFolder { folder in
                let url = folder.appendingPathComponent("model.json")
                let journal = url.appendingPathExtension("journal")
                let model = Model(1_000)
                let autosave = autosave(model, to: url, as: .journal, schedule: .custom { _ in })
                defer { autosave.cancel() }
                try autosave.flush()
                let size = try Data(contentsOf: journal).count
                model.items.insert(Item(7), at: 0)
                model.numbers.move(from: 0, to: 700)
                model.byName["k1"] = nil
                try autosave.flush()
                #expect(try Data(contentsOf: journal).count - size < 600)
                let loaded: Model = try load(from: url)
                #expect(try JSONValue(encoding: loaded) == JSONValue(encoding: model))
            }
        }
    }
}
