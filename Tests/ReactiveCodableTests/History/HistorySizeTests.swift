// The estimated size of entries, and what a limit on it removes.

import Foundation
import Reactive
import ReactiveCodable
import ReactiveCollections
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite struct HistorySizeTests {
        final class Child: Codable {
            @Observable var text = ""
            @Observable var numbers: [Int] = []
            @Observable var byName: [String: Int] = [:]
            private(set) var row = ObservableArray<Int>()
            private(set) var members = ObservableDictionary<String, Int>()
        }

        final class Model: Codable {
            @Observable var count = 0
            @Observable var numbers: [Int] = []
            @Observable var child: Child?
            @Observable var other: Child?
            private(set) var row = ObservableArray<Int>()
            private(set) var texts: ObservableArray<String> = ["", ""]
            private(set) var members = ObservableDictionary<String, String>()
        }

        /// Returns the smallest limit that keeps the entries of all edits, each of which is one.
        private func size(_ edits: [(Model) -> Void], preparing prepare: (Model) -> Void = { _ in }) -> Int {
            var (low, high) = (0, 1 << 16)
            while low + 1 < high {
                let middle = (low + high) / 2
                let model = Model()
                prepare(model)
                let history = History(model, limit: HistoryLimit(bytes: middle))
                for edit in edits { edit(model) }
                if history.undoCount == edits.count { high = middle } else { low = middle }
                history.end()
            }
            return high
        }

        private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

        /// A second entry: the newest is kept whatever its size.
        private func editSomethingElse(_ model: Model) { model.count += 1 }

        @Test func anArrayCountsTheElementsThatDiffer() {
            func size(removing count: Int, inserting newCount: Int) -> Int {
                self.size(
                    [
                        { $0.numbers.replaceSubrange(1..<1 + count, with: (0..<newCount).map { $0 + 1_000 }) },
                        editSomethingElse,
                    ], preparing: { $0.numbers = [-1] + Array(0..<count) + [-2] })
            }
            let few = size(removing: 10, inserting: 10)
            #expect(size(removing: 30, inserting: 10) == few + 160)
            #expect(size(removing: 10, inserting: 30) == few + 160)
        }

        @Test func adjacentElementsOfACollectionCountTogether() {
            func size(_ count: Int) -> Int {
                self.size(
                    [{ $0.row.insert(contentsOf: 0..<count, at: 1) }, { $0.row.removeSubrange(1..<1 + count) }],
                    preparing: { $0.row.append(contentsOf: [-1, -2]) })
            }
            #expect(size(30) == size(10) + 320)
        }

        @Test func movesAndReplacementsInACollectionCount() {
            func size(moves count: Int) -> Int {
                self.size(
                    [
                        { model in
                            inTransaction {
                                for index in 0..<count { model.row.move(from: 3 * index, to: 3 * index + 1) }
                            }
                        }, editSomethingElse,
                    ], preparing: { $0.row.append(contentsOf: 0..<40) })
            }
            let sizes = [1, 5, 9].map(size(moves:))
            #expect(sizes[0] < sizes[1] && sizes[2] - sizes[1] == sizes[1] - sizes[0])
            func size(old: Int, new: Int) -> Int {
                self.size(
                    [{ $0.texts[0] = self.text(new) }, editSomethingElse],
                    preparing: { $0.texts[0] = self.text(old) })
            }
            let first = size(old: 200, new: 201)
            #expect(size(old: 300, new: 201) == first + 100)
            #expect(size(old: 200, new: 301) == first + 100)
        }

        @Test func anElementThatIsReplacedByItselfDoesNotCount() {
            func size(_ count: Int) -> Int {
                self.size(
                    [
                        { model in
                            inTransaction {
                                let text = model.texts[0]
                                model.texts[0] = ""
                                model.texts[0] = text
                                model.texts[1] = "x"
                            }
                        }, editSomethingElse,
                    ], preparing: { $0.texts[0] = self.text(count) })
            }
            #expect(size(300) == size(200))
        }

        @Test func aMemberOfACollectionCountsItsKeyAndBothValues() {
            func size(key: Int, old: Int, new: Int) -> Int {
                self.size(
                    [{ $0.members[self.text(key)] = self.text(new) }, editSomethingElse],
                    preparing: { $0.members[self.text(key)] = self.text(old) })
            }
            let first = size(key: 200, old: 201, new: 202)
            #expect(size(key: 300, old: 201, new: 202) == first + 100)
            #expect(size(key: 200, old: 301, new: 202) == first + 100)
            #expect(size(key: 200, old: 201, new: 302) == first + 100)
        }

        @Test func anObjectThatEntersCountsItsCollections() {
            func size(numbers: Int = 0, byName: Int = 0, row: Int = 0, members: Int = 0) -> Int {
                self.size([
                    { model in
                        let child = Child()
                        child.numbers = Array(0..<numbers)
                        for number in 0..<byName { child.byName["\(number)"] = number }
                        child.row.append(contentsOf: 0..<row)
                        for number in 0..<members { child.members["\(number)"] = number }
                        model.child = child
                    }, editSomethingElse,
                ])
            }
            let empty = size()
            #expect(size(numbers: 20) == empty + 160)
            #expect(size(byName: 20) == empty + 480)
            #expect(size(row: 20) == empty + 160)
            #expect(size(members: 20) == empty + 480)
        }

        @Test func anObjectThatChangesAndLeavesCountsOnce() {
            func size(_ count: Int) -> Int {
                self.size(
                    [
                        { model in
                            inTransaction {
                                model.child?.text = self.text(count)
                                model.child = nil
                            }
                        }, editSomethingElse,
                    ], preparing: { $0.child = Child() })
            }
            #expect(size(300) == size(200) + 100)
        }

        @Test(arguments: [false, true]) func anObjectThatMovesCountsOnce(changes: Bool) {
            // There and back, so that it leaves before it enters in one of the two.
            func size(_ count: Int) -> Int {
                self.size(
                    [
                        { model in
                            inTransaction {
                                if changes { model.child?.text = self.text(count) }
                                model.other = model.child
                                model.child = nil
                            }
                        },
                        { model in
                            inTransaction {
                                if changes { model.other?.text = "" }
                                model.child = model.other
                                model.other = nil
                            }
                        },
                    ],
                    preparing: { model in
                        model.child = Child()
                        if !changes { model.child?.text = self.text(count) }
                    })
            }
            // Both values of a change in either direction, or the value of what enters.
            #expect(size(300) - size(200) <= (changes ? 200 : 100))
        }

        // MARK: - What a limit removes

        @Test func discardedEntriesCountNoLonger() {
            let model = Child()
            let history = History(model, limit: HistoryLimit(bytes: 8_000))
            model.text = text(5_000)
            try? history.undo()
            model.text = "a"
            model.text = text(4_000)
            #expect(history.undoCount == 2 && history.redoCount == 0)
        }

        /// A log with entries that replace a text by way of a long one.
        private func log(done: Int, undone: Int) throws -> HistoryLog {
            let path = try JSONPointer("/text")
            func patch(to number: Int) -> JSONPatch {
                JSONPatch(["\(text(2_000))", "\(number)"].map { .replace(path: path, value: .string($0)) })
            }
            let entries = (0..<done + undone).map {
                HistoryLog.Entry(patch: patch(to: $0 + 1), inverse: patch(to: $0))
            }
            return HistoryLog(done: Array(entries[..<done]), undone: Array(entries[done...]))
        }

        private func model(_ number: Int) -> Child {
            let model = Child()
            model.text = "\(number)"
            return model
        }

        @Test func entriesOfALogCountTheirText() throws {
            let log = try log(done: 2, undone: 0)
            let size = log.done.map { $0.patch.json.data.count + $0.inverse.json.data.count }.reduce(0, +)
            #expect(try History(model(2), log: log, limit: HistoryLimit(bytes: size)).undoCount == 2)
            #expect(try History(model(2), log: log, limit: HistoryLimit(bytes: size - 1)).undoCount == 1)
        }

        @Test func entriesOfALogCountTheirValuesOnceTheyWereUndone() throws {
            let model = model(1)
            let history = try History(model, log: log(done: 1, undone: 0), limit: HistoryLimit(bytes: 6_000))
            try history.undo()
            try history.redo()
            model.text = text(1_000)
            model.text = text(1_500)
            #expect(history.undoCount == 3)
        }

        @Test func withNothingToUndoThoseThatWouldBeRedoneLastAreRemoved() throws {
            let model = model(0)
            let history = try History(model, log: log(done: 0, undone: 3), limit: HistoryLimit(entries: 2))
            #expect(history.undoCount == 0 && history.redoCount == 2)
            try history.redo()
            #expect(model.text == "1" && history.undoCount == 1 && history.redoCount == 1)
        }
    }
}
