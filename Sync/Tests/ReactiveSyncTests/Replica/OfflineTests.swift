// Many offline changes: the work to send them is proportional to their number. The tests count work instead of time.

import Foundation
import Reactive
import ReactiveCodable
import SyncTestSupport
import Testing

@testable import ReactiveSync

@Suite(.timeLimit(.minutes(15))) struct OfflineTests {
    /// A replica without tasks, the log, and counts of their messages.
    private struct Link {
        let board = IndependentGraph().run { SharedBoard.sample() }
        let state: ReplicaState
        var log = LogTable()
        var conflicts: [ReplicaConflict] = []
        /// The numbers of sent and received entries, and of entries that a journal created.
        var (sentCount, receivedCount, createdCount) = (0, 0, 0)
        /// The journal's pending entries.
        var kept: [LogEntry] = []
        private let snapshot: LogSnapshot

        init() throws {
            state = try ReplicaState(
                board, settings: ReplicaSettings(), named: "replica", isolation: nil, fileID: #fileID, line: #line,
                onPending: {})
            snapshot = LogSnapshot(position: 0, version: 1, content: state.content)
            state.collectForJournal()
            try state.begin(
                with: LoadedDocument(snapshot, lastNumber: 0, limits: ReplicaLimits()), identity: UUID())
        }

        func change(count: Int) {
            for number in 0..<count { board.columns[number % 3].cards[number / 3 % 4].title = "Title \(number)" }
        }

        mutating func send() throws {
            save()
            let entries = state.unsent(upTo: 1 << 16)
            sentCount += entries.count
            try log.append(entries)
            state.acknowledge(entries)
        }

        mutating func receive() throws {
            try state.receive(log.entries(after: state.position, limit: 500), conflicts: &conflicts)
            save()
        }

        mutating func save() {
            let unsaved = state.takeUnsaved()
            receivedCount += unsaved.received.count
            createdCount += unsaved.made.count
            kept.removeFirst(kept.prefix { $0.number <= unsaved.confirmedNumber }.count)
            kept += unsaved.made
        }

        mutating func synchronise() throws {
            while state.pendingCount > 0 {
                try send()
                while state.position < log.end { try receive() }
            }
        }

        /// Returns the document that results from the log's entries.
        var expected: JSONValue {
            get throws {
                var document = try LoadedDocument(snapshot, lastNumber: 0, limits: ReplicaLimits())
                document.apply(log.history)
                return document.document.json
            }
        }
    }

    @Test func receivingManyOwnChangesReappliesNothing() throws {
        let count = 20_000
        var link = try Link()
        link.change(count: count)
        link.save()
        #expect(link.kept.map(\.number) == Array(1...count))
        try link.synchronise()
        #expect(link.state.reappliedCount == 0)
        #expect(link.sentCount == count)
        #expect(link.createdCount == count)
        #expect(link.receivedCount == count)
        #expect(link.kept.isEmpty)
        #expect(link.log.history.map(\.number) == Array(1...count))
        try #expect(JSONValue(encoding: link.board) == link.expected)
        #expect(link.conflicts.isEmpty)
    }

    @Test func entriesOfOthersReapplyPendingChangesOncePerBatch() throws {
        let count = 2_000
        var link = try Link()
        link.change(count: count)
        let content = #"{"edits":[{"set":["title"],"value":"Elsewhere"}]}"#
        let other = UUID()
        try link.log.append((1...100).map { LogEntry(replica: other, number: $0, version: 1, content: content) })
        try link.synchronise()
        // Entries that return in the same batch are not created again.
        #expect((1..<count).contains(link.state.reappliedCount))
        #expect(link.sentCount == count)
        #expect(link.board.title == "Elsewhere")
        try #expect(JSONValue(encoding: link.board) == link.expected)
        #expect(link.conflicts.isEmpty)
    }
}
