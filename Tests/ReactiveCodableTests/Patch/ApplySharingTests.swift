// Applying patches to graphs in which one object has several paths: objects on paths that the patch does not name do
// not change.

import Foundation
import Reactive
import ReactiveCodable
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct ApplySharingTests {
        /// Whether a deep observation of the root knows the paths of objects, or apply has to find them.
        enum Observing: CaseIterable {
            case nobody, closure, changes
        }

        /// Applies a patch and compares the document with the patched one.
        private func check<Root: Codable>(
            _ text: String, on root: Root, _ observing: Observing = .nobody, in transaction: Bool = false
        ) throws {
            let patch = try JSONPatch(parsing: text)
            let expected = try patch.applying(to: JSONValue(encoding: root))
            let observer: Reaction? =
                switch observing {
                case .nobody: nil
                case .closure: deepObserve(root) {}
                case .changes: deepObserve(root) { (_: DeepChanges) in }
                }
            defer { observer?.cancel() }
            if transaction {
                try inTransaction { try apply(patch, to: root) }
            } else {
                try apply(patch, to: root)
            }
            #expect(try JSONValue(encoding: root) == expected)
        }

        // MARK: - Structs

        struct Todo: Codable {
            let id: Int
            @Observable var title: String
            @Observable var isDone = false
            var note = Note()
            init(_ id: Int, _ title: String) {
                self.id = id
                self.title = title
            }
            var titleObservable: ObjectIdentifier { ObjectIdentifier(_title) }
            var isDoneObservable: ObjectIdentifier { ObjectIdentifier(_isDone) }
            var noteObservable: ObjectIdentifier { note.observable }
        }

        struct Note: Codable {
            @Observable var text = ""
            var observable: ObjectIdentifier { ObjectIdentifier(_text) }
        }

        struct List: Codable {
            @Observable var todos = [Todo(0, "milk"), Todo(1, "bread"), Todo(2, "eggs")]
            @Observable var archive: [Todo] = []
            @Observable var selected: Todo?
        }

        @Test(arguments: Observing.allCases)
        func aSharedStructIsReplaced(_ observing: Observing) throws {
            let list = List()
            list.selected = list.todos[0]
            let title = list.todos[0].titleObservable
            try check(#"[{"op":"replace","path":"/selected/title","value":"tea"}]"#, on: list, observing)
            #expect(list.todos[0].title == "milk")
            #expect(list.selected?.title == "tea")
            #expect(list.todos[0].titleObservable == title)
            // No part of it stays shared.
            list.selected?.isDone = true
            list.selected?.note.text = "green"
            #expect(!list.todos[0].isDone)
            #expect(list.todos[0].note.text == "")
        }

        @Test(arguments: Observing.allCases, [true, false])
        func aStructThatThePatchNamesOnAllPathsIsWrittenInPlace(_ observing: Observing, _ transaction: Bool) throws {
            let list = List()
            list.selected = list.todos[0]
            let title = list.todos[0].titleObservable
            var titles: [String] = []
            let reaction = autorun { titles.append(list.todos[0].title) }
            defer { reaction.cancel() }
            try check(
                """
                [{"op":"replace","path":"/selected/title","value":"tea"},\
                {"op":"replace","path":"/todos/0/title","value":"tea"}]
                """, on: list, observing, in: transaction)
            #expect(list.todos[0].titleObservable == title)
            #expect(list.selected?.titleObservable == title)
            #expect(titles == ["milk", "tea"])
        }

        @Test(arguments: Observing.allCases)
        func pathsThatGetDifferentValuesAreNoLongerShared(_ observing: Observing) throws {
            let list = List()
            list.selected = list.todos[0]
            try check(
                """
                [{"op":"replace","path":"/selected/title","value":"tea"},\
                {"op":"replace","path":"/todos/0/title","value":"beer"}]
                """, on: list, observing)
            #expect(list.todos[0].title == "beer")
            #expect(list.selected?.title == "tea")
        }

        @Test(arguments: Observing.allCases)
        func aPathThatThePatchRemovesCountsAsNamed(_ observing: Observing) throws {
            let list = List()
            list.selected = list.todos[0]
            let title = list.todos[0].titleObservable
            try check(
                #"[{"op":"remove","path":"/selected"},{"op":"replace","path":"/todos/0/title","value":"tea"}]"#,
                on: list, observing)
            #expect(list.todos[0].titleObservable == title)
        }

        @Test(arguments: Observing.allCases)
        func elementsOfASharedArrayAreReplaced(_ observing: Observing) throws {
            let list = List()
            list.archive = list.todos
            let titles = list.todos.map { $0.titleObservable }
            try check(#"[{"op":"replace","path":"/archive/1/title","value":"tea"}]"#, on: list, observing)
            #expect(list.todos.map(\.title) == ["milk", "bread", "eggs"])
            #expect(list.archive.map(\.title) == ["milk", "tea", "eggs"])
            #expect(list.todos.map { $0.titleObservable } == titles)
            // The other elements are shared as before.
            #expect(list.archive[0].titleObservable == list.todos[0].titleObservable)
            #expect(list.archive[1].isDoneObservable != list.todos[1].isDoneObservable)
            try check(#"[{"op":"remove","path":"/archive/0"}]"#, on: list, observing)
            #expect(list.todos.count == 3)
        }

        @Test(arguments: Observing.allCases)
        func aChangedPropertyThatIsNotObservableDoesNotLeaveHalvesShared(_ observing: Observing) throws {
            let list = List()
            list.selected = list.todos[0]
            try check(#"[{"op":"replace","path":"/selected/id","value":7}]"#, on: list, observing)
            #expect(list.todos[0].id == 0)
            list.selected?.title = "tea"
            #expect(list.todos[0].title == "milk")
            list.selected?.note.text = "green"
            #expect(list.todos[0].note.text == "")
        }

        @Test func movingAnElementOutOfASharedValueLeavesTheValue() throws {
            struct Box: Codable {
                @Observable var todos = [Todo(0, "milk")]
            }
            final class Shelf: Codable {
                @Observable var first: Box
                @Observable var second: Box
                @Observable var loose: [Todo] = []
                init() {
                    first = Box()
                    second = _first.value
                }
            }
            let shelf = Shelf()
            try check(
                """
                [{"op":"move","from":"/first/todos/0","path":"/loose/0"},\
                {"op":"replace","path":"/loose/0/title","value":"tea"}]
                """, on: shelf)
            #expect(shelf.second.todos.map(\.title) == ["milk"])
            #expect(shelf.loose.map(\.title) == ["tea"])
        }

        @Test func aSeriesOfPatchesNoticesSharingInBetween() throws {
            let list = List()
            for (number, title) in ["a", "b", "c"].enumerated() {
                try check(#"[{"op":"replace","path":"/todos/0/title","value":"\#(title)"}]"#, on: list)
                list.selected = list.todos[number]
                try check(#"[{"op":"replace","path":"/selected/title","value":"x"}]"#, on: list)
                #expect(list.todos[number].title != "x")
                list.selected = nil
            }
        }

        @Test func sharingByWritesOfTheTransactionIsNoticed() throws {
            let list = List()
            let observer = deepObserve(list) {}
            defer { observer.cancel() }
            for canThrow in [true, false] {
                func body() throws {
                    list.selected = list.todos[0]
                    try check(#"[{"op":"replace","path":"/selected/title","value":"x"}]"#, on: list)
                    #expect(list.todos[0].title == "milk")
                    list.selected = nil
                }
                if canThrow { try inTransaction { try body() } } else { inTransaction { try? body() } }
            }
        }

        @Test func aRootThatSharesWithItselfIsWritten() throws {
            final class Pair: Codable {
                @Observable var left = 1
                @Observable var right = 2
                init() { _right = _left }
            }
            let pair = Pair()
            try apply([.replace(path: JSONPointer("/left"), value: 5)], to: pair)
            #expect(pair.left == 5)
            #expect(pair.right == 5)
        }

        // MARK: - Classes

        class Person: Codable {
            @Observable var name: String
            @Observable var friends: [Person] = []
            init(_ name: String) { self.name = name }
        }

        final class Singer: Person {
            @Observable var songs: [String] = []
            enum CodingKeys: CodingKey { case songs }
            override init(_ name: String) { super.init(name) }
            required init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                _songs = try container.decode(Observable<[String]>.self, forKey: .songs)
                try super.init(from: container.superDecoder())
            }
            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(_songs, forKey: .songs)
                try super.encode(to: container.superEncoder())
            }
        }

        final class Club: Codable {
            @Observable var singers: [Singer] = []
            @Observable var members: [String: Person] = [:]
            @Observable var chair: Singer?
        }

        @Test(arguments: Observing.allCases)
        func aSharedObjectIsReplaced(_ observing: Observing) throws {
            let club = Club()
            let ann = Singer("Ann")
            ann.friends = [Person("Bob")]
            club.singers = [ann, Singer("Cid")]
            club.chair = ann
            try check(
                #"[{"op":"add","path":"/chair/songs/-","value":"la"}]"#, on: club, observing)
            #expect(club.singers[0] === ann)
            #expect(ann.songs == [])
            let chair = try #require(club.chair)
            #expect(chair !== ann)
            // The objects inside are the same, and properties that the superclass encodes have observables of their
            // own.
            #expect(chair.friends[0] === ann.friends[0])
            chair.name = "Dan"
            #expect(ann.name == "Ann")
        }

        @Test(arguments: Observing.allCases)
        func aSharedObjectThatIsNamedOnAllPathsStays(_ observing: Observing) throws {
            let club = Club()
            let ann = Singer("Ann")
            club.singers = [ann]
            club.chair = ann
            club.members = ["a": ann]
            let name = #"{"op":"replace","path":"/singers/0/super/name","value":"Eve"}"#
            let chair = #"{"op":"replace","path":"/chair/super/name","value":"Eve"}"#
            try apply(JSONPatch(parsing: "[\(name),\(chair)]"), to: club, encoder: JSONEncoder())
            // The third path was not named.
            #expect(ann.name == "Ann")
            #expect(club.singers[0].name == "Eve")
            #expect(club.chair?.name == "Eve")
            club.singers = [ann]
            club.chair = ann
            club.members = [:]
            try check("[\(name),\(chair)]", on: club, observing)
            #expect(ann.name == "Eve")
            #expect(club.singers[0] === ann)
            #expect(club.chair === ann)
        }

        @Test(arguments: Observing.allCases)
        func contentsOfASharedObjectAreShared(_ observing: Observing) throws {
            let club = Club()
            let ann = Singer("Ann")
            let bob = Person("Bob")
            ann.friends = [bob]
            club.singers = [ann]
            club.chair = ann
            try check(
                #"[{"op":"replace","path":"/chair/super/friends/0/name","value":"Rob"}]"#, on: club, observing)
            #expect(club.singers[0] === ann)
            #expect(ann.friends[0] === bob)
            #expect(bob.name == "Bob")
        }

        // MARK: - Cycles

        @Test(arguments: Observing.allCases)
        func tenObjectsThatReferToEachOtherArePatchedQuickly(_ observing: Observing) throws {
            struct People: Codable {
                @Observable var everybody: [Person]
            }
            let everybody = (0..<10).map { Person("\($0)") }
            for person in everybody { person.friends = everybody.filter { $0 !== person } }
            defer { for person in everybody { person.friends = [] } }
            let people = People(everybody: everybody)
            let observer: Reaction? = observing == .nobody ? nil : deepObserve(people) {}
            defer { observer?.cancel() }
            try apply([.replace(path: JSONPointer("/everybody/3/name"), value: "x")], to: people)
            #expect(people.everybody[3].name == "x")
            #expect(everybody.map(\.name) == (0..<10).map { "\($0)" })
            for person in people.everybody { person.friends = [] }
        }

        @Test func aPathAroundACycleWritesItsTarget() throws {
            let ann = Person("Ann")
            let bob = Person("Bob")
            ann.friends = [bob]
            bob.friends = [ann]
            defer { bob.friends = [] }
            try apply([.replace(path: JSONPointer("/friends/0/name"), value: "Rob")], to: ann)
            try apply([.replace(path: JSONPointer("/friends/0/friends/0/name"), value: "Eve")], to: ann)
            #expect(ann.friends[0] === bob)
            #expect(bob.friends[0] === ann)
            #expect(bob.name == "Rob")
            #expect(ann.name == "Eve")
        }

        @Test(arguments: Observing.allCases)
        func swappedContainersDoNotHang(_ observing: Observing) throws {
            final class Group: Codable {
                @Observable var name = ""
                @Observable var groups: [String: Group] = [:]
            }
            final class Root: Codable {
                @Observable var all: [String: Group] = [:]
            }
            let root = Root()
            let (outer, inner) = (Group(), Group())
            outer.groups = ["x": inner]
            root.all = ["a": outer, "z": inner]
            // The inner group is moved out of the outer one, the outer one is moved into it, and both are removed.
            try check(
                """
                [{"op":"move","from":"/all/a/groups/x","path":"/all/b"},\
                {"op":"replace","path":"/all/b/name","value":"b"},\
                {"op":"move","from":"/all/a","path":"/all/b/groups/y"},{"op":"remove","path":"/all/b"},\
                {"op":"replace","path":"/all/z/name","value":"z"}]
                """, on: root, observing)
            #expect(root.all["z"]?.name == "z")
            #expect(root.all.count == 1)
        }

        @Test func manySharedElementsArePatchedInLinearTime() throws {
            let list = List()
            list.todos = (0..<2_000).map { Todo($0, "") }
            list.archive = list.todos
            let operations = (0..<2_000).map {
                JSONPatch.Operation.replace(
                    path: JSONPointer(tokens: ["archive", "\($0)", "title"]), value: .string("\($0)"))
            }
            try apply(JSONPatch(operations), to: list)
            #expect(list.archive.map(\.title) == (0..<2_000).map { "\($0)" })
            #expect(list.todos.allSatisfy { $0.title.isEmpty })
        }

        // MARK: - Errors

        @Test func nothingIsReplacedIfAnOperationDoesNotFit() throws {
            let list = List()
            list.selected = list.todos[0]
            let before = try JSONValue(encoding: list)
            let title = list.todos[0].titleObservable
            let patch = try JSONPatch(
                parsing: """
                    [{"op":"replace","path":"/selected/title","value":"x"},\
                    {"op":"replace","path":"/todos/1/isDone","value":1}]
                    """)
            let error = #expect(throws: JSONPatchError.self) { try apply(patch, to: list) }
            #expect(error?.index == 1)
            #expect(error?.path?.description == "/todos/1/isDone")
            #expect(try JSONValue(encoding: list) == before)
            #expect(list.selected?.titleObservable == title)
        }

        @Test func anErrorOfAReplacedObjectNamesItsOperation() throws {
            let list = List()
            list.selected = list.todos[0]
            let patch = try JSONPatch(
                parsing: """
                    [{"op":"test","path":"/todos/1/id","value":1},{"op":"replace","path":"/selected/title","value":5}]
                    """)
            let error = #expect(throws: JSONPatchError.self) { try apply(patch, to: list) }
            #expect(error?.index == 1)
            #expect(error?.path?.description == "/selected/title")
        }
    }
}
