// Undo and redo: what becomes an entry, what a step does, and what observers see of it.

import Foundation
import Reactive
import ReactiveCodable
import Testing

extension ReactiveCodableTests {
    @Suite struct HistoryTests {
        typealias List = ApplyTests.List
        typealias Item = ApplyTests.Item

        @Test func eachTransactionIsOneStep() throws {
            let list = List()
            let history = History(list)
            let start = try JSONValue(encoding: list)
            #expect(!history.canUndo && !history.canRedo)
            list.title = "x"
            let middle = try JSONValue(encoding: list)
            inTransaction {
                list.title = "y"
                list.items.removeLast()
                list.items[0].isDone = true
            }
            let end = try JSONValue(encoding: list)
            #expect(history.undoCount == 2)
            try history.undo()
            #expect(try JSONValue(encoding: list) == middle)
            try history.undo()
            #expect(try JSONValue(encoding: list) == start)
            #expect(!history.canUndo && history.redoCount == 2)
            try history.redo()
            try history.redo()
            #expect(try JSONValue(encoding: list) == end)
            #expect(history.canUndo && !history.canRedo)
        }

        @Test func aStepBeyondTheEndThrows() {
            let history = History(List())
            #expect { try history.undo() } throws: { "\($0)".hasPrefix("There is nothing to undo.") }
            #expect { try history.redo() } throws: { ($0 as? HistoryError)?.kind == .nothingToRedo }
        }
    }
}
