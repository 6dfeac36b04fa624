// Replicas that survive their process: a journal in a folder, and a log that is not always reachable.

import Foundation
import Reactive
import ReactiveCodable
import ReactiveSync
import SyncTestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct JournalTests {
    typealias Board = SharedBoard
    typealias Peer = ReplicaTests.Peer

    let log = MemoryLog()

    /// Runs `body` with a folder that is removed afterwards.
    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sync-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    private func unreachableLink() -> Link {
        let link = log.link()
        link.isReachable = false
        return link
    }

    /// Waits until the journal contains all changes, that is, until the replica has tried to send them.
    private func wait(for peer: Peer, pending count: Int) async throws {
        try await peer.wait { if case .offline(_, count) = $0 { true } else { false } }
    }

    @Test func pendingChangesSurviveTheProcess() async throws {
        try await withFolder { folder in
            let journal = folder.appending(path: "replica.json")
            let other = try await Peer(.sample(), log.link())
            do {
                let peer = try await Peer(Board(), log.link(), journal: journal)
                peer.board.title = "Sent"
                try await peer.replica.synchronised()
                peer.link.isReachable = false
                peer.board.columns[0].cards.append(Board.Card(id: 50, title: "Pending"))
                peer.board.votes["a"] = 1
                await peer.replica.end()
            }
            // A new process starts without the log and has all changes.
            let peer = try await Peer(Board(), unreachableLink(), journal: journal)
            #expect(peer.board.title == "Sent")
            #expect(peer.board.columns[0].cards[id: 50]?.title == "Pending")
            peer.board.votes["b"] = 2
            try await wait(for: peer, pending: 3)
            #expect(other.board.votes["a"] == nil)
            peer.link.isReachable = true
            try await peer.replica.synchronised()
            try await other.replica.synchronised()
            try #expect(peer.json == other.json)
            #expect(other.board.votes["b"] == 2)
            #expect(log.table.history.map(\.number) == [1, 2, 3, 4])
        }
    }

    /// Runs `body` with a replica and one that has started with a copy of its journal. The copy cannot reach the log.
    private func withClone(_ body: (_ original: Peer, _ clone: Peer) async throws -> Void) async throws {
        try await withFolder { folder in
            let (journal, copy) = (folder.appending(path: "replica.json"), folder.appending(path: "copy.json"))
            let first = try await Peer(.sample(), log.link(), journal: journal)
            first.board.title = "First"
            try await first.replica.synchronised()
            await first.replica.end()
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                try FileManager.default.copyItem(
                    at: folder.appending(path: name),
                    to: folder.appending(path: name.replacingOccurrences(of: "replica.json", with: "copy.json")))
            }
            let original = try await Peer(Board(), log.link(), journal: journal)
            let clone = try await Peer(Board(), unreachableLink(), journal: copy)
            try await body(original, clone)
            await original.replica.end()
            await clone.replica.end()
        }
    }

    /// Whether a file in a folder contains a text.
    private func isKept(_ text: String, in folder: URL) throws -> Bool {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).contains {
            String(decoding: (try? Data(contentsOf: $0)) ?? Data(), as: UTF8.self).contains(text)
        }
    }

    @Test func changesDuringAPauseAreKept() async throws {
        try await withFolder { folder in
            let journal = folder.appending(path: "replica.json")
            let peer = try await Peer(.sample(), log.link(), journal: journal) {
                $0.firstPause = .seconds(3_600)
                $0.longestPause = .seconds(3_600)
            }
            peer.link.isReachable = false
            peer.board.title = "Not sent"
            try await wait(for: peer, pending: 1)
            // Both loops pause for an hour from now on, or soon.
            for number in 0..<3 {
                peer.board.title = "Kept \(number)"
                while try !isKept("Kept \(number)", in: folder) { await Task.yield() }
            }
        }
    }

    @Test func aCopiedJournalBecomesADifferentReplica() async throws {
        try await withClone { original, clone in
            // Both continue with the same identity, and with the same number for different changes.
            original.link.isReachable = false
            original.board.votes["original"] = 1
            clone.board.votes["clone"] = 2
            original.link.isReachable = true
            try await original.replica.synchronised()
            clone.link.isReachable = true
            try await clone.replica.synchronised()
            try await original.replica.synchronised()
            try #expect(original.json == clone.json)
            #expect(original.board.votes["original"] == 1 && original.board.votes["clone"] == 2)
        }
    }

    /// Saves a peer's present state as a snapshot, and prunes the entries before it.
    private func prune(_ peer: Peer) throws {
        let text = try peer.json.description
        log.change {
            $0.save(LogSnapshot(position: $0.end, version: 1, content: text))
            $0.prune()
        }
    }

    @Test func changesOfACopiedJournalThatTheLogDoesNotHaveAreReported() async throws {
        try await withClone { original, clone in
            // The log has pruned an entry with this number. It does not know which replica wrote it.
            original.board.votes["original"] = 1
            clone.board.votes["clone"] = 2
            try await original.replica.synchronised()
            try prune(original)
            clone.link.isReachable = true
            try await clone.replica.synchronised()
            try #expect(original.json == clone.json)
            #expect(clone.conflicts.map(\.isOutcomeUnknown) == [true])
            #expect(clone.conflicts.first?.dropped.map(\.value) == [2])
            // Both continue.
            clone.board.votes["next"] = 3
            original.board.votes["next original"] = 4
            for peer in [clone, original, clone] { try await peer.replica.synchronised() }
            try #expect(original.json == clone.json)
            #expect(original.board.votes["next"] == 3 && clone.board.votes["next original"] == 4)
        }
    }

    @Test func anOutdatedCopyOfAJournalTakesANewIdentity() async throws {
        try await withClone { original, clone in
            clone.board.votes["clone"] = 2
            for number in 0..<3 { original.board.votes["original \(number)"] = number }
            try await original.replica.synchronised()
            try prune(original)
            clone.link.isReachable = true
            try await clone.replica.synchronised()
            #expect(clone.conflicts.map(\.isOutcomeUnknown) == [true])
            clone.board.votes["next"] = 3
            try await clone.replica.synchronised()
            let entries = log.table.history
            #expect(entries.last?.number == 1 && entries.last?.replica != entries.first?.replica)
            try await original.replica.synchronised()
            try #expect(original.json == clone.json)
        }
    }

    @Test func changesOfACopiedJournalAfterTheSnapshotAreSentAgain() async throws {
        try await withClone { original, clone in
            clone.board.votes["clone"] = 2
            try prune(original)
            original.board.votes["original"] = 1
            try await original.replica.synchronised()
            clone.link.isReachable = true
            try await clone.replica.synchronised()
            try await original.replica.synchronised()
            #expect(original.board.votes["clone"] == 2 && clone.board.votes["original"] == 1)
            try #expect(original.json == clone.json)
            #expect(clone.conflicts.isEmpty)
        }
    }

    @Test func oneReplicaAtATimeUsesAJournal() async throws {
        try await withFolder { folder in
            let journal = folder.appending(path: "replica.json")
            let first = try await Peer(.sample(), log.link(), journal: journal)
            await #expect(throws: (any Error).self) { _ = try await Peer(Board(), log.link(), journal: journal) }
            first.board.title = "Undisturbed"
            try await first.replica.synchronised()
            await first.replica.end()
            let second = try await Peer(Board(), log.link(), journal: journal)
            #expect(second.board.title == "Undisturbed")
        }
    }

    @Test func aDamagedJournalIsAnError() async throws {
        try await withFolder { folder in
            let journal = folder.appending(path: "replica.json")
            try Data("no journal".utf8).write(to: journal)
            await #expect(throws: LoadingError.self) { _ = try await Peer(Board(), log.link(), journal: journal) }
            try #expect(Data(contentsOf: journal) == Data("no journal".utf8))
        }
    }

    /// Otherwise the next process would find the entries under the former identity, and send them once more.
    @Test func withoutAWritableJournalNothingIsSentUnderANewIdentity() async throws {
        try await withFolder { folder in
            let (home, away) = (folder.appending(path: "home"), folder.appending(path: "away"))
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            let (journal, copy) = (folder.appending(path: "replica.json"), home.appending(path: "copy.json"))
            let first = try await Peer(.sample(), log.link(), journal: journal)
            await first.replica.end()
            for suffix in ["", ".journal"] {
                try FileManager.default.copyItem(
                    at: journal.appendingToName(suffix), to: copy.appendingToName(suffix))
            }
            let original = try await Peer(Board(), log.link(), journal: journal)
            let clone = try await Peer(Board(), unreachableLink(), journal: copy)
            // Both transactions have the number 1 of one identity.
            original.board.title = "Original"
            clone.board.tags.append("Clone")
            try await wait(for: clone, pending: 1)
            try await original.replica.synchronised()
            try FileManager.default.moveItem(at: home, to: away)
            clone.link.isReachable = true
            try await when(isolation: nil) { clone.board.title == "Original" }
            for _ in 0..<1_000 { await Task.yield() }
            await clone.replica.end()
            try FileManager.default.moveItem(at: away, to: home)

            let next = try await Peer(Board(), log.link(), journal: copy)
            try await next.replica.synchronised()
            #expect(next.board.tags == ["Clone"])
            await original.replica.end()
            await next.replica.end()
        }
    }

    /// A model that the document of a board does not fit.
    private struct Misfit: Codable, Sendable {
        @Observable var title = 0
    }

    @Test func aReplicaThatCannotBeginReleasesItsJournal() async throws {
        try await withFolder { folder in
            let journal = folder.appending(path: "replica.json")
            let first = try await Peer(.sample(), log.link(), journal: journal)
            first.board.title = "Kept"
            try await first.replica.synchronised()
            await first.replica.end()
            await #expect(throws: ReplicaError.self) {
                _ = try await Replica(of: Misfit(), log: log.link(), journal: journal, isolation: nil)
            }
            let second = try await Peer(Board(), log.link(), journal: journal)
            #expect(second.board.title == "Kept")
            await second.replica.end()
        }
    }

    @Test func theLogOfAnOlderBackupIsRefused() async throws {
        try await withFolder { folder in
            let journal = folder.appending(path: "replica.json")
            do {
                let peer = try await Peer(.sample(), log.link(), journal: journal)
                peer.board.title = "Later lost"
                try await peer.replica.synchronised()
                await peer.replica.end()
            }
            let older = MemoryLog()
            let snapshots = log.table.snapshots
            older.change { $0.save(snapshots[0]) }
            let peer = try await Peer(Board(), older.link(), journal: journal)
            try await peer.wait { if case .refused(.log) = $0 { true } else { false } }
            #expect(peer.board.title == "Later lost")
        }
    }

    /// Replicas with tasks, journals and faults. The simulation does not cover their loops and files.
    @Test(arguments: Seeds.seeds(of: 0, count: 40)) func replicasAgreeWhateverFails(seed: UInt64) async throws {
        try await withFolder { folder in
            let log = MemoryLog()
            let random = Locked(SplitMix64(seed: seed))
            let isFaulty = Locked(true)
            @Sendable func below(_ count: Int) -> Int { random.withLock { Int.random(in: 0..<count, using: &$0) } }
            @Sendable func oneIn(_ count: Int) -> Bool { below(count) == 0 }
            @Sendable func fault() -> Link.Fault? {
                guard isFaulty.withLock({ $0 }), oneIn(4) else { return nil }
                return [.lostBefore, .lostAfter, .doubled][below(3)]
            }
            let first = try await Peer(.sample(), log.link())
            func newPeer(_ number: Int) async throws -> Peer {
                let board = Board()
                while true {
                    let journal = folder.appending(path: "\(number).json")
                    do {
                        return try await Peer(board, log.link(fault: fault), journal: journal) {
                            $0.entriesPerSnapshot = 15
                        }
                    } catch is Link.Disconnected {}
                }
            }
            var peers: [Peer] = []
            for number in 0..<3 { peers.append(try await newPeer(number)) }
            for _ in 0..<40 {
                let index = below(3)
                random.withLock { random in peers[index].board.changeAtRandom(using: &random) }
                if oneIn(5) { try await peers[index].replica.synchronised() }
                if oneIn(8) { log.change { $0.prune() } }
                if oneIn(10) {
                    await peers[index].replica.end()
                    peers[index] = try await newPeer(index)
                }
            }
            isFaulty.withLock { $0 = false }
            for _ in 0..<2 { for peer in peers + [first] { try await peer.replica.synchronised() } }
            for peer in peers { try #expect(peer.json == first.json, "REACTIVE_TEST_SEED=\(seed)") }
            let identities = log.table.history.map { "\($0.replica) \($0.number)" }
            #expect(Set(identities).count == identities.count, "REACTIVE_TEST_SEED=\(seed)")
            for peer in peers + [first] { await peer.replica.end() }
        }
    }
}

extension URL {
    /// The URL of the file beside this one whose name has a suffix.
    fileprivate func appendingToName(_ suffix: String) -> URL {
        deletingLastPathComponent().appending(path: lastPathComponent + suffix)
    }
}
