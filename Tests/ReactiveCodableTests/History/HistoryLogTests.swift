// The log of a history: saved, decoded and replayed, here and in a different process, and refused if it does not fit.

import Foundation
import Reactive
import ReactiveCodable
import Testing

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
