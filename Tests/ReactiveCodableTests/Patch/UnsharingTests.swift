// What stays shared, and what is created anew, when a patch names only some of the paths to an object.

import Foundation
import Reactive
import ReactiveCodable
import TestSupport
import Testing

extension ReactiveCodableTests {
    @Suite struct UnsharingTests {
        /// Whether a deep observation of the root knows the paths of objects, or apply has to find them.
        enum Observing: CaseIterable {
            case nobody, closure
        }

        struct Note: Codable {
            var size = 0
            @Observable var text = "-"
            var identity: ObjectIdentifier { ObjectIdentifier(_text) }
        }

        final class Owner: Codable {
            @Observable var name = "Ann"
        }

        struct Todo: Codable {
            var id = 0
            @Observable var title = "milk"
            var notes = [Note()]
            var owner = Owner()
            @Observable var byKey: [String: Note] = ["a": Note()]
            var identity: ObjectIdentifier { ObjectIdentifier(_title) }
        }

        final class Shelf: Codable {
            @Observable var todo = Todo()
            init() {}
            init(sharing other: Shelf) { _todo = other._todo }
        }

        struct Root: Codable {
            @Observable var todos: [Todo]
            @Observable var archive: [Todo]
            @Observable var selected: Todo?
            @Observable var first = Shelf()
            @Observable var second: Shelf? = nil
            @Observable var cells: [Observable<Todo>] = []
            @Observable var counts: [String: Observable<Int>] = [:]
            @Observable var otherCounts: [String: Observable<Int>] = [:]
            @Observable var notes: [String: Note] = [:]
            @Observable var otherNotes: [String: Note] = [:]

            init() {
                let todos = [Todo(), Todo()]
                self.todos = todos
                archive = todos
            }
        }

        /// Applies a patch and compares the document with the patched one.
        private func check(_ text: String, on root: some Codable, _ observing: Observing = .nobody) throws {
            let patch = try JSONPatch(parsing: text)
            let expected = try patch.applying(to: JSONValue(encoding: root))
            let observer: Reaction? = observing == .nobody ? nil : deepObserve(root) {}
            defer { observer?.cancel() }
            try apply(patch, to: root)
            #expect(try JSONValue(encoding: root) == expected)
        }

        // MARK: - Values that are decoded anew

        @Test(arguments: Observing.allCases)
        func aChangedPartSharesNothingAndItsObjectsStay(_ observing: Observing) throws {
            let root = Root()
            root.selected = root.todos[0]
            root.archive = []
            let owner = root.todos[0].owner
            try check(#"[{"op":"replace","path":"/selected/notes/0/size","value":5}]"#, on: root, observing)
            root.selected?.notes[0].text = "own"
            root.selected?.title = "tea"
            #expect(root.todos[0].notes[0].text == "-" && root.todos[0].title == "milk")
            #expect(root.selected?.owner === owner)
        }

        @Test(arguments: Observing.allCases)
        func elementsAndMembersThatAreOnlyReadStayShared(_ observing: Observing) throws {
            let root = Root()
            root.counts = ["a": Observable(1)]
            root.otherCounts = root.counts
            root.notes = ["a": Note()]
            root.otherNotes = root.notes
            try check(
                """
                [{"op":"test","path":"/todos/0/title","value":"milk"},{"op":"remove","path":"/todos/1"},\
                {"op":"test","path":"/counts/a","value":1},{"op":"add","path":"/counts/b","value":2},\
                {"op":"test","path":"/notes/a/text","value":"-"},\
                {"op":"add","path":"/notes/b","value":{"size":1,"text":"new"}}]
                """, on: root, observing)
            #expect(root.todos[0].identity == root.archive[0].identity)
            #expect(root.counts["a"] === root.otherCounts["a"])
            #expect(root.notes["a"]?.identity == root.otherNotes["a"]?.identity)
        }

        @Test(arguments: Observing.allCases)
        func aSharedObservableThatIsReplacedSharesNoMembers(_ observing: Observing) throws {
            let root = Root()
            let second = Shelf(sharing: root.first)
            root.second = second
            try check(#"[{"op":"replace","path":"/first/todo/id","value":7}]"#, on: root, observing)
            root.first.todo.title = "tea"
            #expect(second.todo.id == 0 && second.todo.title == "milk")
        }

        @Test(arguments: Observing.allCases)
        func anElementThatIsAnObservableSharesNoMembers(_ observing: Observing) throws {
            let root = Root()
            root.cells = [Observable(root.todos[0])]
            root.archive = []
            try check(
                #"[{"op":"replace","path":"/cells/0/id","value":7},{"op":"copy","from":"/cells/0","path":"/cells/-"}]"#,
                on: root, observing)
            root.cells[0].value.title = "tea"
            #expect(root.todos[0].title == "milk")
        }

        @Test(arguments: Observing.allCases)
        func membersOfAnObservableThatIsWrittenOnAllPathsStayShared(_ observing: Observing) throws {
            let root = Root()
            let second = Shelf(sharing: root.first)
            root.second = second
            let title = second.todo.identity
            try check(
                """
                [{"op":"replace","path":"/first/todo/id","value":7},{"op":"replace","path":"/second/todo/id","value":7}]
                """, on: root, observing)
            #expect(root.first.todo.identity == title && second.todo.identity == title)
            #expect(root.second === second)
        }

        @Test(arguments: Observing.allCases)
        func aValueSharesNoMembersWithOneThatIsRemoved(_ observing: Observing) throws {
            let root = Root()
            let second = Shelf()
            second.todo = root.first.todo
            root.second = second
            try check(
                """
                [{"op":"replace","path":"/second/todo/id","value":8},{"op":"remove","path":"/second"},\
                {"op":"replace","path":"/first/todo/id","value":7}]
                """, on: root, observing)
            root.first.todo.title = "tea"
            #expect(second.todo.id == 0 && second.todo.title == "milk")
        }

        // MARK: - Named paths

        @Test(arguments: Observing.allCases)
        func aPathThatIsOnlyReadIsNotNamed(_ observing: Observing) throws {
            let root = Root()
            try check(
                """
                [{"op":"test","path":"/archive/0/title","value":"milk"},\
                {"op":"replace","path":"/todos/0/title","value":"tea"},\
                {"op":"replace","path":"/todos/0/title","value":"milk"}]
                """, on: root, observing)
            #expect(root.todos[0].identity != root.archive[0].identity)
        }

        @Test(arguments: Observing.allCases)
        func anElementThatMovesIsNamedByItsFormerPath(_ observing: Observing) throws {
            let root = Root()
            let title = root.todos[0].identity
            try check(
                """
                [{"op":"replace","path":"/archive/0/title","value":"tea"},\
                {"op":"move","from":"/archive/0","path":"/todos/1"},\
                {"op":"replace","path":"/todos/0/title","value":"tea"}]
                """, on: root, observing)
            #expect(root.todos[0].identity == title && root.todos[1].identity == title)
        }

        final class Group: Codable {
            @Observable var name = ""
            @Observable var groups: [String: Group] = [:]
        }

        struct Groups: Codable {
            @Observable var all: [String: Group] = [:]
        }

        @Test(arguments: Observing.allCases)
        func containersThatChangePlacesDoNotHang(_ observing: Observing) throws {
            let root = Groups()
            let (outer, inner) = (Group(), Group())
            outer.groups = ["x": inner]
            root.all = ["a": outer, "z": inner]
            try check(
                """
                [{"op":"move","from":"/all/a/groups/x","path":"/all/b"},\
                {"op":"replace","path":"/all/b/name","value":"b"},\
                {"op":"move","from":"/all/a","path":"/all/b/groups/y"}]
                """, on: root, observing)
            #expect(root.all["z"] === inner && inner.name == "")
        }

        // MARK: - Cycles

        final class Person: Codable {
            @Observable var name: String
            @Observable var friends: [Person] = []
            @Observable var best: Person?
            init(_ name: String) { self.name = name }
        }

        struct People: Codable {
            @Observable var people: [Person]
        }

        @Test(arguments: Observing.allCases, [1, 2])
        func aPathAroundACycleNamesItsTarget(_ observing: Observing, rounds: Int) throws {
            let (ann, bob) = (Person("Ann"), Person("Bob"))
            ann.friends = [bob]
            bob.friends = [ann]
            defer { bob.friends = [] }
            let root = People(people: [ann])
            let observer: Reaction? = observing == .nobody ? nil : deepObserve(root) {}
            defer { observer?.cancel() }
            let around = "/people/0" + String(repeating: "/friends/0/friends/0", count: rounds) + "/name"
            try apply(
                JSONPatch(
                    parsing: """
                        [{"op":"replace","path":"/people/0/name","value":"Eve"},\
                        {"op":"replace","path":"\(around)","value":"Eve"}]
                        """), to: root)
            #expect(ann.name == "Eve")
            #expect(root.people[0] === ann && bob.friends[0] === ann)
        }

        @Test func aShorterPathAfterACycleIsAPathOfItsOwn() throws {
            let (ann, bob) = (Person("Ann"), Person("Bob"))
            ann.friends = [bob]
            ann.best = bob
            bob.friends = [ann]
            defer { bob.friends = [] }
            let root = People(people: [ann])
            try apply(
                [.replace(path: JSONPointer("/people/0/friends/0/friends/0/best/name"), value: "Rob")], to: root)
            #expect(bob.name == "Bob" && ann.friends[0] === bob)
            ann.best?.friends = []
        }

        // MARK: - Errors

        struct Box: Codable {
            var size = 0
            @Observable var unreadable = Double.nan
        }

        final class Boxes: Codable {
            @Observable var box: Box
            init() { box = Box() }
            init(sharing other: Boxes) { _box = other._box }
        }

        final class Store: Codable {
            @Observable var name = "store"
            @Observable var first: Boxes
            @Observable var second: Boxes?
            @Observable var boxes: [Box]
            @Observable var more: [Box]
            init() {
                let (boxes, all) = (Boxes(), [Box()])
                first = boxes
                second = Boxes(sharing: boxes)
                self.boxes = all
                more = all
            }
        }

        private func error(of text: String, on store: Store = Store()) throws -> JSONPatchError? {
            let patch = try JSONPatch(parsing: text)
            return #expect(throws: JSONPatchError.self) { try apply(patch, to: store) }
        }

        @Test func anErrorOfAValueThatIsComparedNamesItsOperation() throws {
            let error = try error(
                of: """
                    [{"op":"replace","path":"/first/box/size","value":5},\
                    {"op":"replace","path":"/second/box/size","value":5},\
                    {"op":"replace","path":"/name","value":"x"}]
                    """)
            #expect(error?.index == 0)
        }

        @Test func anErrorOfAMemberThatIsCreatedAnewNamesItsOperation() throws {
            let error = try error(
                of: """
                    [{"op":"replace","path":"/boxes/0/size","value":5},{"op":"replace","path":"/name","value":"x"}]
                    """)
            #expect(error?.index == 0)
            #expect(error?.path?.description == "/boxes/0/unreadable")
        }

        struct Bag: Codable {
            var size = 0
            var parts = [Observable(Double.nan)]
        }

        final class Bags: Codable {
            @Observable var bag: Bag
            init() { bag = Bag() }
            init(sharing other: Bags) { _bag = other._bag }
        }

        struct Shop: Codable {
            @Observable var first = Bags()
            @Observable var second: Bags? = nil
        }

        /// So the part that cannot be encoded does not matter.
        @Test func theOnlyPathThatIsLeftIsComparedWithNothing() throws {
            let shop = Shop()
            shop.second = Bags(sharing: shop.first)
            let first = shop.first
            try apply(
                [.remove(path: JSONPointer("/second")), .replace(path: JSONPointer("/first/bag/size"), value: 5)],
                to: shop)
            #expect(shop.second == nil && shop.first === first && first.bag.size == 5)
        }
    }
}
