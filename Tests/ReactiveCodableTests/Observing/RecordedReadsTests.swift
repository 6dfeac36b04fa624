// Values whose `encode(to:)` reads observables itself: which values change as a whole, and what is recorded of them.

import Foundation
import JSONTestSupport
import Reactive
import ReactiveCodable
import ReactiveCollections
import TestSupport
import Testing

private final class Item: Encodable {
    @Observable var title: String
    init(_ title: String = "a") { self.title = title }
}

/// Reads its name, unless it is told not to.
private final class Reader: Encodable {
    @Observable var name = "n"
    @Observable var note = "o"
    var readsName = true
    var other: Reader?
    private let token: LifetimeTracker.Token?

    enum CodingKeys: CodingKey { case name, note, other }

    init(readsName: Bool = true, _ token: LifetimeTracker.Token? = nil) {
        self.readsName = readsName
        self.token = token
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(_note, forKey: .note)
        if readsName { try container.encode(name, forKey: .name) }
        try container.encodeIfPresent(other, forKey: .other)
    }
}

extension ReactiveCodableTests {
    @Suite struct RecordedReadsTests {
        /// Reads before or after it encodes an item.
        private struct Outer: Encodable {
            let readsFirst: Bool
            @Observable var name = "n"
            var item = Inner()

            struct Inner: Encodable { @Observable var title = "a" }
            enum CodingKeys: CodingKey { case name, item }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                if readsFirst { try container.encode(name, forKey: .name) }
                try container.encode(item, forKey: .item)
                if !readsFirst { try container.encode(name, forKey: .name) }
            }
        }

        /// Returns the pointers that edits report.
        private func pointers(of root: some Encodable, _ edits: () -> Void) -> [[String]] {
            var pointers: [[String]] = []
            let r = deepObserve(root) { (changes: DeepChanges) in pointers.append(changes.map(\.pointer)) }
            defer { r.cancel() }
            edits()
            return pointers
        }

        @Test(arguments: [true, false]) func theValueThatReadsChangesAsAWhole(readsFirst: Bool) {
            struct Root: Encodable {
                let outer: Outer
                var item = Outer.Inner()
            }
            let root = Root(outer: Outer(readsFirst: readsFirst))
            let pointers = pointers(of: root) {
                root.outer.name = "m"
                root.outer.item.title = "b"
                root.item.title = "b"
                root.outer.name = "l"
            }
            #expect(pointers == [["/outer"], ["/outer/item/title"], ["/item/title"], ["/outer"]])
        }

        @Test func aTypeThatIsFoundLaterToReadChangesAsAWhole() {
            struct Other: Encodable {
                @Observable var name = "n"
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.unkeyedContainer()
                    try container.encode(name)
                }
            }
            struct Part: Encodable {
                var reader: Reader?
                var other: Other?
            }
            struct Root: Encodable { @Observable var part = Part(reader: Reader()) }
            let root = Root()
            let pointers = pointers(of: root) {
                root.part.reader?.name = "m"
                root.part = Part(other: Other())
                root.part.other?.name = "m"
            }
            #expect(pointers == [["/part/reader"], ["/part"], ["/part/other"]])
        }

        @Test func objectsThatReferToEachOtherHaveOneCellEach() {
            let a = Reader(), b = Reader()
            (a.other, b.other) = (b, a)
            defer { a.other = nil }
            let pointers = pointers(of: [a, b]) {
                b.note = "p"
                a.name = "m"
            }
            #expect(pointers.map { Set($0) } == [["/0/other/note", "/1/note"], ["/0", "/1/other"]])
        }

        /// A bug: the recorded encodings of both kept each other.
        @Test(arguments: [true, false]) func objectsThatReferToEachOtherAreFreed(whileObserving: Bool) {
            let tracker = LifetimeTracker()
            struct Root: Encodable { @Observable var readers: [Reader] = [] }
            let root = Root()
            let r = deepObserve(root) { (_: DeepChanges) in }
            do {
                let a = Reader(tracker.token()), b = Reader(tracker.token())
                (a.other, b.other) = (b, a)
                root.readers = [a, b]
                b.name = "m"
                if !whileObserving { r.cancel() }
                root.readers = []
                a.other = nil
            }
            #expect(tracker.alive == 0)
            r.cancel()
        }

        @Test func anObjectThatContainsItselfIsEnteredOnce() {
            final class Knot: Encodable {
                @Observable var value = 0
                var other: Knot?
            }
            let a = Knot(), b = Knot()
            (a.other, b.other) = (b, a)
            defer { a.other = nil }
            let pointers = pointers(of: a) {
                b.value = 1
                a.value = 1
            }
            #expect(pointers == [["/other/value"], ["/value"]])
        }

        @Test func elementsThatAreFoundToReadHaveOnePathEach() {
            struct Root: Encodable {
                let readers = [Reader(readsName: false), Reader()]
                @Observable var list: [Reader]
                @Observable var table: [String: Reader]
                let rows: ObservableArray<Reader>

                init() {
                    _list = Observable(wrappedValue: readers)
                    _table = Observable(wrappedValue: ["a": readers[0], "b": readers[1]])
                    rows = ObservableArray(readers)
                }

                enum CodingKeys: CodingKey { case list, table, rows }
            }
            let root = Root()
            let pointers = pointers(of: root) {
                for reader in root.readers { reader.note = "p" }
                root.readers[1].name = "m"
            }
            #expect(
                pointers.map { $0.sorted() } == [
                    ["/list/0/note", "/rows/0/note", "/table/a/note"],
                    ["/list/1/note", "/rows/1/note", "/table/b/note"],
                    ["/list/1", "/rows/1", "/table/b"],
                ])
        }

        @Test func collectionsOfReadersAreRecordedAsTheyWere() throws {
            struct Root: Encodable {
                @Observable var table = ["a": Reader(), "b": Reader()]
                @Observable var list = [Reader(), Reader()]
                let rows: ObservableArray<Reader> = [Reader(), Reader()]
            }
            let root = Root()
            var reported: DeepChanges?
            let r = deepObserve(root) { (changes: DeepChanges) in reported = changes }
            defer { r.cancel() }
            let edits: [() -> Void] = [
                {
                    root.table["a"]?.name = "m"
                    root.table["b"] = nil
                },
                {
                    root.list[0].name = "m"
                    root.list.removeLast()
                },
                {
                    root.rows[0].name = "m"
                    root.rows.removeLast()
                },
            ]
            for edit in edits {
                let before = try JSONValue(encoding: root)
                inTransaction { edit() }
                let changes = try #require(reported)
                #expect(try JSONValue(encoding: changes.before) == before)
                #expect(try JSONValue(encoding: changes.after) == JSONValue(encoding: root))
                #expect(try NaiveJSONPatch.apply(changes.jsonPatch(), to: before) == JSONValue(encoding: root))
            }
        }

        /// Encodes values in each way that a container offers.
        private final class Writer: Encodable {
            struct Generic<Value: Encodable>: Encodable { @Observable var value: Value }

            @Observable var name = "n"
            let items = ["someKey": Item()]
            let generic = Generic<Int?>(value: nil)
            @Observable var extra = 1

            enum CodingKeys: CodingKey { case name, nothing, items, generic, pair, extra }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(name, forKey: .name)
                try container.encodeNil(forKey: .nothing)
                try container.encode(items, forKey: .items)
                try container.encode(generic, forKey: .generic)
                var pair = container.nestedUnkeyedContainer(forKey: .pair)
                try pair.encodeNil()
                try pair.encode(_extra)
                // As subclasses do.
                var more = encoder.container(keyedBy: CodingKeys.self)
                try more.encode(extra, forKey: .extra)
            }
        }

        /// Asks for its container twice.
        private struct List: Encodable {
            @Observable var name = "n"
            let item = Item()

            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                try container.encode(item)
                var more = encoder.unkeyedContainer()
                try more.encode(name)
            }
        }

        @Test func whatAValueEncodesIsRecordedInFull() throws {
            struct Root: Encodable {
                let writer = Writer()
                let list = List()
            }
            let root = Root()
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            var befores: [JSONValue] = [], afters: [JSONValue] = []
            let r = deepObserve(root) { (changes: DeepChanges) in
                if let before = try? JSONValue(encoding: changes.before, using: encoder) { befores.append(before) }
                if let after = try? JSONValue(encoding: changes.after, using: encoder) { afters.append(after) }
            }
            defer { r.cancel() }
            var expected = [try JSONValue(encoding: root.writer, using: encoder)]
            for name in ["m", "l"] {
                root.writer.name = name
                expected.append(try JSONValue(encoding: root.writer, using: encoder))
            }
            #expect(befores.compactMap { $0["writer"] } == Array(expected.dropLast()))
            #expect(afters.compactMap { $0["writer"] } == Array(expected.dropFirst()))
            root.list.name = "m"
            #expect(afters.last?["list"]?.description == #"[{"title":"a"},"m"]"#)
        }

        @Test func aPlaceWithNothingCounts() {
            struct Root: Encodable {
                @Observable var number = 1
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.unkeyedContainer()
                    try container.encodeNil()
                    try container.encode(_number)
                }
            }
            let root = Root()
            #expect(pointers(of: root) { root.number = 2 } == [["/1"]])
        }

        @Test func anObservableThatEncodesItselfIsFound() {
            struct Part: Encodable {
                @Observable var item = Item()
                func encode(to encoder: any Encoder) throws { try _item.encode(to: encoder) }
            }
            struct Root: Encodable { let part = Part() }
            let root = Root()
            let pointers = pointers(of: root) {
                root.part.item.title = "b"
                root.part.item = Item()
            }
            #expect(pointers == [["/part/title"], ["/part"]])
        }

        @Test func whatFailedIsRecordedAsAFailure() throws {
            struct Refusal: Error {}
            final class Failing: Encodable {
                @Observable var name = "n"
                @Observable var fails = true
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.unkeyedContainer()
                    try container.encode(name)
                    if fails { throw Refusal() }
                }
            }
            struct Root: Encodable { let part = Failing() }
            let root = Root()
            var reported: DeepChanges?
            var reactions: [Reaction] = []
            defer { for reaction in reactions { reaction.cancel() } }
            let found = issues {
                reactions.append(deepObserve(root) { (changes: DeepChanges) in reported = changes })
                root.part.fails = false
            }
            #expect(found.count >= 1)
            let changes = try #require(reported)
            #expect(throws: Refusal.self) { try JSONValue(encoding: changes.before) }
            #expect(try JSONValue(encoding: changes.after).description == #"{"part":["n"]}"#)
        }
    }
}
