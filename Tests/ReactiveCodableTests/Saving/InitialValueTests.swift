// Properties that a document lacks take their own initial values.

import Foundation
import Reactive
import ReactiveCodable
import ReactiveCollections
import Testing

extension ReactiveCodableTests {
    @Suite struct InitialValueTests {
        private func load<T: Decodable>(_ contents: String, as type: T.Type = T.self) throws -> T {
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                try Data(contents.utf8).write(to: url)
                return try ReactiveCodable.load(type, from: url)
            }
        }

        private func missing<T: Decodable>(_ contents: String, as type: T.Type) -> String? {
            let error = #expect(throws: LoadingError.self) { try load(contents, as: type) }
            return error?.description.components(separatedBy: "FILE").last.flatMap { text in
                text.range(of: "the member \"").map { String(text[$0.upperBound...].prefix { $0 != "\"" }) }
            }
        }

        private struct Part: Codable {
            @Observable var name = "part"
            @Observable var size = 3
        }

        private struct Document: Codable {
            @Observable var a = 1
            @Observable var needed: Int
            @Observable var b = 2
            @Observable var c = 3
            @Observable var text = "x"
            @Observable var list = [1, 2]
            @Observable var note: String? = "initial"
            @Observable var part = Part()
            @Observable var parts: [Part] = []

            enum CodingKeys: String, CodingKey { case c, note, a, needed, parts, text, b, list, part }
        }

        @Test func eachMissingPropertyTakesItsInitialValue() throws {
            let document: Document = try load(#"{"needed": 7}"#)
            let numbers: [Int] = [document.a, document.needed, document.b, document.c]
            #expect(numbers == [1, 7, 2, 3])
            #expect(document.text == "x" && document.list == [1, 2] && document.parts.isEmpty)
            #expect(document.part.name == "part" && document.part.size == 3)
            // As in the encoded form, a missing optional is nil.
            #expect(document.note == nil)
        }

        @Test func anySubsetMayBeMissing() throws {
            let members: [String: JSONValue] = [
                "a": 10, "b": 20, "c": 30, "text": "t", "part": ["name": "p", "size": 9],
            ]
            for subset in 0..<(1 << members.count) {
                let keys = members.keys.sorted()
                let chosen = keys.indices.filter { subset >> $0 & 1 == 1 }.map { keys[$0] }
                var object: [String: JSONValue] = ["needed": 5]
                for key in chosen { object[key] = members[key] }
                let document: Document = try load(JSONValue.object(JSONObject(object)).description)
                #expect(document.a == (chosen.contains("a") ? 10 : 1))
                #expect(document.b == (chosen.contains("b") ? 20 : 2))
                #expect(document.c == (chosen.contains("c") ? 30 : 3))
                #expect(document.text == (chosen.contains("text") ? "t" : "x"))
                #expect(document.part.size == (chosen.contains("part") ? 9 : 3))
            }
        }

        @Test func aPropertyWithoutAnInitialValueStaysMissing() throws {
            #expect(missing(#"{"a": 7}"#, as: Document.self) == "needed")
            struct Plain: Codable {
                @Observable var x = 1
                var plain = 2
            }
            #expect(missing("{}", as: Plain.self) == "plain")
            #expect(missing(#"{"x": 1}"#, as: Plain.self) == "plain")
        }

        @Test func propertiesBesideOnesWithoutInitialValuesAreNotConfused() throws {
            struct Mixed: Codable {
                @Observable var first: Int
                @Observable var second = 2
                @Observable var third: Int
            }
            #expect(missing(#"{"second": 1, "third": 1}"#, as: Mixed.self) == "first")
            #expect(missing(#"{"first": 1, "second": 1}"#, as: Mixed.self) == "third")
            #expect(try load(#"{"first": 1, "third": 1}"#, as: Mixed.self).second == 2)
        }

        @Test func anObjectOfAnotherTypeIsNoObjectWithoutMembers() throws {
            #expect(try load("{}", as: Part.self).size == 3)
            #expect(missing(#"{"title": "x"}"#, as: Part.self) == "name")
            #expect(missing(#"{"needed": 1, "part": {"title": "x"}}"#, as: Document.self) == "name")
        }

        @Test func nestedObjectsTakeInitialValues() throws {
            struct Tree: Codable {
                @Observable var name = "leaf"
                @Observable var children: [Tree] = []
                @Observable var count = 0
            }
            let tree: Tree = try load(
                #"{"name": "root", "children": [{"count": 1}, {"name": "b", "children": [{}]}]}"#)
            #expect(tree.children.map(\.name) == ["leaf", "b"] && tree.children.map(\.count) == [1, 0])
            #expect(tree.children[1].children.map(\.name) == ["leaf"])
        }

        private class Base: Codable {
            @Observable var x = 1
            @Observable var y = 2
        }

        private final class Derived: Base {
            @Observable var z = 3
            @Observable var w = 4

            enum Keys: CodingKey { case z, w }

            required init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Keys.self)
                _z = try container.decode(Observable<Int>.self, forKey: .z)
                _w = try container.decode(Observable<Int>.self, forKey: .w)
                try super.init(from: decoder)
            }
        }

        @Test func classesAndTheirSubclassesTakeInitialValues() throws {
            #expect(try load(#"{"y": 5}"#, as: Base.self).x == 1)
            let derived = try load(#"{"z": 7, "x": 8}"#, as: Derived.self)
            let numbers: [Int] = [derived.x, derived.y, derived.z, derived.w]
            #expect(numbers == [8, 2, 7, 4])
        }

        @Test func aValueAssignedByACustomInitialiserIsNoInitialValue() throws {
            struct Odd: Codable {
                @Observable var needed: Int
                @Observable var other = 2

                enum CodingKeys: CodingKey { case needed }

                init(from decoder: any Decoder) throws {
                    let container = try decoder.container(keyedBy: CodingKeys.self)
                    _needed = try container.decode(Observable<Int>.self, forKey: .needed)
                    _other = Observable(wrappedValue: 9)
                }
            }
            #expect(missing("{}", as: Odd.self) == "needed")
        }

        private final class Row: Codable, Hashable {
            @Observable var title = "row"
            static func == (a: Row, b: Row) -> Bool { a === b }
            func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
        }

        private struct Lists: Codable {
            private(set) var rows = ObservableArray([Row(), Row()])
            private(set) var byName: ObservableDictionary = ["first": Row()]
            private(set) var tags: ObservableSet = [3, 1, 2]
            private(set) var numbers: ObservableArray = [0.5, .infinity]
            private(set) var others = ObservableArray<Row>()
            @Observable var name = "lists"
        }

        @Test func collectionsTakeInitialValues() throws {
            let all: Lists = try load("{}")
            #expect(
                all.rows.map(\.title) == ["row", "row"] && all.byName["first"]?.title == "row" && all.others.isEmpty)
            #expect(all.tags.elements == [1, 2, 3] && all.numbers.elements == [0.5, .infinity] && all.name == "lists")
            let some: Lists = try load(#"{"rows": [{}], "numbers": [1]}"#)
            #expect(some.rows.map(\.title) == ["row"] && some.byName["first"]?.title == "row")
            #expect(some.tags.elements == [1, 2, 3] && some.numbers.elements == [1])
            // They belong to the graph of the caller.
            var runs = 0
            let reaction = deepObserve(some) { runs += 1 }
            defer { reaction.cancel() }
            some.byName["first"]?.title = "other"
            some.tags.insert(4)
            some.others.append(Row())
            #expect(runs == 3)
        }

        @Test func decodingByItselfNeedsAllMembers() {
            struct Both: Codable {
                @Observable var x = 3
                private(set) var rows = ObservableArray<Int>()
            }
            for text in [#"{"x": 1}"#, #"{"rows": []}"#] {
                #expect(throws: DecodingError.self) { try JSONDecoder().decode(Both.self, from: Data(text.utf8)) }
            }
        }

        @Test func aPatchNeedsAllMembers() throws {
            struct Both: Codable {
                @Observable var x = 3
                private(set) var rows = ObservableArray<Int>()
            }
            struct Model: Codable { private(set) var parts = ObservableArray<Both>() }
            let model = Model()
            for (value, name) in [(["x": 1], "rows"), (["rows": []], "x")] as [(JSONValue, String)] {
                let patch = try JSONPatch([.add(path: JSONPointer("/parts/0"), value: value)])
                let error = #expect(throws: JSONPatchError.self) { try apply(patch, to: model) }
                #expect(error?.reason.contains("\"\(name)\" is missing") == true && model.parts.isEmpty)
            }
        }

        @Test func initialValuesOfEachInstanceAreItsOwn() throws {
            struct Item: Codable { @Observable var id = UUID() }
            struct List: Codable { @Observable var items: [Item] = [] }
            let list: List = try load(#"{"items": [{}, {}, {}]}"#)
            #expect(Set(list.items.map(\.id)).count == 3)
        }

        @Test func loadedStateBelongsToTheCurrentGraph() throws {
            let document: Document = try load(#"{"needed": 7}"#)
            let other = Observable(0)
            inTransaction {
                document.a = 5
                document.part.size = 6
                other.value = document.b
            }
            #expect(other.value == 2 && document.part.size == 6)
        }

        @Test func aTransactionLoadsCompleteDocumentsOnly() throws {
            try inTransaction {
                let part: Part = try load(#"{"name": "x", "size": 4}"#)
                #expect(part.size == 4)
                #expect(missing(#"{"name": "x"}"#, as: Part.self) == "size")
            }
        }

        private final class Watched: Codable {
            final class Log: @unchecked Sendable {
                // Sendable because each test uses one thread.
                var created: [Watched] = []
                var numbers: [Int] = []
                @TaskLocal static var current: Log?
            }

            @Observable var number = 1
            @Observable var other = 2
            private var reaction: Reaction?
            enum CodingKeys: CodingKey { case number, other }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                _number = try container.decode(Observable<Int>.self, forKey: .number)
                _other = try container.decode(Observable<Int>.self, forKey: .other)
                let log = Log.current
                reaction = autorun { [unowned self] in log?.numbers.append(number) }
                log?.created.append(self)
            }
        }

        @Test func reactionsInADiscardedDocumentEnd() throws {
            let log = Watched.Log()
            let document: Watched = try Watched.Log.$current.withValue(log) { try load(#"{"number": 7}"#) }
            #expect(log.created.last === document && document.other == 2)
            log.numbers = []
            for discarded in log.created.dropLast() { discarded.number = 8 }
            #expect(log.numbers == [])
            document.number = 9
            #expect(log.numbers == [9])
        }

        @Test func keysWithAStrategyAndMigrationsTakeInitialValues() throws {
            struct Event: Codable {
                @Observable var startCount = 4
                @Observable var endCount = 5
            }
            try withFolder { folder in
                let url = folder.appendingPathComponent("file")
                try Data(#"{"start_count": 1}"#.utf8).write(to: url)
                let decoder = JSONDecoder()
                decoder.keyDecodingStrategy = .convertFromSnakeCase
                for event in [
                    try ReactiveCodable.load(Event.self, from: url, decoder: decoder),
                    try ReactiveCodable.load(Event.self, from: url, migrating: [], decoder: decoder),
                ] {
                    #expect(event.startCount == 1 && event.endCount == 5)
                }
            }
        }
    }
}
