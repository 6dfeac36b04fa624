// Undo and redo: which changes become an entry, the effect of a step, and its observers.

import Foundation
import JSONTestSupport
import Reactive
import ReactiveCodable
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite struct HistoryTests {
        typealias List = ApplyTests.List
        typealias Item = ApplyTests.Item

        @Test func anIndependentGraphMayBeUndoneFromOutside() throws {
            let graph = IndependentGraph(named: "session")
            let (list, history) = graph.run {
                let list = List()
                return (list, History(list))
            }
            let start = list.title
            list.title = "x"
            try history.undo()
            #expect(list.title == start && history.canRedo && history.log.undone.count == 1)
            try history.redo()
            #expect(list.title == "x")
            history.end()
            graph.cancelReactions()
        }

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

        @Test func theLogStaysAsItWasWhenTheHistoryEnded() throws {
            let list = List()
            let history = History(list)
            let start = try JSONValue(encoding: list)
            list.title = "x"
            let end = try JSONValue(encoding: list)
            history.end()
            list.title = "y"
            history.end()
            history.seal()
            #expect(try history.log.done.map { try $0.patch.applying(to: start) } == [end])
            #expect(try history.log.done.map { try $0.inverse.applying(to: end) } == [start])
            history.removeAll()
            #expect(history.log.done.isEmpty)
        }

        @Test func aStepBeyondTheEndThrows() {
            let history = History(List())
            #expect { try history.undo() } throws: { "\($0)".hasPrefix("There is nothing to undo.") }
            #expect { try history.redo() } throws: { ($0 as? HistoryError)?.kind == .nothingToRedo }
        }

        @Test func observersOfARootSeeAStepAsOneChangeAndStayAttached() throws {
            let list = List()
            let history = History(list)
            let observables = list.items.map(\.observables)
            inTransaction {
                list.items[0].title = "Oat milk"
                list.items[1].isDone = true
            }
            var log: [String] = []
            let reaction = autorun {
                log.append(list.items.map { $0.title + ($0.isDone ? "!" : "") }.joined(separator: " "))
            }
            defer { reaction.cancel() }
            try history.undo()
            try history.redo()
            #expect(log == ["Oat milk Bread! Eggs", "Milk Bread Eggs", "Oat milk Bread! Eggs"])
            #expect(list.items.map(\.observables) == observables)
        }

        @Test func canUndoAndCanRedoAreObservable() throws {
            let list = List()
            let history = History(list)
            var log: [String] = []
            let reaction = autorun { log.append("\(history.canUndo) \(history.canRedo)") }
            defer { reaction.cancel() }
            list.title = "1"
            list.title = "2"
            try history.undo()
            try history.undo()
            try history.redo()
            list.title = "3"
            // One run for each change of either, and none where both stay the same.
            #expect(
                log == ["false false", "true false", "true true", "false true", "true true", "true false"])
        }

        @Test func aChangeAfterUndoingDropsTheRedoableEntries() throws {
            let list = List()
            let history = History(list)
            list.title = "a"
            list.title = "b"
            try history.undo()
            list.title = "c"
            #expect(history.undoCount == 2 && history.redoCount == 0)
            try history.undo()
            #expect(list.title == "a")
        }

        @Test func aTransactionWithoutAChangeIsNoEntry() throws {
            struct Refusal: Error {}
            let list = List()
            let history = History(list)
            list.title = "groceries"
            inTransaction {
                list.title = "x"
                list.title = "groceries"
            }
            try? inTransaction {
                list.title = "y"
                throw Refusal()
            }
            list.items = list.items
            #expect(history.undoCount == 0)
        }

        @Test func aStepLeavesPropertiesThatAreNotObservable() throws {
            final class Board: Codable {
                @Observable var title = "a"
                var items = [Item(1, "Milk"), Item(2, "Bread")]
            }
            let board = Board()
            let history = History(board)
            inTransaction {
                board.title = "b"
                board.items[1].title = "Rye"
            }
            // Not observable, so the history does not know.
            let removed = board.items.removeLast()
            try history.undo()
            #expect(board.title == "a" && removed.title == "Bread" && board.items.count == 1)
            board.items.append(removed)
            try history.redo()
            #expect(board.title == "b" && removed.title == "Rye")
        }

        @Test func undoInsideATransactionUndoesItsFirstPart() throws {
            let list = List()
            let history = History(list)
            list.title = "a"
            inTransaction {
                list.title = "b"
                try? history.undo()
                #expect(list.title == "a")
                list.items = []
            }
            // The first part of the transaction was an entry and has been undone; the later part dropped it.
            #expect(history.undoCount == 2 && history.redoCount == 0)
            try history.undo()
            #expect(list.items.count == 3 && list.title == "a")
        }

        @Test func undoThrowsInATransactionThatMayRollBack() throws {
            let list = List()
            let history = History(list)
            list.title = "a"
            try inTransaction { () throws in
                list.items = []
                #expect { try history.undo() } throws: { ($0 as? HistoryError)?.kind == .insideTransaction }
            }
            #expect(history.undoCount == 2)
        }

        @Test func undoAndRedoThrowInATransactionOfADifferentGraph() {
            let list = List()
            let history = History(list)
            list.title = "a"
            IndependentGraph().run {
                inTransaction {
                    #expect { try history.undo() } throws: { error in
                        (error as? HistoryError)?.kind == .insideTransaction && "\(error)".hasPrefix("undo() was")
                    }
                    #expect { try history.redo() } throws: { error in
                        (error as? HistoryError)?.kind == .insideTransaction && "\(error)".hasPrefix("redo() was")
                    }
                }
            }
            #expect(list.title == "a" && history.undoCount == 1)
        }

        @Test func theEndRecordsTheChangesOfTheTransactionSoFar() {
            let list = List()
            let history = History(list)
            inTransaction {
                list.title = "a"
                history.end()
            }
            #expect(history.log.done.map(\.patch.description) == [#"[{"op":"replace","path":"/title","value":"a"}]"#])
        }

        @Test func theLogContainsTheChangesOfTheTransactionSoFar() {
            let list = List()
            let history = History(list)
            inTransaction {
                list.title = "a"
                #expect(history.log.done.count == 1)
            }
        }

        @Test func observersOfTheLogSeeEntriesThatReplaceOthers() {
            let list = List()
            let history = History(list)
            list.title = "a"
            var values: [String] = []
            let reaction = autorun { values.append(history.log.done.map(\.patch.description).joined()) }
            defer { reaction.cancel() }
            // The number of entries is the same as before.
            inTransaction {
                history.removeAll()
                list.title = "b"
                history.seal()
            }
            #expect(values == ["a", "b"].map { #"[{"op":"replace","path":"/title","value":"\#($0)"}]"# })
        }

        @Test func aHistoryKeepsNoObjectsOfEntriesThatItHasRemoved() throws {
            let list = HistoryIdentityTests.Todos()
            let history = History(list)
            weak var todo: HistoryIdentityTests.Todo?
            do {
                let new = HistoryIdentityTests.Todo("tea")
                todo = new
                list.todos.append(new)
            }
            try history.undo()
            #expect(todo != nil)
            history.removeAll()
            #expect(todo == nil)
        }

        @Test func valuesThatAreRestoredInACopyAreNoEntry() {
            final class Texts: Codable {
                @Observable var text = Texts.long(1)
                @Observable var texts = [Texts.long(1), Texts.long(2)]
                @Observable var set: Set = [Texts.long(1), Texts.long(2)]
                @Observable var byText = [Texts.long(1): Texts.long(2)]
                @Observable(equals: { _, _ in false }) var one: Set = [1]
                /// A new text on the heap.
                static func long(_ number: Int) -> String { "a text that is on the heap: \(number)" }
            }
            let texts = Texts()
            let history = History(texts)
            inTransaction {
                texts.text = ""
                texts.text = Texts.long(1)
                texts.texts = []
                texts.texts = [Texts.long(1), Texts.long(2)]
                texts.set = []
                texts.set = [Texts.long(1), Texts.long(2)]
                texts.byText = [:]
                texts.byText = [Texts.long(1): Texts.long(2)]
                texts.one = [1]
            }
            #expect(history.undoCount == 0)
            texts.set = [Texts.long(1), Texts.long(3)]
            texts.byText = [Texts.long(3): Texts.long(2)]
            #expect(history.undoCount == 2)
        }

        @Test func equalCopiesThatAnEffectRestoresAreNoEntry() {
            final class Texts: Codable {
                @Observable var text = Texts.long(1)
                @Observable var texts = [Texts.long(1), Texts.long(2)]
                @Observable var set: Set = [Texts.long(1), Texts.long(2)]
                @Observable var byText = [Texts.long(1): Texts.long(2)]
                /// A new text on the heap.
                static func long(_ number: Int) -> String { "a text that is on the heap: \(number)" }
            }
            let texts = Texts()
            let effect = reaction {
                texts.text.isEmpty
            } onChange: { isEmpty in
                guard isEmpty else { return }
                texts.text = Texts.long(1)
                texts.texts = [Texts.long(1), Texts.long(2)]
                texts.set = [Texts.long(1), Texts.long(2)]
                texts.byText = [Texts.long(1): Texts.long(2)]
            }
            defer { effect.cancel() }
            let history = History(texts)
            inTransaction {
                texts.text = ""
                texts.texts = []
                texts.set = []
                texts.byText = [:]
            }
            #expect(history.undoCount == 0)
        }

        @Test func arraysOfDifferentLengthsAreNeverTheSame() throws {
            final class Sums: Codable {
                let numbers = Observable([1], equals: Sums.areSame)
                init() {}
                init(from decoder: any Decoder) throws {}
                static func areSame(_ a: [Int], _ b: [Int]) -> Bool { a.reduce(0, +) == b.reduce(0, +) }
            }
            let sums = Sums()
            let effect = reaction({ sums.numbers.value }) { if $0 == [2] { sums.numbers.value = [1, 0] } }
            defer { effect.cancel() }
            let history = History(sums)
            sums.numbers.value = [2]
            #expect(sums.numbers.value == [1, 0] && history.undoCount == 1)
        }

        @Test func anEffectMayUndoAndRedo() throws {
            let list = List()
            let clicks = Observable(0)
            let history = History(list)
            let effect = reaction {
                clicks.value
            } onChange: { count in
                list.title = "clicked"
                for _ in 0..<count { try? history.undo() }
            }
            defer { effect.cancel() }
            list.title = "a"
            list.title = "b"
            clicks.value = 3
            #expect(list.title == "groceries")
            #expect(history.redoCount == 3 && history.undoCount == 0)
        }

        @Test func effectsOfOlderReactionsJoinTheEntryOfTheirCause() throws {
            let list = List()
            let effect = reaction({ list.items.count }) { list.title = "\($0) things" }
            defer { effect.cancel() }
            let history = History(list)
            list.items.removeLast()
            #expect(list.title == "2 things" && history.undoCount == 1)
            try history.undo()
            #expect(list.title == "3 things" || list.title == "groceries")
            #expect(list.items.count == 3)
        }

        @Test func afterTheEndNothingIsRecorded() throws {
            let list = List()
            let history = History(list)
            list.title = "a"
            history.end()
            list.title = "b"
            #expect(!history.canUndo)
            #expect(history.log.done.count == 1)
            #expect { try history.undo() } throws: { ($0 as? HistoryError)?.kind == .ended }
        }

        @Test func releasingAHistoryEndsIt() {
            let list = List()
            weak var released: History<List>?
            do {
                let history = History(list, named: "short history")
                released = history
                list.title = "a"
                #expect(Diagnostics.liveReactions.contains { $0.name == "short history" })
            }
            #expect(released == nil)
            #expect(!Diagnostics.liveReactions.contains { $0.name == "short history" })
            list.title = "b"
        }

        @Test func removeAllForgets() throws {
            let list = List()
            let history = History(list)
            list.title = "a"
            history.removeAll()
            #expect(!history.canUndo && history.log == HistoryLog())
            list.title = "b"
            try history.undo()
            #expect(list.title == "a")
        }

        @Test func valuesThatCannotBeEncodedCanBeUndoneAndAreNotInTheLog() throws {
            struct Numbers: Codable { @Observable var number = 1.0 }
            let numbers = Numbers()
            let history = History(numbers, named: "numbers")
            for number in [2, .nan, 3, 4] { numbers.number = number }
            var log = HistoryLog()
            let messages = TestSupport.issues { log = history.log }.map(\.message)
            #expect(messages.count == 1 && messages[0].hasPrefix("The log of numbers lacks entries"))
            #expect(log.done.count == 1)
            for _ in 0..<2 { try history.undo() }
            #expect(numbers.number.isNaN)
            for _ in 0..<2 { try history.undo() }
            #expect(numbers.number == 1)
        }

        @Test func randomEditsCanAllBeUndoneAndRedone() throws {
            for seed in seeds(10) {
                var random = RandomDocuments(seed: seed)
                let graph = RandomGraphTests.node(&random, 3)
                let history = History(graph, limit: .unlimited)
                var states = [try JSONValue(encoding: graph)]
                // Replacing a part by a different one with the same values is a change, although the JSON is the same.
                func record() throws {
                    let state = try JSONValue(encoding: graph)
                    if history.undoCount == states.count {
                        states.append(state)
                    } else {
                        #expect(state == states[states.count - 1], "seed \(seed)")
                    }
                }
                for _ in 0..<12 {
                    inTransaction { for _ in 0...random.below(3) { RandomGraphTests.change(graph, &random) } }
                    try record()
                    // Some undos and redos in between.
                    let back = random.below(min(3, states.count))
                    for _ in 0..<back { try history.undo() }
                    #expect(try JSONValue(encoding: graph) == states[states.count - 1 - back], "seed \(seed)")
                    for _ in 0..<back { try history.redo() }
                }
                #expect(history.undoCount == states.count - 1, "seed \(seed)")
                for state in states.reversed().dropFirst() {
                    try history.undo()
                    #expect(try JSONValue(encoding: graph) == state, "seed \(seed)")
                }
                #expect(!history.canUndo)
                for state in states.dropFirst() {
                    try history.redo()
                    #expect(try JSONValue(encoding: graph) == state, "seed \(seed)")
                }
                #expect(!history.canRedo)
            }
        }

        @Test func aHistoryMayBeReleasedInATransactionOfADifferentGraph() {
            final class Counter: Codable, Sendable {
                let count: Observable<Int>
                init() { count = Observable(0) }
            }
            let counter = Counter()
            var history: History<Counter>? = History(counter)
            counter.count.value = 1
            #expect(history?.undoCount == 1)
            IndependentGraph().run {
                inTransaction {
                    // Its reaction is cancelled at the end of the transaction, and runs until then.
                    history = nil
                    onOtherThread { counter.count.value = 2 }
                }
            }
            counter.count.value = 3
            #expect(counter.count.value == 3)
        }

        @Test func aHistoryMayBeReleasedWhileItRecords() {
            final class Owner: Codable {
                @Observable var title = "Draft"
                var history: History<Owner>?
                enum CodingKeys: String, CodingKey { case title }
                init() {}
                init(from decoder: any Decoder) throws {}
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.container(keyedBy: CodingKeys.self)
                    try container.encode(title, forKey: .title)
                    if title == "Final" { history = nil }
                }
            }
            let owner = Owner()
            owner.history = History(owner)
            owner.title = "Essay"
            #expect(owner.history?.undoCount == 1)
            owner.title = "Final"
            #expect(owner.history == nil)
            owner.title = "Printed"
        }

        @Test func threadsMayWriteWhileAHistoryIsReleased() {
            final class Counters: Codable, Sendable {
                let counters: [Observable<Int>]
                init() { counters = (0..<4).map { _ in Observable(0) } }
            }
            let counters = Counters()
            onThreads(4) { thread in
                for number in 0..<200 {
                    if thread > 1 {
                        counters.counters[thread].value += 1
                    } else {
                        let history = History(counters)
                        counters.counters[thread].value += 1
                        #expect(history.canUndo)
                        if number.isMultiple(of: 2) {
                            // Released outside and inside a transaction of a different graph.
                            IndependentGraph().run { inTransaction { withExtendedLifetime(consume history) {} } }
                        }
                    }
                }
            }
            #expect(counters.counters.map(\.value) == [200, 200, 200, 200])
        }

        @Test func threadsThatWriteAndUndoLoseNothing() throws {
            final class Counters: Codable, Sendable {
                let counters: [Observable<Int>]
                init() { counters = (0..<4).map { _ in Observable(0) } }
            }
            let counters = Counters()
            let history = History(counters, limit: .unlimited)
            onThreads(4) { thread in
                for number in 0..<100 {
                    counters.counters[thread].value += 1
                    if number % 7 == thread { try? history.undo() }
                    if number % 7 == 6 { try? history.redo() }
                }
            }
            let end = counters.counters.map(\.value)
            let steps = history.undoCount
            for _ in 0..<steps { try history.undo() }
            #expect(counters.counters.map(\.value) == [0, 0, 0, 0])
            for _ in 0..<steps { try history.redo() }
            #expect(counters.counters.map(\.value) == end)
        }
    }
}
