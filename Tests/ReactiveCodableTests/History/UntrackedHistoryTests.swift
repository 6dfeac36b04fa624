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

        @Test func inATransactionOfADifferentGraphUntrackedChangesAreReported() throws {
            let list = Todos()
            let history = History(list, named: "list")
            var result = 0
            let messages = TestSupport.issues {
                IndependentGraph().run { inTransaction { result = history.untracked { 7 } } }
            }.map(\.message)
            #expect(messages.count == 1 && messages[0].hasPrefix("untracked of list was called inside"))
            #expect(result == 7)
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

        @Test func entriesBeforeAndAfterThePresentMoveByTheSameChange() throws {
            let numbers = Numbers()
            let history = History(numbers)
            numbers.numbers.insert(contentsOf: [7, 8], at: 0)
            numbers.numbers.insert(5, at: 2)
            try history.undo()
            history.untracked { numbers.numbers.insert(100, at: 3) }
            #expect(numbers.numbers == [7, 8, 1, 100, 2, 3])
            try history.redo()
            #expect(numbers.numbers == [7, 8, 5, 1, 100, 2, 3])
            for _ in 0..<2 { try history.undo() }
            #expect(numbers.numbers == [1, 100, 2, 3])
        }

        @Test func removedElementsReturnBesideTheirNeighbours() throws {
            let numbers = Numbers()
            let history = History(numbers)
            numbers.numbers.removeLast()
            numbers.numbers.insert(contentsOf: [7, 8], at: 0)
            history.untracked { numbers.numbers.insert(100, at: 3) }
            #expect(numbers.numbers == [7, 8, 1, 100, 2])
            try history.undo()
            try history.undo()
            #expect(numbers.numbers == [1, 100, 2, 3])
        }

        @Test func elementsAreFoundAtTheEndOfAnArray() throws {
            let numbers = Numbers()
            let history = History(numbers)
            numbers.numbers.insert(contentsOf: [7, 8], at: 0)
            history.untracked { numbers.numbers = [1, 2, 3, 7, 8] }
            try history.undo()
            #expect(numbers.numbers == [1, 2, 3])
        }

        @Test func elementsThatAreGoneAreReplacedAsFarAsTheArrayReaches() throws {
            let numbers = Numbers()
            let history = History(numbers)
            numbers.numbers.append(contentsOf: [7, 8])
            history.untracked { numbers.numbers = [1] }
            try history.undo()
            #expect(numbers.numbers == [1])
            history.untracked { numbers.numbers = [] }
            try history.redo()
            #expect(numbers.numbers == [7, 8])
            history.untracked { numbers.numbers = [] }
            try history.undo()
            #expect(numbers.numbers.isEmpty)
        }

        @Test func valuesLoadedIntoAnObjectThatLeavesAreRestoredWithIt() throws {
            let list = Todos()
            let history = History(list)
            let milk = list.todos[0]
            list.todos.removeFirst()
            try history.undo()
            history.untracked { milk.title = "loaded" }
            try history.redo()
            milk.title = "changed outside"
            try history.undo()
            #expect(list.todos[0] === milk && milk.title == "loaded")
        }

        @Test func aStepWritesOnlyValuesThatDiffer() throws {
            let list = Todos()
            let history = History(list)
            inTransaction {
                list.todos[0].title = "oat milk"
                list.selected = list.todos[1]
            }
            history.untracked { list.selected = nil }
            var runs = 0
            let reaction = autorun { runs += list.selected == nil ? 1 : 100 }
            defer { reaction.cancel() }
            try history.undo()
            #expect(list.todos[0].title == "milk" && runs == 1)
        }

        @Test func observersOfTheLogSeeWhatAnUntrackedChangeMoves() throws {
            let numbers = Numbers()
            let history = History(numbers)
            numbers.numbers.append(4)
            var logs: [String] = []
            let reaction = autorun { logs.append(history.log.done.map(\.patch.description).joined()) }
            defer { reaction.cancel() }
            history.untracked { numbers.numbers.insert(0, at: 0) }
            let patches = [3, 4].map { #"[{"op":"add","path":"/numbers/\#($0)","value":4}]"# }
            #expect(logs == patches)
            // Nothing has changed.
            history.untracked { numbers.numbers.append(numbers.numbers.removeLast()) }
            #expect(logs == patches)
        }

        @Test func theLogFollowsObjectsThatAnUntrackedChangeMoves() {
            let list = Todos()
            let history = History(list)
            list.todos[0].title = "oat milk"
            history.untracked { list.todos.swapAt(0, 2) }
            #expect(
                history.log.done.map(\.patch.description) == [
                    #"[{"op":"replace","path":"/todos/2/title","value":"oat milk"}]"#
                ])
        }

        @Test func theLogFollowsObjectsThatAnUntrackedChangeRefersTo() {
            let list = Todos()
            let history = History(list)
            list.todos[0].title = "oat milk"
            history.untracked { list.selected = list.todos[0] }
            #expect(history.log.done.map(\.patch.operations.count) == [2])
        }

        @Test func theLogFollowsObjectsThatAnUntrackedChangeReplaces() throws {
            let list = Todos()
            list.selected = Todo("tea")
            let history = History(list)
            list.selected?.title = "green tea"
            history.untracked { list.selected = Todo("jam") }
            let log = history.log
            #expect(log.done.count == 1)
            // The object with the changed title is no part of the document any more.
            let document = try JSONValue(encoding: list)
            #expect(try log.done[0].inverse.applying(to: document) == document)
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
