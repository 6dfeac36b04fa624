// The log of a history: saved, decoded and replayed, here and in a different process, and refused if it does not fit.

import Foundation
import Reactive
import ReactiveCodable
import Testing
import TestSupport

extension ReactiveCodableTests {
    @Suite struct HistoryLogTests {
        typealias List = ApplyTests.List

        private struct Session {
            let start: JSONValue
            let end: JSONValue
            let log: HistoryLog
        }

        /// Edits a list, undoes one edit, and encodes the log.
        private func session() throws -> Session {
            let list = List()
            let history = History(list)
            let start = try JSONValue(encoding: list)
            list.title = "a"
            list.items.swapAt(0, 2)
            list.items[1].isDone = true
            list.items.removeFirst()
            try history.undo()
            return try Session(start: start, end: JSONValue(encoding: list), log: copy(history.log))
        }

        private func copy(_ log: HistoryLog) throws -> HistoryLog {
            try JSONDecoder().decode(HistoryLog.self, from: JSONEncoder().encode(log))
        }

        @Test func aHistoryContinuesWithADecodedLog() throws {
            let session = try session()
            let list = try session.end.decoded(as: List.self)
            let history = try History(list, log: session.log)
            #expect(history.undoCount == 3 && history.redoCount == 1)
            #expect(history.log == session.log)
            try history.redo()
            #expect(list.items.count == 2)
            while history.canUndo { try history.undo() }
            #expect(try JSONValue(encoding: list) == session.start)
        }

        @Test func aLogReplaysOntoTheStart() throws {
            let session = try session()
            let list = try session.start.decoded(as: List.self)
            var changes = 0
            let observation = deepObserve(list) { changes += 1 }
            defer { observation.cancel() }
            try session.log.replay(onto: list)
            #expect(try JSONValue(encoding: list) == session.end)
            #expect(changes == 1)
        }

        @Test func aLogThatDoesNotFitIsRefusedWithItsEntry() throws {
            let session = try session()
            let list = try session.end.decoded(as: List.self)
            list.title = "other"
            #expect {
                try History(list, log: session.log)
            } throws: { error in
                (error as? HistoryError)?.kind == .logDoesNotFit
                    && "\(error)".hasSuffix(": entry 1 changes \"/title\", whose value has changed since.")
            }
            list.title = "a"
            list.items = []
            #expect {
                try History(list, log: session.log)
            } throws: { "\($0)".hasPrefix("The log does not fit the root: entry 3: ") }
            let before = try JSONValue(encoding: list)
            #expect {
                try session.log.replay(onto: list)
            } throws: { ($0 as? HistoryError)?.kind == .logDoesNotFit }
            #expect(try JSONValue(encoding: list) == before)
        }

        /// Returns an entry that replaces a value.
        private func entry(_ path: String, _ old: JSONValue, _ new: JSONValue) throws -> HistoryLog.Entry {
            let path = try JSONPointer(path)
            return HistoryLog.Entry(
                patch: JSONPatch([.replace(path: path, value: new)]),
                inverse: JSONPatch([.replace(path: path, value: old)]))
        }

        @Test func theEntriesToRedoAreNumberedBehindTheOthers() throws {
            let list = List()
            list.title = "c"
            var log = HistoryLog(
                done: [try entry("/title", "a", "b"), try entry("/title", "b", "c")],
                undone: [try entry("/title", "c", "d"), try entry("/title", "d", "e")])
            #expect(try History(list, log: log).redoCount == 2)
            log.undone[1] = try entry("/name", "d", "e")
            #expect { try History(list, log: log) } throws: { ($0 as? HistoryError)?.entry == 4 }
        }

        @Test func anEmptyLogFitsARootThatCannotBeEncoded() throws {
            struct Numbers: Codable { @Observable var number = Double.nan }
            let numbers = Numbers()
            let history = try History(numbers, log: HistoryLog())
            try HistoryLog().replay(onto: numbers)
            numbers.number = 1
            #expect(history.undoCount == 1)
        }

        @Test func aLogFitsARootThatDecodingChanges() throws {
            final class Visit: Codable {
                @Observable var title = "a"
                let number: Int
                init(_ number: Int) { self.number = number }
                private enum CodingKeys: CodingKey { case title, number }
                init(from decoder: any Decoder) throws {
                    let container = try decoder.container(keyedBy: CodingKeys.self)
                    number = 0
                    _title = try container.decode(Observable<String>.self, forKey: .title)
                }
                func encode(to encoder: any Encoder) throws {
                    var container = encoder.container(keyedBy: CodingKeys.self)
                    try container.encode(_title, forKey: .title)
                    try container.encode(number, forKey: .number)
                }
            }
            let visit = Visit(7)
            try HistoryLog(done: [entry("/title", "a", "b")]).replay(onto: visit)
            #expect(visit.title == "b")
        }

        @Test func aLogThatChangesTheOrderOfAnArrayDoesNotFit() throws {
            struct Numbers: Codable { @Observable var numbers = [1, 2] }
            var entry = try entry("/numbers/0", 1, 1)
            entry.inverse = JSONPatch([.move(from: try JSONPointer("/numbers/0"), path: try JSONPointer("/numbers/1"))])
            let numbers = Numbers()
            #expect {
                try HistoryLog(done: [entry]).replay(onto: numbers)
            } throws: { ($0 as? HistoryError)?.kind == .logDoesNotFit }
            #expect(numbers.numbers == [1, 2])
        }

        /// An object whose subclass encodes the number without its observable.
        private class Counter: Codable { @Observable var number = 0 }
        private final class PlainCounter: Counter {
            private enum CodingKeys: CodingKey { case number }
            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(number, forKey: .number)
            }
        }

        @Test func aLogThatFitsACopyOnlyChangesNothingElse() throws {
            struct Counters: Codable {
                let first: Counter
                let second: Counter
            }
            let counters = Counters(first: Counter(), second: PlainCounter())
            let log = HistoryLog(done: [try entry("/first/number", 0, 1), try entry("/second/number", 0, 1)])
            #expect {
                try log.replay(onto: counters)
            } throws: { ($0 as? HistoryError)?.kind == .logDoesNotFit && ($0 as? HistoryError)?.entry == 2 }
            #expect(counters.first.number == 0 && counters.second.number == 0)
        }

        @Test func aPatchOfALogStaysAsItIsUntilSomethingMoves() throws {
            let list = List()
            list.title = "b"
            let title = try JSONPointer("/title")
            var entry = try entry("/title", "a", "b")
            entry.patch = JSONPatch([.test(path: title, value: "a"), .replace(path: title, value: "b")])
            let history = try History(list, log: HistoryLog(done: [entry]))
            try history.undo()
            try history.redo()
            #expect(history.log.done == [entry])
            history.untracked { list.items[0].title = "loaded" }
            #expect(history.log.done == [entry])
            history.untracked { list.items = [] }
            entry.patch = JSONPatch([.replace(path: title, value: "b")])
            #expect(history.log.done == [entry])
        }

        @Test func aPatchOfALogFollowsASetThatAnUntrackedChangeReplaces() throws {
            struct Tags: Codable { @Observable var tags: Set = ["x", "y"] }
            let tags = Tags()
            let first = History(tags)
            tags.tags.remove("x")
            let history = try History(tags, log: first.log)
            first.end()
            try history.undo()
            try history.redo()
            history.untracked { tags.tags = ["a", "b", "c", "d"] }
            let back = try history.log.done[0].inverse.applying(to: JSONValue(encoding: tags))
            #expect(try back.decoded(as: Tags.self).tags == ["x", "y"])
        }

        @Test func anEntryOfALogThatWasRedoneIsUndoneByValue() throws {
            final class Board: Codable {
                var titles = [Observable("a"), Observable("b")]
            }
            let board = Board()
            let history = try History(board, log: HistoryLog(undone: [entry("/titles/1", "b", "c")]))
            try history.redo()
            let title = board.titles[1]
            #expect(title.value == "c")
            // Not observable, so the history does not know.
            board.titles = []
            try history.undo()
            #expect(title.value == "b")
        }

        @Test func anEntryIsEncodedWithoutTheRestOfTheDocument() {
            final class Form: Codable {
                @Observable var title = "a"
                @Observable var ratio = Double.nan
                @Observable var inner: Form?
            }
            let form = Form()
            form.inner = Form()
            let history = History(form)
            form.title = "b"
            form.inner?.title = "b"
            var log = HistoryLog()
            #expect(TestSupport.issues { log = history.log }.isEmpty)
            #expect(
                log.done.map(\.patch.description)
                    == ["/title", "/inner/title"].map {
                        #"[{"op":"replace","path":"\#($0)","value":"b"}]"#
                    })
        }

        @Test func aChangeWithManyPathsIsInTheLogOnEachOfThem() throws {
            let list = HistoryIdentityTests.Todos()
            list.todos = Array(repeating: list.todos[0], count: 12)
            let history = History(list)
            list.todos[0].title = "oat milk"
            #expect(history.log.done.map(\.patch.operations.count) == [12])
        }

        @Test func aChangeDeepInsideIsInTheLog() throws {
            final class Node: Codable {
                @Observable var next: Node?
                @Observable var name = ""
                init(_ depth: Int) { if depth > 0 { next = Node(depth - 1) } }
            }
            let node = Node(600)
            var last = node
            while let next = last.next { last = next }
            let history = History(node)
            last.name = "last"
            let path = String(repeating: "/next", count: 600) + "/name"
            #expect(
                history.log.done.map(\.patch.description) == [#"[{"op":"replace","path":"\#(path)","value":"last"}]"#])
        }

        @Test func aLogHasTheFormOfJSONPatch() throws {
            let list = List()
            let history = History(list)
            list.title = "a"
            let json = try JSONValue(encoding: history.log)
            #expect(
                json.description == """
                    {"done":[{"inverse":[{"op":"replace","path":"/title","value":"groceries"}],\
                    "patch":[{"op":"replace","path":"/title","value":"a"}]}],"undone":[]}
                    """)
        }

        @Test func aLimitHoldsForALogToo() throws {
            let session = try session()
            let list = try session.end.decoded(as: List.self)
            let history = try History(list, log: session.log, limit: HistoryLimit(entries: 2))
            #expect(history.undoCount == 1 && history.redoCount == 1)
        }

        @Test func anotherProcessUndoesStepsOfThisOne() throws {
            struct Document: Codable {
                @Observable var number = 0
                @Observable var copies: [Int] = []
                @Observable var isDone = false
            }
            try withFolder { folder in
                let document = Document()
                let history = History(document)
                let start = try JSONValue(encoding: document)
                for number in 1...20 {
                    inTransaction {
                        document.number = number
                        document.copies.insert(number, at: number / 2)
                        document.isDone.toggle()
                    }
                }
                let end = try JSONValue(encoding: document)
                let file = folder.appendingPathComponent("document.json")
                let log = folder.appendingPathComponent("log.json")
                try end.data.write(to: file)
                try JSONEncoder().encode(history.log).write(to: log)

                let victim = try Victim("undo", file.path, log.path)
                #expect(victim.run() == "" && victim.exitCode == 0)
                let undone = try load(Document.self, from: file)
                #expect(try JSONValue(encoding: undone) == start)
                let continued = try History(undone, log: load(from: log))
                while continued.canRedo { try continued.redo() }
                #expect(try JSONValue(encoding: undone) == end)
            }
        }
    }
}
