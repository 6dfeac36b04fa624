// Untracked changes, and entries before and after them.

import Foundation
import Reactive
import ReactiveCodable
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite struct UntrackedHistoryTests {
        typealias Todo = HistoryIdentityTests.Todo
        typealias Todos = HistoryIdentityTests.Todos

        struct Numbers: Codable {
            @Observable var numbers = [1, 2, 3]
            @Observable var title = ""
        }

        @Test func untrackedChangesAreNoEntry() throws {
            let list = Todos()
            let history = History(list)
            let count = history.untracked {
                list.todos.append(Todo("tea"))
                return list.todos.count
            }
            #expect(count == 4 && history.undoCount == 0)
            // Loaded elements are observed.
            list.todos[3].title = "green tea"
            try history.undo()
            #expect(list.todos[3].title == "tea" && !history.canUndo)
        }

        @Test func earlierChangesOfTheTransactionAreAnEntry() throws {
            let numbers = Numbers()
            let history = History(numbers)
            inTransaction {
                numbers.title = "a"
                history.untracked { numbers.numbers = [] }
                #expect(history.undoCount == 1)
                numbers.title = "b"
            }
            #expect(history.undoCount == 2)
            try history.undo()
            try history.undo()
            #expect(numbers.title.isEmpty && numbers.numbers.isEmpty)
        }

        @Test func loadedElementsStayBeforeAndAfterTheElementsOfSteps() throws {
            let numbers = Numbers()
            let history = History(numbers)
            numbers.numbers.append(4)
            numbers.numbers.remove(at: 1)
            numbers.numbers.insert(9, at: 0)
            #expect(numbers.numbers == [9, 1, 3, 4])
            history.untracked { numbers.numbers.insert(contentsOf: [70, 71], at: 0) }
            history.untracked { numbers.numbers.append(80) }
            #expect(numbers.numbers == [70, 71, 9, 1, 3, 4, 80])
            try history.undo()
            #expect(numbers.numbers == [70, 71, 1, 3, 4, 80])
            try history.undo()
            #expect(numbers.numbers == [70, 71, 1, 2, 3, 4, 80])
            history.untracked { numbers.numbers.remove(at: 0) }
            try history.undo()
            #expect(numbers.numbers == [71, 1, 2, 3, 80])
            while history.canRedo { try history.redo() }
            #expect(numbers.numbers == [71, 9, 1, 3, 4, 80])
        }

        @Test func elementsAreFoundAtTheirNewPositions() throws {
            let list = Todos()
            let history = History(list)
            let tea = Todo("tea")
            list.todos.insert(tea, at: 1)
            history.untracked { list.todos.reverse() }
            try history.undo()
            #expect(list.titles == ["eggs", "bread", "milk"])
        }

        @Test func untrackedChangesKeepRedoableEntries() throws {
            let list = Todos()
            let history = History(list)
            list.todos.append(Todo("tea"))
            list.todos[0].title = "oat milk"
            try history.undo()
            try history.undo()
            history.untracked { list.todos.insert(Todo("jam"), at: 0) }
            #expect(history.redoCount == 2)
            try history.redo()
            try history.redo()
            #expect(list.titles == ["jam", "oat milk", "bread", "eggs", "tea"])
        }

        @Test func valuesLoadedIntoAnObjectAreRestoredWithIt() throws {
            let list = Todos()
            let history = History(list)
            let tea = Todo("tea")
            list.todos.append(tea)
            history.untracked { tea.title = "loaded" }
            try history.undo()
            tea.title = "changed outside"
            try history.redo()
            #expect(list.todos.last === tea && tea.title == "loaded")
        }

        @Test func anUntrackedBodyThatThrowsIsRolledBack() throws {
            struct Refusal: Error {}
            let numbers = Numbers()
            let history = History(numbers)
            #expect(throws: Refusal.self) {
                try history.untracked {
                    numbers.title = "x"
                    throw Refusal()
                }
            }
            #expect(numbers.title.isEmpty && history.undoCount == 0)
            numbers.title = "y"
            #expect(history.undoCount == 1)
        }

        @Test func inAThrowingTransactionUntrackedChangesJoinItsEntry() throws {
            let numbers = Numbers()
            let history = History(numbers, named: "numbers")
            let messages = TestSupport.issues {
                try? inTransaction { () throws in
                    numbers.title = "a"
                    history.untracked { numbers.numbers = [] }
                }
            }.map(\.message)
            #expect(messages.count == 1 && messages[0].hasPrefix("untracked of numbers was called inside"))
            #expect(history.undoCount == 1)
            try history.undo()
            #expect(numbers.numbers == [1, 2, 3])
        }

        @Test func untrackedBodiesNestAndMayUndo() throws {
            let numbers = Numbers()
            let history = History(numbers)
            numbers.title = "a"
            history.untracked {
                numbers.numbers = [1]
                history.untracked { numbers.numbers = [1, 2] }
                try? history.undo()
                numbers.numbers = [1, 2, 3, 4]
            }
            #expect(numbers.title.isEmpty && history.redoCount == 1 && history.undoCount == 0)
            numbers.numbers = []
            #expect(history.undoCount == 1)
        }

        @Test func theLogReplaysFromTheStartToThePresent() throws {
            let list = Todos()
            let history = History(list)
            list.todos[2].title = "duck eggs"
            list.todos.append(Todo("tea"))
            history.untracked { list.todos.insert(Todo("jam"), at: 0) }
            list.todos[1].title = "oat milk"
            try history.undo()
            let present = try JSONValue(encoding: list)
            let log = history.log
            #expect(log.done.count == 2 && log.undone.count == 1)
            while history.canUndo { try history.undo() }
            var document = try JSONValue(encoding: list)
            for entry in log.done { document = try entry.patch.applying(to: document) }
            #expect(document == present)
            for entry in log.done.reversed() { document = try entry.inverse.applying(to: document) }
            #expect(try document == JSONValue(encoding: list))
        }
    }
}
