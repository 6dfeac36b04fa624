// Which elements of a collection a patch writes, and how: an element is moved, replaced, or not touched at all.

import Foundation
import Reactive
import ReactiveCodable
import ReactiveCollections
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct CollectionWritesTests {
        private struct Part: Codable {
            var size: Int
            @Observable var note = "-"
        }

        /// Each write of an element or a member counts as a change.
        private struct Model: Codable {
            private(set) var numbers = ObservableArray([0, 1, 2, 3, 4, 5], equals: .never)
            private(set) var others: ObservableArray = [10, 11]
            private(set) var parts = ObservableArray((0..<3).map { Part(size: $0) }, equals: .never)
            private(set) var grid = ObservableArray([ObservableArray([1]), ObservableArray([2])], equals: .never)
            private(set) var ages = ObservableDictionary(["a": 1, "b": 2], equals: .never)
            private(set) var otherAges = ObservableDictionary(["a": 3, "c": 4], equals: .never)
            private(set) var byName = ObservableDictionary(
                ["a": Part(size: 1), "b": Part(size: 2), "d": Part(size: 4)], equals: .never)
            private(set) var lists = ObservableDictionary(["a": ObservableArray([1])], equals: .never)
        }

        /// Applies a patch, and compares the document with the patched one.
        private func check(
            _ text: String, on root: some Codable, _ encoder: JSONEncoder = JSONEncoder(),
            _ decoder: JSONDecoder = JSONDecoder()
        ) throws {
            let patch = try JSONPatch(parsing: text)
            let expected = try patch.applying(to: JSONValue(encoding: root, using: encoder))
            try apply(patch, to: root, encoder: encoder, decoder: decoder)
            #expect(try JSONValue(encoding: root, using: encoder) == expected)
        }

        // MARK: - Elements

        @Test(arguments: [
            // An element that is only read is not written.
            (
                #"[{"op":"test","path":"/numbers/2","value":2},{"op":"add","path":"/numbers/-","value":9}]"#,
                ["insert(9, at: 6)"]
            ),
            (#"[{"op":"move","from":"/numbers/5","path":"/numbers/0"}]"#, ["move(5, from: 5, to: 0)"]),
            (#"[{"op":"move","from":"/numbers/0","path":"/numbers/5"}]"#, ["move(0, from: 0, to: 5)"]),
            // New elements at the positions of removed ones replace them.
            (#"[{"op":"replace","path":"/numbers/1","value":7}]"#, ["update(7, at: 1, was: 1)"]),
            (
                #"[{"op":"replace","path":"/numbers/0","value":7},{"op":"replace","path":"/numbers/1","value":8},"#
                    + #"{"op":"replace","path":"/numbers/4","value":9}]"#,
                ["update(7, at: 0, was: 0)", "update(8, at: 1, was: 1)", "update(9, at: 4, was: 4)"]
            ),
            (
                #"[{"op":"replace","path":"/numbers/1","value":7},{"op":"add","path":"/numbers/2","value":8}]"#,
                ["insert(8, at: 2)", "update(7, at: 1, was: 1)"]
            ),
            (
                #"[{"op":"remove","path":"/numbers/1"},{"op":"replace","path":"/numbers/1","value":7}]"#,
                ["remove(2, at: 2)", "update(7, at: 1, was: 1)"]
            ),
            // No element was removed at the position of the new one.
            (
                #"[{"op":"add","path":"/numbers/0","value":7},{"op":"remove","path":"/numbers/3"}]"#,
                ["insert(7, at: 0)", "remove(2, at: 2)"]
            ),
        ])
        func elementsAreMovedOrReplacedAndTheOthersStay(text: String, edits: [String]) throws {
            let model = Model()
            var changes: [String] = []
            let observing = reaction(to: model.numbers) { changes += $0.map(\.description) }
            defer { observing.cancel() }
            try check(text, on: model)
            #expect(changes.sorted() == edits)
        }

        @Test func anElementThatMovesAndChangesKeepsItsRow() throws {
            let model = Model()
            var changes: [String] = []
            let observing = reaction(to: model.parts) { edits in
                for edit in edits {
                    switch edit {
                    case .move(_, let from, let to): changes.append("move \(from) \(to)")
                    case .update(let part, let index, _): changes.append("update \(index) \(part.size)")
                    case .insert, .remove: changes.append("other")
                    }
                }
            }
            defer { observing.cancel() }
            try check(
                #"[{"op":"move","from":"/parts/2","path":"/parts/0"},{"op":"replace","path":"/parts/0/size","value":7}]"#,
                on: model)
            #expect(changes == ["move 2 0", "update 0 7"])
        }

        @Test func elementsOfADifferentCollectionAreInserted() throws {
            let model = Model()
            try check(
                """
                [{"op":"move","from":"/numbers/1","path":"/others/1"},\
                {"op":"move","from":"/otherAges/a","path":"/ages/a"},\
                {"op":"move","from":"/otherAges/c","path":"/ages/c"}]
                """, on: model)
            #expect(model.others.elements == [10, 1, 11])
        }

        @Test func aCollectionGetsTheContentsOfADifferentOne() throws {
            let model = Model()
            try check(
                """
                [{"op":"move","from":"/numbers","path":"/others"},{"op":"add","path":"/numbers","value":[9]},\
                {"op":"move","from":"/ages","path":"/otherAges"},{"op":"add","path":"/ages","value":{"z":9}}]
                """, on: model)
            #expect(model.others.elements == [0, 1, 2, 3, 4, 5])
        }

        @Test func aChangeInsideACollectionDoesNotWriteTheOneAroundIt() throws {
            let model = Model()
            var changes: [String] = []
            let observing = reaction(to: model.grid) { edits in
                changes += edits.map { String($0.description.prefix { $0 != "(" }) }
            }
            var runs = 0
            let reading = autorun { runs += model.lists["a"] == nil ? 0 : 1 }
            defer { for reaction in [observing, reading] { reaction.cancel() } }
            try check(
                """
                [{"op":"add","path":"/grid/0/0","value":5},{"op":"add","path":"/grid/-","value":[7]},\
                {"op":"add","path":"/lists/a/0","value":5},{"op":"add","path":"/lists/c","value":[8]}]
                """, on: model)
            #expect(changes == ["insert"])
            #expect(runs == 1)
        }

        /// Both paths get the change, but it is one.
        @Test func aCollectionWithTwoPathsIsWrittenOnce() throws {
            struct Twice: Codable {
                private(set) var first: ObservableArray<Int>
                private(set) var second: ObservableArray<Int>
            }
            let numbers: ObservableArray = [1, 2]
            try check(
                #"[{"op":"add","path":"/first/0","value":9},{"op":"add","path":"/second/0","value":9}]"#,
                on: Twice(first: numbers, second: numbers))
            #expect(numbers.elements == [9, 1, 2])
        }

        /// Its decoder knows where it will be.
        @Test func aNewElementKnowsItsPosition() throws {
            struct Placed: Codable {
                var path = ""
                init() {}
                init(from decoder: any Decoder) throws {
                    path = decoder.codingPath.map(\.stringValue).joined(separator: "/")
                }
            }
            struct List: Codable { private(set) var items = ObservableArray([Placed(), Placed()]) }
            let list = List()
            try apply(
                JSONPatch(
                    parsing: #"[{"op":"add","path":"/items/2","value":{}},{"op":"add","path":"/items/3","value":{}}]"#
                ), to: list)
            #expect(list.items.map(\.path) == ["", "", "items/Index 2", "items/Index 3"])
        }

        // MARK: - Members

        @Test func membersThatAreOnlyReadAreNotWritten() throws {
            let model = Model()
            var runs = 0
            let reading = autorun { runs += model.ages["a"] == nil ? 0 : 1 }
            defer { reading.cancel() }
            try check(
                #"[{"op":"test","path":"/ages/a","value":1},{"op":"add","path":"/ages/c","value":3}]"#, on: model)
            #expect(runs == 1)
        }

        @Test func membersAreRenamedChangedAndRemoved() throws {
            let model = Model()
            try check(
                """
                [{"op":"replace","path":"/byName/a/size","value":5},{"op":"remove","path":"/byName/d"},\
                {"op":"move","from":"/byName/b","path":"/byName/c"}]
                """, on: model)
            #expect(model.byName["c"]?.size == 2)
            // All members are read first.
            try check(#"[{"op":"replace","path":"/ages","value":{"b":7,"c":8}}]"#, on: model)
            #expect(model.ages.keys.sorted() == ["b", "c"])
        }

        @Test func strategiesForKeysApplyToNumbers() throws {
            struct Named: Codable {
                private(set) var byName = ObservableDictionary(["a": 1], equals: .never)
                private(set) var byNumber = ObservableDictionary([1: "one", 2: "two"])
            }
            struct Key: CodingKey {
                let stringValue: String
                var intValue: Int? { nil }
                init(stringValue: String) { self.stringValue = stringValue }
                init?(intValue: Int) { nil }
            }
            let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
            encoder.keyEncodingStrategy = .custom { Key(stringValue: "k" + ($0.last?.stringValue ?? "")) }
            decoder.keyDecodingStrategy = .custom { Key(stringValue: String(($0.last?.stringValue ?? "").dropFirst())) }
            let named = Named()
            var runs = 0
            let reading = autorun { runs += named.byName["a"] == nil ? 0 : 1 }
            defer { reading.cancel() }
            try check(
                """
                [{"op":"replace","path":"/kbyNumber/k1","value":"x"},{"op":"add","path":"/kbyNumber/k3","value":"y"},\
                {"op":"add","path":"/kbyName/new","value":5}]
                """, on: named, encoder, decoder)
            #expect(named.byNumber[1] == "x" && named.byNumber[3] == "y" && named.byNumber.count == 3)
            #expect(named.byName["new"] == 5)
            #expect(runs == 1)
        }

        @Test func aKeyInADifferentSpellingIsRefusedUnlessTheOtherIsGone() throws {
            struct Names: Codable {
                private(set) var ages: ObservableDictionary = ["\u{e9}": 1]
                private(set) var byNumber: ObservableDictionary = [1: "one"]
            }
            let names = Names()
            func pointer(_ key: String) -> JSONPointer { JSONPointer(tokens: ["ages", key]) }
            for patch in try [
                [.add(path: pointer("e\u{301}"), value: 2)],
                [.test(path: pointer("\u{e9}"), value: 1), .add(path: pointer("e\u{301}"), value: 2)],
                [.add(path: pointer("\u{e9}"), value: 3), .add(path: pointer("e\u{301}"), value: 2)],
                JSONPatch(parsing: #"[{"op":"add","path":"/byNumber/01","value":"x"}]"#),
                JSONPatch(
                    parsing: """
                        [{"op":"add","path":"/byNumber/07","value":"x"},{"op":"add","path":"/byNumber/007","value":"y"}]
                        """),
            ] as [JSONPatch] {
                let error = #expect(throws: JSONPatchError.self) { try apply(patch, to: names) }
                #expect(error?.reason.contains("spellings") == true)
                #expect(names.ages.keys.map { Array($0.unicodeScalars).count } == [1] && names.ages["\u{e9}"] == 1)
                #expect(names.byNumber.count == 1 && names.byNumber[1] == "one")
            }
            try apply(
                [.remove(path: pointer("\u{e9}")), .add(path: pointer("e\u{301}"), value: 2)], to: names)
            #expect(names.ages.keys.map { Array($0.unicodeScalars).count } == [2])
            // All members are read first.
            try apply(
                [
                    .test(path: JSONPointer("/ages"), value: ["e\u{301}": 2]),
                    .remove(path: pointer("e\u{301}")), .add(path: pointer("\u{e9}"), value: 3),
                ], to: names)
            #expect(names.ages.keys.map { Array($0.unicodeScalars).count } == [1])
        }

        // MARK: - Sets

        @Test(arguments: [
            // Twice, around an element that stays.
            (
                #"[{"op":"remove","path":"/tags/0"},{"op":"add","path":"/tags/0","value":"a"},"#
                    + #"{"op":"add","path":"/tags/2","value":"a"}]"#,
                ["a", "b", "c", "d"]
            ),
            // An element that stays, while one behind it is removed.
            (#"[{"op":"add","path":"/tags/0","value":"b"},{"op":"remove","path":"/tags/4"}]"#, ["a", "b", "c"]),
        ])
        func aSetHasEachElementOnce(text: String, names: [String]) throws {
            struct Names: Codable { private(set) var tags: ObservableSet = ["a", "b", "c", "d"] }
            let model = Names()
            try apply(JSONPatch(parsing: text), to: model)
            #expect(try JSONValue(encoding: model) == ["tags": .array(JSONArray(names.map { .string($0) }))])
        }

        private final class Tag: Codable, Hashable {
            let name: String
            @Observable var note = "-"
            init(_ name: String) { self.name = name }
            static func == (a: Tag, b: Tag) -> Bool { a.name == b.name }
            func hash(into hasher: inout Hasher) { hasher.combine(name) }
        }

        private struct Tags: Codable {
            private(set) var tags = ObservableSet(["a", "b", "c"].map(Tag.init))
        }

        @Test func anElementOfASetThatIsRemovedAndAddedAgainIsTheSameObject() throws {
            let model = Tags()
            let b = try #require(model.tags.first { $0.name == "b" })
            try check(
                """
                [{"op":"remove","path":"/tags/1"},{"op":"remove","path":"/tags/0"},\
                {"op":"add","path":"/tags/1","value":{"name":"b","note":"-"}}]
                """, on: model)
            #expect(model.tags.contains { $0 === b })
        }

        @Test func elementsOfASetExchangeTheirNames() throws {
            let model = Tags()
            try check(
                """
                [{"op":"replace","path":"/tags/0/name","value":"b"},{"op":"replace","path":"/tags/1/name","value":"a"}]
                """, on: model)
            #expect(model.tags.count == 3)
        }
    }
}
