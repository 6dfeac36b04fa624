// Patches that do not fit collections: the error names the operation and the path, and nothing is written.

import Foundation
import Reactive
import ReactiveCodable
import ReactiveCollections
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct CollectionMisfitTests {
        private final class Item: Codable {
            let id: Int
            @Observable var title: String

            init(_ id: Int) {
                self.id = id
                _title = Observable(wrappedValue: "item \(id)")
            }
        }

        private final class Model: Codable {
            private(set) var items = ObservableArray((0..<4).map(Item.init))
            private(set) var numbers: ObservableArray = [1, 2, 3]
            private(set) var byName = ObservableDictionary(uniqueKeysWithValues: [("a", Item(10)), ("b", Item(11))])
            private(set) var byNumber: ObservableDictionary = [1: "one", 2: "two"]
            private(set) var tags: ObservableSet = ["x", "y", "z"]
        }

        /// Operations of each kind on each collection, all of which fit.
        private static let fitting = [
            #"{"op":"add","path":"/items/0","value":{"id":9,"title":"new"}}"#, #"{"op":"remove","path":"/items/4"}"#,
            #"{"op":"move","from":"/numbers/0","path":"/numbers/2"}"#,
            #"{"op":"replace","path":"/byNumber/1","value":"1"}"#,
            #"{"op":"move","from":"/byName/a","path":"/byName/c"}"#,
            #"{"op":"replace","path":"/byName/b/title","value":"B"}"#,
            #"{"op":"remove","path":"/tags/1"}"#, #"{"op":"add","path":"/tags/0","value":"w"}"#,
        ]

        /// Each with the path and some words of the error. The fitting operations are applied before it: four items,
        /// three numbers, three tags.
        @Test(arguments: [
            // Positions.
            (#"{"op":"remove","path":"/items/4"}"#, "/items/4", "4"),
            (#"{"op":"add","path":"/items/5","value":{"id":1,"title":""}}"#, "/items/5", "5"),
            (#"{"op":"replace","path":"/numbers/3","value":1}"#, "/numbers/3", "3"),
            (#"{"op":"remove","path":"/numbers/-"}"#, "/numbers/-", ""),
            (#"{"op":"remove","path":"/numbers/01"}"#, "/numbers/01", ""),
            (#"{"op":"add","path":"/items/x","value":{"id":1,"title":""}}"#, "/items/x", ""),
            (#"{"op":"remove","path":"/tags/3"}"#, "/tags/3", "3"),
            (#"{"op":"add","path":"/tags/4","value":"v"}"#, "/tags/4", "4"),
            (#"{"op":"replace","path":"/items/7/title","value":"x"}"#, "/items/7/title", "7"),
            // Keys.
            (#"{"op":"remove","path":"/byName/a"}"#, "/byName/a", ""),
            (#"{"op":"replace","path":"/byName/zz","value":{"id":1,"title":""}}"#, "/byName/zz", ""),
            (#"{"op":"remove","path":"/byNumber/3"}"#, "/byNumber/3", ""),
            (#"{"op":"add","path":"/byNumber/x","value":"text"}"#, "/byNumber/x", "x"),
            (#"{"op":"add","path":"/byNumber/01","value":"text"}"#, "/byNumber/01", "spellings"),
            // Origins.
            (#"{"op":"move","from":"/items/4","path":"/items/0"}"#, "/items/4", "4"),
            (#"{"op":"move","from":"/byName/a","path":"/items/0"}"#, "/byName/a", ""),
            (#"{"op":"copy","from":"/tags/3","path":"/tags/0"}"#, "/tags/3", "3"),
            (#"{"op":"move","from":"/tags/3","path":"/tags/0"}"#, "/tags/3", "3"),
            (#"{"op":"move","from":"/items/0","path":"/items/0/title"}"#, "/items/0/title", ""),
            // Types.
            (#"{"op":"add","path":"/numbers/1","value":"text"}"#, "/numbers/1", "Int"),
            (#"{"op":"replace","path":"/numbers/1","value":null}"#, "/numbers/1", "Int"),
            (#"{"op":"add","path":"/items/1","value":{"id":1}}"#, "/items/1", "title"),
            (#"{"op":"add","path":"/items/1","value":{"id":"x","title":""}}"#, "/items/1/id", "Int"),
            (#"{"op":"add","path":"/byName/n","value":7}"#, "/byName/n", ""),
            (#"{"op":"replace","path":"/byNumber/2","value":[1]}"#, "/byNumber/2", "String"),
            (#"{"op":"add","path":"/tags/1","value":5}"#, "/tags/1", "String"),
            (#"{"op":"replace","path":"/tags/1","value":null}"#, "/tags/1", "String"),
            (#"{"op":"copy","from":"/numbers/0","path":"/tags/-"}"#, "/tags/3", "String"),
            (#"{"op":"move","from":"/items/0","path":"/tags/0"}"#, "/tags/0", "String"),
            (#"{"op":"replace","path":"/tags","value":{"x":1}}"#, "/tags", "Array"),
            (#"{"op":"replace","path":"/tags","value":["a",1]}"#, "/tags/1", "String"),
            (#"{"op":"replace","path":"/items","value":null}"#, "/items", ""),
            (#"{"op":"replace","path":"/byName","value":[]}"#, "/byName", ""),
            (#"{"op":"remove","path":"/numbers"}"#, "/numbers", ""),
            (#"{"op":"remove","path":"/items/0/title"}"#, "/items/0", "title"),
            // Tests.
            (#"{"op":"test","path":"/tags/0","value":"x"}"#, "/tags/0", ""),
            (#"{"op":"test","path":"/byNumber/1","value":"one"}"#, "/byNumber/1", ""),
        ])
        func theErrorNamesThePathAndTheCollectionStays(misfit: String, path: String, reason: String) throws {
            let model = Model()
            let (items, named) = (model.items.elements, model.byName["a"])
            var runs = 0
            let reactions = [
                deepObserve(model) { runs += 1 }, autorun { runs += model.tags.contains("w") ? 1 : 0 },
                autorun { if model.items.count + model.byName.count != 6 { runs += 1 } },
            ]
            defer { reactions.forEach { $0.cancel() } }
            let history = History(model)
            defer { history.end() }
            let before = try JSONValue(encoding: model)
            let operations = Self.fitting + [misfit, #"{"op":"replace","path":"/byNumber/1","value":"one"}"#]
            let patch = try JSONPatch(parsing: "[\(operations.joined(separator: ","))]")
            let error = #expect(throws: JSONPatchError.self) { try apply(patch, to: model) }
            #expect(error?.index == Self.fitting.count)
            #expect(error?.path?.description == path)
            let text = try #require(error?.description)
            #expect(text.contains(path) && (reason.isEmpty || error?.reason.contains(reason) == true), "\(text)")
            #expect(try JSONValue(encoding: model) == before)
            #expect(model.items.elements.map(ObjectIdentifier.init) == items.map(ObjectIdentifier.init))
            #expect(model.byName["a"] === named && runs == 0 && !history.canUndo)
            // The patch without the misfit is still applied.
            try apply(JSONPatch(parsing: "[\(Self.fitting.joined(separator: ","))]"), to: model)
            #expect(
                model.tags.elements == ["w", "x", "z"] && model.numbers.elements == [2, 3, 1] && history.undoCount == 1)
        }
    }
}
