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
            try history.redo()
            #expect(list.title == "4" && list.items[0].title == "4")
        }

        @Test func transactionsOfDifferentValuesDoNotMerge() throws {
            let list = List()
            let history = History(list, mergeWindow: .seconds(1), clock: ManualClock())
            list.title = "a"
            inTransaction {
                list.title = "b"
                list.items[0].title = "b"
            }
            inTransaction {
                list.title = "c"
                list.items[1].title = "c"
            }
            list.title = "d"
            #expect(history.undoCount == 4)
            for _ in 0..<3 { try history.undo() }
            #expect(list.title == "a" && list.items[0].title == "Milk" && list.items[1].title == "Bread")
        }

        @Test func nothingMergesWithAnEntryInWhichAnObjectEntersOrLeaves() throws {
            let list = HistoryIdentityTests.Todos()
            let history = History(list, mergeWindow: .seconds(1), clock: ManualClock())
            let todo = HistoryIdentityTests.Todo("a")
            list.selected = todo
            inTransaction {
                todo.title = "b"
                list.selected = nil
            }
            list.selected = todo
            #expect(history.undoCount == 3)
            for _ in 0..<2 { try history.undo() }
            #expect(list.selected === todo && todo.title == "a")
        }

        @Test func valuesThatAreOrContainCollectionsDoNotMerge() {
            final class Collections: Codable {
                @Observable var plain: [Int] = []
                @Observable var array: [Int]? = []
                @Observable var contiguous: ContiguousArray<Int> = []
                @Observable var set: Set<Int> = []
                @Observable var dictionary: [Int: Int] = [:]
                @Observable var number: Int? = 0
                @Observable var count = 0
            }
            let collections = Collections()
            let history = History(collections, mergeWindow: .seconds(1), clock: ManualClock())
            func entries(_ edit: (Int) -> Void) -> Int {
                history.removeAll()
                for number in 1...3 { edit(number) }
                return history.undoCount
            }
            #expect(entries { collections.plain.append($0) } == 3)
            #expect(entries { collections.array?.append($0) } == 3)
            #expect(entries { collections.contiguous.append($0) } == 3)
            #expect(entries { collections.set.insert($0) } == 3)
            #expect(entries { collections.dictionary[$0] = 0 } == 3)
            #expect(entries { collections.number = $0 } == 1)
            #expect(entries { collections.count = $0 } == 1)
        }

        @Test func nothingMergesIntoAnEntryBeforeOneThatWasUndone() throws {
            let list = List()
            let history = History(list, mergeWindow: .seconds(1), clock: ManualClock())
            list.title = "a"
            list.items[0].title = "b"
            try history.undo()
            // An edit and its reversal leave no entry, so that the last one is that of the title.
            list.items[0].title = "c"
            list.items[0].title = "Milk"
            #expect(history.undoCount == 1)
            list.title = "d"
            #expect(history.undoCount == 2)
        }

        @Test func aMergedChangeIsAStepAndChangesTheLog() throws {
            let list = List()
            let history = History(list, mergeWindow: .seconds(1), clock: ManualClock())
            var steps: [String] = []
            let listening = history.onStep { steps.append($0.patch.description) }
            var logs: [String] = []
            let observing = autorun { logs.append(history.log.done.map(\.patch.description).joined()) }
            defer { for reaction in [listening, observing] { reaction.cancel() } }
            list.title = "a"
            list.title = "b"
            let patches = ["a", "b"].map { #"[{"op":"replace","path":"/title","value":"\#($0)"}]"# }
            #expect(steps == patches)
            #expect(logs == [""] + patches)
        }

        @Test func aLogContinuesWithAMergeWindow() throws {
            let list = List()
            list.title = "a"
            let entry = HistoryLog.Entry(
                patch: JSONPatch([.replace(path: try JSONPointer("/title"), value: "a")]),
                inverse: JSONPatch([.replace(path: try JSONPointer("/title"), value: "groceries")]))
            let history = try History(
                list, log: HistoryLog(done: [entry]), mergeWindow: .seconds(1), clock: ManualClock())
            list.title = "b"
            list.title = "c"
            #expect(history.undoCount == 2)
            try history.undo()
            #expect(list.title == "a")
            try history.undo()
            #expect(list.title == "groceries")
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
