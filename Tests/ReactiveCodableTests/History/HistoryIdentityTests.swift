// Undo by value: it restores the same object with its earlier contents.

import Foundation
import Reactive
import ReactiveCodable
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite struct HistoryIdentityTests {
        final class Todo: Codable {
            @Observable var title: String
            init(_ title: String) { self.title = title }
        }

        struct Todos: Codable {
            @Observable var todos: [Todo] = ["milk", "bread", "eggs"].map(Todo.init)
            @Observable var selected: Todo?

            var titles: [String] { todos.map(\.title) }
        }

        enum Kind: String, Codable { case open, done, late }

        @Test func sharedObjectsStayShared() throws {
            let list = Todos()
            list.selected = list.todos[0]
            let history = History(list)
            list.selected = list.todos[1]
            try history.undo()
            #expect(list.titles == ["milk", "bread", "eggs"])
            #expect(list.selected === list.todos[0])
            try history.redo()
            #expect(list.titles == ["milk", "bread", "eggs"])
            #expect(list.selected === list.todos[1])
            list.selected?.title = "rye"
            try history.undo()
            #expect(list.titles == ["milk", "bread", "eggs"] && list.selected === list.todos[1])
        }

        @Test func undoRestoresTheSameObjects() throws {
            let list = Todos()
            let all = list.todos
            let history = History(list)
            list.todos.remove(at: 1)
            list.todos.append(Todo("tea"))
            let tea = list.todos[2]
            list.todos.swapAt(0, 2)
            for _ in 0..<2 {
                while history.canUndo { try history.undo() }
                #expect(areSame(list.todos, all))
                while history.canRedo { try history.redo() }
                #expect(areSame(list.todos, [tea, all[2], all[0]]))
            }
        }

        @Test func aRemovedObjectIsRestoredAsItWasWhenRemoved() throws {
            let list = Todos()
            let bread = list.todos[1]
            let history = History(list)
            bread.title = "rye"
            list.todos.remove(at: 1)
            bread.title = "changed outside"
            try history.undo()
            #expect(list.titles == ["milk", "rye", "eggs"] && list.todos[1] === bread)
            try history.undo()
            #expect(list.titles == ["milk", "bread", "eggs"])
        }

        @Test func anObjectChangedAndRemovedInOneTransactionIsRestoredAsBefore() throws {
            let list = Todos()
            let bread = list.todos[1]
            let history = History(list)
            inTransaction {
                bread.title = "rye"
                list.todos.remove(at: 1)
            }
            try history.undo()
            #expect(list.titles == ["milk", "bread", "eggs"])
            try history.redo()
            #expect(list.titles == ["milk", "eggs"] && bread.title == "rye")
        }

        @Test func anObjectChangedAndRemovedInOneTransactionIsRestoredEachTime() throws {
            let list = Todos()
            let history = History(list)
            inTransaction {
                list.todos[1].title = "rye"
                list.todos.remove(at: 1)
            }
            for _ in 0..<2 {
                try history.undo()
                #expect(list.titles == ["milk", "bread", "eggs"])
                try history.redo()
            }
        }

        @Test(arguments: [false, true]) func anObjectThatEntersAndLeavesInOneTransactionStaysAsItIs(
            _ entersLast: Bool
        ) throws {
            final class Folder: Codable {
                @Observable var inner: Folder?
                @Observable var name = ""
            }
            let root = Folder()
            let inner = Folder()
            root.inner = inner
            let history = History(root)
            let guest = Folder()
            inTransaction {
                if !entersLast { inner.inner = guest }
                root.inner = nil
                if entersLast { inner.inner = guest }
            }
            guest.name = "changed outside"
            for _ in 0..<2 {
                try history.undo()
                #expect(root.inner === inner && inner.inner == nil && guest.name == "changed outside")
                try history.redo()
                #expect(root.inner == nil && guest.name == "changed outside")
            }
        }

        @Test func anArrayChangedAndRemovedInOneTransactionIsRestoredAsBefore() throws {
            final class Folder: Codable {
                @Observable var names = ["a"]
                @Observable var inner: Folder?
            }
            let root = Folder()
            let inner = Folder()
            root.inner = inner
            let history = History(root)
            inTransaction {
                inner.names.append("b")
                root.inner = nil
            }
            inner.names = ["x", "y", "z"]
            try history.undo()
            #expect(root.inner === inner && inner.names == ["a"])
        }

        @Test func redoRestoresAnAddedObjectAsItWasWhenAdded() throws {
            let list = Todos()
            let history = History(list)
            let tea = Todo("tea")
            list.todos.append(tea)
            tea.title = "green tea"
            try history.undo()
            try history.undo()
            tea.title = "changed outside"
            try history.redo()
            #expect(list.titles.last == "tea" && list.todos.last === tea)
            try history.redo()
            #expect(tea.title == "green tea")
        }

        @Test func contentsOfARemovedObjectAreRestoredToo() throws {
            final class Folder: Codable {
                @Observable var folders: [Folder] = []
                @Observable var name = ""
            }
            let root = Folder()
            let outer = Folder()
            let inner = Folder()
            inner.name = "inner"
            outer.folders = [inner]
            root.folders = [outer]
            let history = History(root)
            root.folders = []
            inner.name = "?"
            outer.folders = []
            try history.undo()
            #expect(root.folders.first === outer && outer.folders.first === inner && inner.name == "inner")
        }

        @Test func setsAreRestored() throws {
            struct Tags: Codable { @Observable var tags: Set<String> = ["a", "b", "c"] }
            let tags = Tags()
            let history = History(tags)
            for number in 0..<50 { tags.tags.insert("\(number)") }
            for number in 0..<25 { tags.tags.remove("\(number * 2)") }
            while history.canUndo { try history.undo() }
            #expect(tags.tags == ["a", "b", "c"])
            while history.canRedo { try history.redo() }
            #expect(tags.tags == Set(["a", "b", "c"] + (0..<25).map { "\($0 * 2 + 1)" }))
        }

        @Test func aMutationThatChangesNothingIsNoEntry() {
            struct Part: Codable {
                var size = 1
                @Observable var note = ""
            }
            struct Parts: Codable {
                @Observable var byKey = ["a": Part(), "b": Part()]
                @Observable var list = [Part(), Part()]
                @Observable var tags: Set = ["a", "b"]
                @Observable var names = ["a", "b"]
            }
            let parts = Parts()
            let history = History(parts)
            parts.byKey["a"]?.size += 0
            parts.list[1].size += 0
            parts.tags.insert("a")
            parts.names[1] = String(["b"] as [Character])
            #expect(history.undoCount == 0)
            parts.byKey["a"]?.size += 1
            parts.list[1].size += 1
            parts.tags.insert("c")
            parts.names[1] = "c"
            #expect(history.undoCount == 4)
        }

        @Test func dictionariesWithAnyKeysAreRestored() throws {
            struct Point: Codable, Hashable { var x = 0, y = 0 }
            struct Board: Codable {
                @Observable var byKind: [Kind: Todo] = [.open: Todo("a"), .done: Todo("b"), .late: Todo("c")]
                @Observable var byPoint: [Point: Int] = [:]
            }
            let board = Board()
            let old = board.byKind
            let history = History(board)
            inTransaction {
                board.byKind[.open]?.title = "x"
                board.byKind[.done] = nil
                (board.byKind[.late], board.byKind[.open]) = (board.byKind[.open], board.byKind[.late])
                for x in 0..<20 { board.byPoint[Point(x: x, y: -x)] = x }
            }
            try history.undo()
            #expect(board.byKind.mapValues(ObjectIdentifier.init) == old.mapValues(ObjectIdentifier.init))
            #expect(board.byKind.mapValues(\.title) == [.open: "a", .done: "b", .late: "c"] && board.byPoint.isEmpty)
            try history.redo()
            #expect(board.byKind.mapValues(\.title) == [.open: "c", .late: "x"])
            #expect(board.byPoint.count == 20 && board.byPoint[Point(x: 7, y: -7)] == 7)
        }

        @Test func cyclesStayCycles() throws {
            final class Node: Codable {
                @Observable var parent: Node?
                @Observable var children: [Node] = []
                @Observable var name: String
                init(_ name: String) { self.name = name }
                func add(_ child: Node) {
                    inTransaction {
                        children.append(child)
                        child.parent = self
                    }
                }
            }
            let root = Node("root")
            let a = Node("a")
            let b = Node("b")
            root.add(a)
            a.add(b)
            defer { for node in [root, a, b] { (node.parent, node.children) = (nil, []) } }
            let history = History(root)
            inTransaction {
                a.children = []
                b.parent = nil
            }
            inTransaction { root.add(b) }
            b.name = "moved"
            while history.canUndo { try history.undo() }
            #expect(a.children.first === b && b.parent === a && b.name == "b" && root.children.count == 1)
            while history.canRedo { try history.redo() }
            #expect(a.children.isEmpty && b.parent === root && root.children.last === b && b.name == "moved")
        }

        @Test(arguments: [10, 40]) func objectsThatReferToEachOtherAreRecordedQuickly(count: Int) throws {
            final class Person: Codable {
                @Observable var name = ""
                @Observable var friends: [Person] = []
            }
            let people = (0..<count).map { _ in Person() }
            for person in people { person.friends = people.filter { $0 !== person } }
            defer { for person in people { person.friends = [] } }
            let history = History(people[0])
            people[count - 1].name = "Zoe"
            people[3].friends.removeFirst()
            #expect(history.undoCount == 2)
            try history.undo()
            try history.undo()
            #expect(people[count - 1].name.isEmpty && people[3].friends.count == count - 1)
            #expect(people[3].friends.first === people[0])
        }

        @Test func genericPropertiesOfAnyTypeAreUndone() throws {
            struct Box<T: Codable>: Codable { @Observable var value: T }
            let optional = Box<String?>(value: nil)
            let history = History(optional)
            optional.value = "a"
            optional.value = nil
            optional.value = "b"
            var values: [String?] = []
            while history.canUndo {
                try history.undo()
                values.append(optional.value)
            }
            #expect(values == [nil, "a", nil])
            while history.canRedo { try history.redo() }
            #expect(optional.value == "b")

            let nested = Box<[Box<Int?>]>(value: [Box(value: 1), Box(value: nil)])
            let steps = History(nested)
            nested.value[1].value = 2
            nested.value.removeFirst()
            try steps.undo()
            try steps.undo()
            #expect(nested.value.map(\.value) == [1, nil])
        }

        @Test func inheritedPropertiesAreUndone() throws {
            class Animal: Codable { @Observable var name = "?" }
            final class Dog: Animal {
                @Observable var tricks: [String] = []
                private enum CodingKeys: String, CodingKey { case tricks }
                override init() { super.init() }
                required init(from decoder: any Decoder) throws {
                    let container = try decoder.container(keyedBy: CodingKeys.self)
                    try super.init(from: container.superDecoder())
                    tricks = try container.decode([String].self, forKey: .tricks)
                }
                override func encode(to encoder: any Encoder) throws {
                    var container = encoder.container(keyedBy: CodingKeys.self)
                    try super.encode(to: container.superEncoder())
                    try container.encode(_tricks, forKey: .tricks)
                }
            }
            struct Zoo: Codable { @Observable var animal: Animal }
            let rex = Dog()
            let zoo = Zoo(animal: rex)
            let history = History(zoo)
            rex.name = "Rex"
            rex.tricks = ["sit"]
            zoo.animal = Animal()
            for _ in 0..<3 { try history.undo() }
            #expect(zoo.animal === rex && rex.name == "?" && rex.tricks.isEmpty)
            for _ in 0..<2 { try history.redo() }
            #expect(zoo.animal === rex && rex.name == "Rex" && rex.tricks == ["sit"])
        }

        @Test func readsOfACustomEncodeAreUndone() throws {
            final class Person: Encodable, Decodable {
                let first = Observable("Ann")
                let last = Observable("Lee")
                let nickname: Observable<String?> = Observable(nil)
                lazy var full = Computed { [first, last] in "\(first.value) \(last.value)" }
                enum CodingKeys: CodingKey { case full, nickname }
                init() {}
                required init(from decoder: any Decoder) throws {}
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.container(keyedBy: CodingKeys.self)
                    try container.encode(full.value, forKey: .full)
                    if first.value != "X" { try container.encode(nickname.value, forKey: .nickname) }
                }
            }
            struct Team: Codable { @Observable var people = [Person(), Person()] }
            let team = Team()
            let people = team.people
            let history = History(team)
            people[0].last.value = "Lo"
            people[1].nickname.value = "Annie"
            inTransaction {
                people[1].first.value = "X"
                team.people.removeFirst()
            }
            people[0].last.value = "outside"
            #expect(history.undoCount == 3)
            let log = history.log
            #expect(log.done.count == 3 && people[1].first.value == "X")
            try history.undo()
            #expect(areSame(team.people, people))
            #expect(people[0].full.value == "Ann Lo" && people[1].full.value == "Ann Lee")
            try history.undo()
            try history.undo()
            #expect(people[0].full.value == "Ann Lee" && people[1].nickname.value == nil)
            while history.canRedo { try history.redo() }
            #expect(people[0].full.value == "Ann Lo" && people[1].full.value == "X Lee" && team.people.count == 1)
        }

        @Test func readsOfACustomEncodeAreRestoredInsideOtherValues() throws {
            // The walk that first meets such a value in a cell starts again.
            struct Form: Codable {
                @Observable var stars = 0
                private enum CodingKeys: CodingKey { case stars }
                init() {}
                init(from decoder: any Decoder) throws {
                    stars = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .stars)
                }
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.container(keyedBy: CodingKeys.self)
                    try container.encode(stars, forKey: .stars)
                }
            }
            enum Payload: Codable { case form(Form) }
            final class Thing: Codable {
                @Observable var payload = Payload.form(Form())
                @Observable var form = Form()
            }
            struct Root: Codable { @Observable var thing: Thing? }

            let root = Root()
            let history = History(root)
            let thing = Thing()
            guard case .form(let form) = thing.payload else { return }
            root.thing = thing
            try history.undo()
            form.stars = 1
            thing.form.stars = 1
            try history.redo()
            #expect(form.stars == 0 && thing.form.stars == 0)
        }

        @Test func onlyTheDifferenceOfAnArrayIsKept() throws {
            struct Numbers: Codable { @Observable var numbers = Array(0..<20_000) }
            let numbers = Numbers()
            let history = History(numbers, limit: HistoryLimit(bytes: 100_000))
            for number in 0..<100 { numbers.numbers.insert(-number, at: number * 7 + 1) }
            numbers.numbers.removeSubrange(500..<600)
            #expect(history.undoCount == 101)
            let end = numbers.numbers
            while history.canUndo { try history.undo() }
            #expect(numbers.numbers == Array(0..<20_000))
            while history.canRedo { try history.redo() }
            #expect(numbers.numbers == end)
        }

        @Test func elementsWithGapsBetweenTheirPropertiesAreCompared() throws {
            struct Item: Codable {
                var isDone = false
                @Observable var title = ""
                var number: UInt8 = 1
            }
            struct Items: Codable { @Observable var items = (0..<1_000).map { _ in Item() } }
            let items = Items()
            let history = History(items, limit: HistoryLimit(bytes: 50_000))
            for number in 0..<50 {
                items.items.insert(Item(number: UInt8(number)), at: number * 3)
                items.items[number].isDone = true
            }
            #expect(history.undoCount == 100)
            while history.canUndo { try history.undo() }
            #expect(items.items.count == 1_000 && !items.items.contains { $0.isDone || $0.number != 1 })
        }

        @Test func anObserverStaysAttachedAndRunsOnce() throws {
            let list = Todos()
            let history = History(list)
            var log: [String] = []
            let reaction = autorun { log.append(list.titles.joined(separator: " ")) }
            defer { reaction.cancel() }
            inTransaction {
                list.todos[0].title = "oat milk"
                list.todos.removeLast()
            }
            try history.undo()
            try history.redo()
            #expect(log == ["milk bread eggs", "oat milk bread", "milk bread eggs", "oat milk bread"])
        }
    }
}

/// Whether two arrays contain the same objects.
private func areSame<Object: AnyObject>(_ a: [Object], _ b: [Object]) -> Bool {
    a.map(ObjectIdentifier.init) == b.map(ObjectIdentifier.init)
}
