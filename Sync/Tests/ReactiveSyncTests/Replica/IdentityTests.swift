// Two processes with copies of one journal: they share an identity until the log refuses one of them.

import Foundation
import Reactive
import ReactiveCodable
import SyncTestSupport
import Testing

@testable import ReactiveSync

@Suite struct IdentityTests {
    /// A replica without tasks.
    private struct Process {
        let board = IndependentGraph().run { SharedBoard.sample() }
        let state: ReplicaState

        init(identity: UUID) throws {
            state = try ReplicaState(
                board, settings: ReplicaSettings(), named: nil, isolation: nil, fileID: #fileID, line: #line,
                onPending: {})
            let snapshot = LogSnapshot(position: 0, version: 1, content: state.content)
            try state.begin(
                with: LoadedDocument(snapshot, lastNumber: 0, limits: ReplicaLimits()), identity: identity)
        }

        func receive(from log: LogTable) throws {
            var conflicts: [ReplicaConflict] = []
            try state.receive(log.entries(after: state.position, limit: 100), conflicts: &conflicts)
            #expect(conflicts.isEmpty)
        }

        func send(to log: inout LogTable) throws {
            let entries = state.unsent(upTo: 1 << 16)
            try log.append(entries)
            state.acknowledge(entries)
        }
    }

    @Test func changesSentUnderAnIdentityInUseTakeEffectOnce() throws {
        let identity = UUID()
        let (original, clone) = (try Process(identity: identity), try Process(identity: identity))
        var log = LogTable()
        // Both have this change in their journals: it counts once.
        for process in [original, clone] {
            process.board.title = "Shared"
            try process.send(to: &log)
        }
        original.board.columns[0].title = "original"
        try original.send(to: &log)
        // Sent before the clone has read the original's entry.
        clone.board.columns[1].title = "clone"
        clone.board.columns[2].title = "clone"
        #expect(throws: LogError.identityInUse) { try clone.send(to: &log) }
        try clone.receive(from: log)
        #expect(clone.state.identity != identity && clone.state.pendingCount == 2)
        try clone.send(to: &log)
        for process in [original, clone] {
            try process.receive(from: log)
            #expect(process.state.pendingCount == 0)
            #expect(process.board.columns.map(\.title) == ["original", "clone", "clone"])
        }
        #expect(log.history.count == 4)
        try #expect(JSONValue(encoding: original.board) == JSONValue(encoding: clone.board))
    }
}
