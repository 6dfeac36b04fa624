// Applying patches to object graphs: the written state, its observers, and the identity of objects.

import Foundation
import Reactive
import ReactiveCodable
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct ApplyTests {
        // list ── title ◉
        //      ── items ◉ ── 0 ── title ◉, isDone ◉
        //      ── owner ◉ ── name ◉
        final class Item: Codable {
            let id: Int
            @Observable var title: String
            @Observable var isDone = false
            init(_ id: Int, _ title: String) {
                self.id = id
                self.title = title
            }
            var observables: [ObjectIdentifier] { [ObjectIdentifier(_title), ObjectIdentifier(_isDone)] }
        }

        final class List: Codable {
            let version = 1
            @Observable var title = "groceries"
            @Observable var items = [Item(1, "Milk"), Item(2, "Bread"), Item(3, "Eggs")]
            @Observable var owner: Owner?
            enum CodingKeys: String, CodingKey { case version, title, items, owner }
            init() {}
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                _title = try container.decode(Observable<String>.self, forKey: .title)
                _items = try container.decode(Observable<[Item]>.self, forKey: .items)
                _owner = try container.decode(Observable<Owner?>.self, forKey: .owner)
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(version, forKey: .version)
                try container.encode(_title, forKey: .title)
                try container.encode(_items, forKey: .items)
                try container.encode(_owner, forKey: .owner)
            }
        }

        struct Owner: Codable {
            let id: Int
            @Observable var name: String
            @Observable var boss: Owner?
        }

        /// Applies a patch and counts the runs of a reaction to anything in the list.
        private func applying(_ text: String, to list: List) throws -> [String] {
            var log: [String] = []
            let reactions = [
                reaction({ list.title }) { log.append("title \($0)") },
                reaction(equals: .never, { list.items }) { log.append("items \($0.map(\.id))") },
                reaction({ list.items.map(\.title) }) { log.append("titles \($0)") },
                reaction({ list.owner?.name }) { log.append("owner \($0 ?? "nobody")") },
            ]
            defer { reactions.forEach { $0.cancel() } }
            let before = try JSONValue(encoding: list)
            let patch = try JSONPatch(parsing: text)
            try apply(patch, to: list)
            #expect(try JSONValue(encoding: list) == patch.applying(to: before))
            return log
        }

        @Test func onlyTheObservableThatChangesIsWritten() throws {
            let list = List()
            let items = list.items
            let log = try applying(#"[{"op":"replace","path":"/items/1/title","value":"Rye"}]"#, to: list)
            #expect(log == ["titles [\"Milk\", \"Rye\", \"Eggs\"]"])
            #expect(zip(items, list.items).allSatisfy { $0 === $1 })
        }

        @Test func aPatchIsOneTransaction() throws {
            let list = List()
            var runs = 0
            let reaction = autorun { runs += list.title.isEmpty || list.items.map(\.title).isEmpty ? 0 : 1 }
            defer { reaction.cancel() }
            try apply(
                JSONPatch(
                    parsing: """
                        [{"op":"replace","path":"/title","value":"A"},\
                        {"op":"replace","path":"/items/0/title","value":"B"},\
                        {"op":"remove","path":"/items/2"}]
                        """), to: list)
            #expect(runs == 2)
            #expect(list.items.map(\.title) == ["B", "Bread"])
        }

        @Test func neighboursOfAnInsertionKeepTheirIdentity() throws {
            let list = List()
            let items = list.items
            let log = try applying(
                #"[{"op":"add","path":"/items/1","value":{"id":9,"title":"Tea","isDone":true}}]"#, to: list)
            #expect(log == ["items [1, 9, 2, 3]", "titles [\"Milk\", \"Tea\", \"Bread\", \"Eggs\"]"])
            #expect(list.items[0] === items[0])
            #expect(list.items[2] === items[1])
            #expect(list.items[3] === items[2])
            #expect(list.items[1].isDone)
        }

        @Test func removedAndMovedElementsLeaveTheOthersAlone() throws {
            let list = List()
            let items = list.items
            _ = try applying(
                #"[{"op":"move","from":"/items/2","path":"/items/0"},{"op":"remove","path":"/items/1"}]"#, to: list)
            #expect(list.items.count == 2)
            #expect(list.items[0] === items[2])
            #expect(list.items[1] === items[1])
        }

        @Test func aMovedElementCanBeChangedToo() throws {
            let list = List()
            let items = list.items
            _ = try applying(
                """
                [{"op":"replace","path":"/items/2/title","value":"Six eggs"},\
                {"op":"move","from":"/items/2","path":"/items/0"},\
                {"op":"replace","path":"/items/0/isDone","value":true}]
                """, to: list)
            #expect(list.items[0] === items[2])
            #expect(items[2].title == "Six eggs")
            #expect(items[2].isDone)
        }

        @Test func anObjectIsReplacedAroundItsObservables() throws {
            let list = List()
            let items = list.items
            let observables = items[1].observables
            let log = try applying(#"[{"op":"replace","path":"/items/1/id","value":20}]"#, to: list)
            #expect(log == ["items [1, 20, 3]"])
            #expect(list.items[1] !== items[1])
            #expect(list.items[1].observables == observables)
            #expect(list.items[0] === items[0])
        }

        @Test func replacingAnElementWritesTheDifference() throws {
            let list = List()
            let items = list.items
            let log = try applying(
                #"[{"op":"replace","path":"/items/1","value":{"id":2,"title":"Rye","isDone":false}}]"#, to: list)
            #expect(log == ["titles [\"Milk\", \"Rye\", \"Eggs\"]"])
            #expect(list.items[1] === items[1])
        }

        @Test func replacingTheDocumentWritesTheDifference() throws {
            let list = List()
            let items = list.items
            let new = try JSONPatch(
                parsing: #"[{"op":"remove","path":"/items/0"},{"op":"replace","path":"/title","value":"x"}]"#
            )
            .applying(to: JSONValue(encoding: list))
            try apply([.replace(path: .root, value: new)], to: list)
            #expect(list.title == "x")
            #expect(list.items.count == 2)
            #expect(list.items[0] === items[1])
        }

        @Test func optionalsAreSetAndRemoved() throws {
            let list = List()
            #expect(
                try applying(#"[{"op":"add","path":"/owner","value":{"id":1,"name":"Ann"}}]"#, to: list) == [
                    "owner Ann"
                ])
            let name = list.owner.map { ObjectIdentifier($0.$name.wrappedValue as AnyObject) }
            #expect(name != nil)
            #expect(try applying(#"[{"op":"replace","path":"/owner/name","value":"Bob"}]"#, to: list) == ["owner Bob"])
            _ = try applying(#"[{"op":"add","path":"/owner/boss","value":{"id":2,"name":"Cid"}}]"#, to: list)
            #expect(list.owner?.boss?.name == "Cid")
            _ = try applying(#"[{"op":"move","from":"/owner/boss","path":"/owner"}]"#, to: list)
            #expect(list.owner?.name == "Cid")
            #expect(list.owner?.boss == nil)
            #expect(try applying(#"[{"op":"remove","path":"/owner"}]"#, to: list) == ["owner nobody"])
            #expect(list.owner == nil)
        }

        @Test func anAbsentObservableSurvivesTheReplacementOfItsObject() throws {
            let list = List()
            list.owner = Owner(id: 1, name: "Ann", boss: nil)
            let boss = try #require(list.owner)
            var bosses: [String] = []
            let reaction = autorun { bosses.append(boss.boss?.name ?? "none") }
            defer { reaction.cancel() }
            _ = try applying(#"[{"op":"replace","path":"/owner/id","value":7}]"#, to: list)
            #expect(list.owner?.id == 7)
            list.owner?.boss = Owner(id: 2, name: "Bob", boss: nil)
            #expect(bosses == ["none", "Bob"])
        }

        @Test func writingEqualValuesNotifiesNoObserver() throws {
            let list = List()
            let log = try applying(
                """
                [{"op":"replace","path":"/title","value":"groceries"},{"op":"replace","path":"/version","value":1},\
                {"op":"test","path":"/items/0/id","value":1},{"op":"move","from":"/items/0","path":"/items/0"}]
                """, to: list)
            #expect(log == [])
        }

        // MARK: - Shapes of graphs

        struct Shapes: Codable {
            enum Figure: Codable, Equatable {
                case circle(radius: Double)
                case text(String)
            }
            struct Cell: Codable {
                let key: String
                @Observable var count = 0
            }
            class Base: Codable {
                @Observable var base = 1
            }
            final class Derived: Base {
                @Observable var derived = 2
                override init() { super.init() }
                enum CodingKeys: CodingKey { case derived }
                required init(from decoder: any Decoder) throws {
                    let container = try decoder.container(keyedBy: CodingKeys.self)
                    _derived = try container.decode(Observable<Int>.self, forKey: .derived)
                    try super.init(from: container.superDecoder())
                }
                override func encode(to encoder: any Encoder) throws {
                    var container = encoder.container(keyedBy: CodingKeys.self)
                    try container.encode(_derived, forKey: .derived)
                    try super.encode(to: container.superEncoder())
                }
            }
            @Observable var figure = Figure.circle(radius: 1)
            @Observable var cells = ["a": Cell(key: "a"), "b": Cell(key: "b")]
            @Observable var byNumber = [1: "one"]
            @Observable var matrix = [[1, 2], [3, 4]]
            @Observable var object = Derived()
            @Observable var date = Date(timeIntervalSince1970: 0)
            @Observable var counters = [Observable(1), Observable(2)]
            @Observable var json: JSONValue = ["x": [1]]
        }

        @Test func everyShapeOfGraphIsWritten() throws {
            let shapes = Shapes()
            let cell = try #require(shapes.cells["a"])
            let object = shapes.object
            let counters = shapes.counters
            let before = try JSONValue(encoding: shapes)
            let patch = try JSONPatch(
                parsing: """
                    [{"op":"replace","path":"/figure","value":{"text":{"_0":"hello"}}},
                     {"op":"replace","path":"/cells/a/count","value":5},
                     {"op":"add","path":"/cells/c","value":{"key":"c","count":3}},
                     {"op":"remove","path":"/cells/b"},
                     {"op":"move","from":"/cells/c","path":"/cells/d"},
                     {"op":"add","path":"/byNumber/2","value":"two"},
                     {"op":"add","path":"/matrix/1/0","value":9},
                     {"op":"replace","path":"/object/super/base","value":10},
                     {"op":"replace","path":"/object/derived","value":20},
                     {"op":"replace","path":"/date","value":5},
                     {"op":"move","from":"/counters/1","path":"/counters/0"},
                     {"op":"add","path":"/counters/-","value":7},
                     {"op":"replace","path":"/counters/0","value":8},
                     {"op":"add","path":"/json/x/-","value":{"y":null}}]
                    """)
            try apply(patch, to: shapes)
            #expect(try JSONValue(encoding: shapes) == patch.applying(to: before))
            #expect(shapes.figure == .text("hello"))
            #expect(cell.count == 5)
            #expect(shapes.cells.keys.sorted() == ["a", "d"])
            #expect(shapes.byNumber == [1: "one", 2: "two"])
            #expect(shapes.matrix == [[1, 2], [9, 3, 4]])
            #expect(shapes.object === object)
            #expect(object.base == 10)
            #expect(shapes.date == Date(timeIntervalSinceReferenceDate: 5))
            #expect(shapes.counters[0] === counters[1])
            #expect(shapes.counters[1] === counters[0])
            #expect(counters[1].value == 8)
            #expect(shapes.json == ["x": [1, ["y": .null]]])

            try apply(patch.inverse(for: before), to: shapes)
            #expect(try JSONValue(encoding: shapes) == before)
            #expect(shapes.object === object)
        }

        @Test func strategiesOfTheCodersAreFollowed() throws {
            struct Note: Codable {
                @Observable var lastChange = Date(timeIntervalSince1970: 0)
                @Observable var someTags = ["firstTag": 1]
            }
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.dateEncodingStrategy = .iso8601
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            decoder.dateDecodingStrategy = .iso8601
            let note = Note()
            let patch = try JSONPatch(
                parsing: """
                    [{"op":"test","path":"/last_change","value":"1970-01-01T00:00:00Z"},
                     {"op":"replace","path":"/last_change","value":"1970-01-01T00:01:00Z"},
                     {"op":"add","path":"/some_tags/secondTag","value":2}]
                    """)
            try apply(patch, to: note, encoder: encoder, decoder: decoder)
            #expect(note.lastChange == Date(timeIntervalSince1970: 60))
            #expect(note.someTags == ["firstTag": 1, "secondTag": 2])
        }

        final class Link: Codable {
            let id: Int
            @Observable var next: Link?
            init(_ id: Int, _ next: Link?) {
                self.id = id
                self.next = next
            }
        }

        @Test func depthIsLimitedByMemory() {
            onOtherThread(stackSize: 512 * 1024) {
                let depth = deep
                var links = [Link(0, nil)]
                for id in 1..<depth { links.append(Link(id, links[id - 1])) }
                let root = links[depth - 1]
                let json = try? JSONValue(encoding: root)
                #expect(json?.depth == depth)
                var tokens = [String](repeating: "next", count: depth - 2)
                tokens.append("id")
                let missing: JSONPatch = [.test(path: JSONPointer(tokens: tokens), value: 1)]
                #expect(throws: Never.self) { try apply(missing, to: root) }
                tokens[depth - 2] = "next"
                #expect(throws: Never.self) { try apply([.remove(path: JSONPointer(tokens: tokens))], to: root) }
                #expect(links[1].next == nil)
                // Take the chain apart, so that freeing it does not recurse.
                for link in links { link.next = nil }
            }
        }

        @Test func onlyValuesOnThePathsAreRead() throws {
            struct Picky: Codable {
                @Observable var fine = 1
                @Observable var unreadable = Double.nan
            }
            let picky = Picky()
            try apply([.replace(path: JSONPointer("/fine"), value: 2)], to: picky)
            #expect(picky.fine == 2)
            #expect(throws: JSONPatchError.self) {
                try apply([.test(path: JSONPointer("/unreadable"), value: 2)], to: picky)
            }
        }

        @Test func applyingInAnObserverSubscribesItToNothing() throws {
            let list = List()
            var runs = 0
            let reaction = autorun {
                runs += 1
                try? apply([.test(path: JSONPointer("/items/0/title"), value: "Milk")], to: list)
            }
            defer { reaction.cancel() }
            list.items[0].title = "Cream"
            #expect(runs == 1)
        }

        // MARK: - Misfits

        @Test(
            arguments: [
                (#"{"op":"replace","path":"/items/7/title","value":"x"}"#, "there is no element 7", "/items/7/title"),
                (#"{"op":"remove","path":"/nothing"}"#, "there is no member", "/nothing"),
                (#"{"op":"remove","path":"/owner"}"#, "there is no member", "/owner"),
                (
                    #"{"op":"test","path":"/title","value":"x"}"#, "the test failed: the value is \"groceries\"",
                    "/title"
                ),
                (#"{"op":"replace","path":"/title","value":5}"#, "expected String, found a number", "/title"),
                (#"{"op":"add","path":"/items/-","value":{"id":1}}"#, "\"title\" is missing", "/items/3"),
                (
                    #"{"op":"add","path":"/items/-","value":{"id":"x","title":"","isDone":true}}"#,
                    "expected Int, found a string", "/items/3/id"
                ),
                (
                    #"{"op":"replace","path":"/items/0/isDone","value":null}"#, "expected Bool, found null",
                    "/items/0/isDone"
                ),
                (#"{"op":"remove","path":"/items/0/title"}"#, "\"title\" is missing", "/items/0"),
                (#"{"op":"replace","path":"/version","value":2}"#, "not in an @Observable", "/version"),
                (#"{"op":"add","path":"/extra","value":2}"#, "not in an @Observable", "/extra"),
                (#"{"op":"remove","path":"/title"}"#, "not in an @Observable", "/title"),
                (#"{"op":"replace","path":"","value":[]}"#, "not in an @Observable", ""),
            ])
        func aPatchThatDoesNotFitChangesNothing(_ operation: String, _ reason: String, _ path: String) throws {
            let list = List()
            let before = try JSONValue(encoding: list)
            var runs = 0
            let reaction = autorun { runs += list.items.map(\.title).count + list.title.count > 0 ? 1 : 0 }
            defer { reaction.cancel() }
            let patch = try JSONPatch(
                parsing: """
                    [{"op":"replace","path":"/items/2/title","value":"changed"},\
                    {"op":"move","from":"/items/2","path":"/items/0"},\
                    {"op":"move","from":"/items/0","path":"/items/2"},\(operation)]
                    """)
            let error = #expect(throws: JSONPatchError.self) { try apply(patch, to: list) }
            #expect(error?.index == 3, "\(String(describing: error))")
            #expect(error?.operation == patch.operations[3].description)
            #expect(error?.path?.description == path, "\(String(describing: error))")
            #expect(error?.reason.contains(reason) == true, "\(String(describing: error))")
            #expect(try JSONValue(encoding: list) == before)
            #expect(runs == 1)
        }

        @Test func keysThatAreEqualInASwiftDictionaryAreRefused() throws {
            struct Names: Codable {
                @Observable var ages = ["\u{e9}": 1]
                @Observable var json: JSONValue = ["\u{e9}": 1]
            }
            let names = Names()
            // In a document these are two members.
            let add = JSONPatch.Operation.add(path: JSONPointer(tokens: ["json", "e\u{301}"]), value: 2)
            try apply([add], to: names)
            #expect(names.json["\u{e9}"] == 1)
            #expect(names.json["e\u{301}"] == 2)
            let error = #expect(throws: JSONPatchError.self) {
                try apply([add, .add(path: JSONPointer(tokens: ["ages", "e\u{301}"]), value: 2)], to: names)
            }
            #expect(error?.index == 1)
            #expect(error?.reason.contains("two members") == true)
            #expect(names.ages == ["\u{e9}": 1])
            // Replacing one form by the other works.
            try apply(
                [
                    .remove(path: JSONPointer(tokens: ["ages", "\u{e9}"])),
                    .add(path: JSONPointer(tokens: ["ages", "e\u{301}"]), value: 2),
                ], to: names)
            #expect(names.ages.map { Array($0.key.unicodeScalars).count } == [2])
            let document: JSONValue = ["\u{e9}": 1, "e\u{301}": 2]
            #expect(throws: DecodingError.self) { try document.decoded(as: [String: Int].self) }
        }

        @Test func aGraphThatContainsItselfIsPatchedButNotPrinted() throws {
            let link = Link(1, nil)
            link.next = link
            defer { link.next = nil }
            #expect(throws: EncodingError.self) { try JSONValue(encoding: link) }
            try apply([.remove(path: JSONPointer("/next/next/next"))], to: link)
            #expect(link.next == nil)
        }
    }
}
