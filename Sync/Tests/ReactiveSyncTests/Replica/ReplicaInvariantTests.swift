// The check of replicas and their journals finds what is broken.

#if DEBUG
import Foundation
import Reactive
import ReactiveCodable
import SyncTestSupport
import Testing

@testable import ReactiveSync

@Suite struct ReplicaInvariantTests {
    private let identity = UUID()

    private func entry(_ number: Int, of replica: UUID? = nil) -> LogEntry {
        LogEntry(replica: replica ?? identity, number: number, version: 1, content: EntryContent(edits: []).text)
    }

    private func state<Model: Codable>(of model: Model, pending: [LogEntry] = []) throws -> ReplicaState {
        let state = try ReplicaState(
            model, settings: ReplicaSettings(), named: nil, isolation: nil, fileID: #fileID, line: #line,
            onPending: {})
        let snapshot = LogSnapshot(position: 0, version: 1, content: state.content)
        let loaded = try LoadedDocument(snapshot, lastNumber: 0, limits: ReplicaLimits())
        try state.begin(with: loaded, identity: identity, pending: pending)
        return state
    }

    private func broken(pending: [LogEntry]) throws -> [String] {
        try state(of: SharedBoard.sample(), pending: pending).brokenInvariants
    }

    @Test func pendingEntriesHaveConsecutiveNumbersOfOneReplica() throws {
        #expect(try broken(pending: [entry(1), entry(2)]).isEmpty)
        #expect(try broken(pending: [entry(1), entry(3)]) == ["The entries [1, 3] are pending, and not [1, 2, 3]."])
        let foreign = [entry(1), entry(2, of: UUID())]
        #expect(try broken(pending: foreign) == ["A pending entry has a different identity."])
    }

    @Test func theLogAcknowledgesNoEntryThatWasNotMade() throws {
        let state = try state(of: SharedBoard.sample(), pending: [entry(1)])
        state.acknowledge([entry(1)])
        #expect(try state.brokenInvariants.isEmpty)
        state.acknowledge([entry(2)])
        #expect(try state.brokenInvariants == ["2 is acknowledged, 0 confirmed, and 1 the last."])
    }

    @Test func theModelChangesOnlyInSightOfTheReplica() throws {
        final class Note: Codable {
            @Observable var title = ""
            var count = 0
        }
        let note = IndependentGraph().run { Note() }
        let state = try state(of: note)
        note.title = "observed"
        #expect(try state.brokenInvariants.isEmpty)
        note.count = 1
        #expect(try state.brokenInvariants == ["Shown is not the JSON of the model."])
    }

    @Test func theJournalHasConsecutiveEntriesOfOneReplica() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let snapshot = LogSnapshot(position: 0, version: 1, content: "{}")
        let loaded = try LoadedDocument(snapshot, lastNumber: 0, limits: ReplicaLimits())

        func broken(_ entries: [LogEntry], lastNumber: Int) async throws -> [String] {
            let journal = ReplicaJournal(folder.appendingPathComponent(UUID().uuidString))
            try await journal.begin(loaded, identity: identity)
            let unsaved = UnsavedEntries(
                identity: identity, lastNumber: lastNumber, confirmedNumber: 0, made: entries,
                received: [entry(1, of: UUID())], position: 1, isReplaced: false, document: loaded.document,
                version: 1)
            await journal.save { unsaved }
            let broken = await journal.brokenInvariants
            await journal.end()
            return broken
        }

        #expect(try await broken([entry(1), entry(2)], lastNumber: 2).isEmpty)
        let gap = try await broken([entry(1), entry(3)], lastNumber: 3)
        #expect(gap == ["The journal has the pending entries [1, 3], not [2, 3]."])
        let foreign = try await broken([entry(1, of: UUID())], lastNumber: 1)
        #expect(foreign == ["A pending entry of the journal has a different identity."])
    }
}
#endif
