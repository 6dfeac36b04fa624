// Which edits merge into one entry, and how many entries are kept.

import Foundation
import Reactive
import ReactiveCodable
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite struct MergingTests {
        typealias List = ApplyTests.List
        typealias Item = ApplyTests.Item

        @Test func editsOfOneValueMergeUntilThereIsAPause() throws {
            let clock = ManualClock()
            let list = List()
            let history = History(list, mergeWindow: .seconds(1), clock: clock)
            for letter in "abc" {
                list.title.append(letter)
                clock.advance(by: .milliseconds(900))
            }
            #expect(history.undoCount == 1)
            clock.advance(by: .milliseconds(100))
            list.title.append("d")
            #expect(history.undoCount == 2)
            try history.undo()
            #expect(list.title == "groceriesabc")
            try history.undo()
            #expect(list.title == "groceries")
            try history.redo()
            #expect(list.title == "groceriesabc")
        }

        @Test func differentPathsAreDifferentEntries() {
            let list = List()
            let history = History(list, mergeWindow: .seconds(1), clock: ManualClock())
            list.title = "a"
            list.items[0].title = "a"
            list.items[1].title = "a"
            list.items[1].title = "b"
            list.title = "b"
            #expect(history.undoCount == 4)
        }

        @Test func additionsAndRemovalsNeverMerge() {
            let list = List()
            let history = History(list, mergeWindow: .seconds(1), clock: ManualClock())
            list.items.append(Item(4, "Tea"))
            list.items.append(Item(5, "Jam"))
            list.items.removeLast()
            list.items.removeLast()
            #expect(history.undoCount == 4)
        }

        @Test func nothingMergesAcrossAStepOrASeal() throws {
            let list = List()
            let history = History(list, mergeWindow: .seconds(1), clock: ManualClock())
            list.title = "a"
            history.seal()
            list.title = "b"
            list.title = "c"
            #expect(history.undoCount == 2)
            try history.undo()
            list.title = "d"
            list.title = "e"
            #expect(history.undoCount == 2)
            try history.undo()
            try history.redo()
            list.title = "f"
            #expect(history.undoCount == 3)
            try history.undo()
            #expect(list.title == "e")
        }

        @Test func anEditAndItsReversalLeaveNoEntry() throws {
            let list = List()
            let history = History(list, mergeWindow: .seconds(1), clock: ManualClock())
            list.items.removeLast()
            list.title = "x"
            list.title = "groceries"
            #expect(history.undoCount == 1)
            list.title = "y"
            #expect(history.undoCount == 2)
            try history.undo()
            try history.undo()
            #expect(list.items.count == 3 && list.title == "groceries")
        }

        @Test func severalValuesThatChangeTogetherMerge() throws {
            let list = List()
            let history = History(list, mergeWindow: .seconds(1), clock: ManualClock())
            for number in 0..<5 {
                inTransaction {
                    list.title = "\(number)"
                    list.items[0].title = "\(number)"
                }
            }
            #expect(history.undoCount == 1)
            try history.undo()
            #expect(list.title == "groceries" && list.items[0].title == "Milk")
        }

        @Test func theOldestEntriesAreForgottenByNumber() throws {
            let list = List()
            let history = History(list, limit: HistoryLimit(entries: 3))
            for number in 0..<10 { list.title = "\(number)" }
            #expect(history.undoCount == 3)
            for _ in 0..<3 { try history.undo() }
            #expect(list.title == "6" && !history.canUndo)
            for _ in 0..<3 { try history.redo() }
            #expect(list.title == "9")
        }

        @Test func theOldestEntriesAreForgottenBySizeAndTheNewestNever() throws {
            let list = List()
            let history = History(list, limit: HistoryLimit(bytes: 10_000))
            for number in 0..<100 { list.title = String(repeating: "\(number % 10)", count: 1_000) }
            // Old and new text, and some additional bytes.
            #expect(history.undoCount == 4)
            list.title = String(repeating: "x", count: 20_000)
            #expect(history.undoCount == 1)
            try history.undo()
            #expect(list.title.count == 1_000 && history.canRedo)
        }
    }
}
