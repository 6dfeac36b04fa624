// Replicas on a simulated network, without tasks: random numbers decide when each call happens.
//
// A seed decides which replica changes its model, which one sends, how much each receives, which call or answer is
// lost, which message arrives twice, which replica restarts from its journal or without one, and when the log is
// pruned. In the end the network is repaired, and then:
// - all replicas are equal, and equal to a model that applied the entries in order to the first document;
// - the log has each entry once, and all entries that it acknowledged;
// - a replica that starts with the latest snapshot is equal, too;
// - the replica that created a dropped edit has reported it, unless it has lost its journal.

import Foundation
import Reactive
import ReactiveCodable
import SyncTestSupport
import Testing

@testable import ReactiveSync

@Suite struct SimulationTests {
    @Test(arguments: 0..<Seeds.groups)
    func replicasAgreeWhateverFails(group: Int) throws {
        for seed in Seeds.seeds(of: group, count: 1_000) {
            do {
                var simulation = try Simulation(seed: seed)
                try simulation.run(stepCount: 120)
                try simulation.finish()
            } catch {
                Issue.record("\(error); REACTIVE_TEST_SEED=\(seed)")
            }
        }
    }
}

/// A replica, and its state that survives in the journal.
private final class SimulatedReplica {
    private let graph = IndependentGraph()
    let board: SharedBoard
    let state: ReplicaState
    /// The journal: the document with all kept changes, and the pending ones.
    private(set) var kept: (loaded: LoadedDocument, identity: UUID, pending: [LogEntry])
    private(set) var conflicts: [ReplicaConflict] = []

    init(_ loaded: LoadedDocument, identity: UUID, pending: [LogEntry] = []) throws {
        board = graph.run { SharedBoard() }
        var settings = ReplicaSettings()
        settings.texts = SharedBoard.texts
        settings.entriesPerSnapshot = 20
        state = try ReplicaState(
            board, settings: settings, named: "replica", isolation: nil, fileID: #fileID, line: #line, onPending: {})
        kept = (loaded, identity, pending)
        state.collectForJournal()
        try state.begin(with: loaded, identity: identity, pending: pending)
        try save()
    }

    func change(_ random: inout SplitMix64) { graph.run { board.changeAtRandom(using: &random) } }

    func receive(_ entries: [LogEntry]) throws { try state.receive(entries, conflicts: &conflicts) }

    func beginAgain(with loaded: LoadedDocument) throws { try state.beginAgain(with: loaded, conflicts: &conflicts) }

    func save() throws {
        let unsaved = state.takeUnsaved()
        if unsaved.isReplaced {
            let text = unsaved.document.json.description
            let snapshot = LogSnapshot(position: unsaved.position, version: unsaved.version, content: text)
            kept.loaded = try LoadedDocument(snapshot, lastNumber: 0, limits: ReplicaLimits())
        } else {
            kept.loaded.apply(unsaved.received)
        }
        if kept.identity != unsaved.identity { kept.pending = [] }
        kept.identity = unsaved.identity
        kept.pending.removeAll { $0.number <= unsaved.confirmedNumber }
        kept.pending += unsaved.made
        kept.loaded.lastNumber = unsaved.lastNumber - kept.pending.count
        #expect(kept.loaded.position == unsaved.position)
    }

    #if DEBUG
    var brokenInvariants: [String] { get throws { try graph.run { try state.brokenInvariants } } }
    #endif

    var json: JSONValue { get throws { try graph.run { try JSONValue(encoding: board) } } }
}

private struct Simulation {
    private let seed: UInt64
    private var random: SplitMix64
    private var log = LogTable()
    private var replicas: [SimulatedReplica] = []
    private let first: LogSnapshot
    /// The entries that the log acknowledged.
    private var acknowledged: [LogEntry] = []
    /// The reports of replicas before their restart.
    private var reported: [ReplicaConflict] = []
    /// The identities of replicas that have lost their journal, and with it their unsent reports.
    private var lost: Set<UUID> = []

    init(seed: UInt64) throws {
        self.seed = seed
        random = SplitMix64(seed: seed)
        let board = IndependentGraph().run { SharedBoard.sample() }
        first = LogSnapshot(position: 0, version: 1, content: try JSONValue(encoding: board).description)
        log.save(first)
        for _ in 0..<Int.random(in: 2...4, using: &random) { replicas.append(try newReplica()) }
    }

    private mutating func newReplica() throws -> SimulatedReplica {
        let start = log.start(of: uuid())
        let snapshot = try #require(start.snapshot)
        var loaded = try LoadedDocument(snapshot, lastNumber: 0, limits: ReplicaLimits())
        loaded.apply(try log.entries(after: snapshot.position, limit: .max))
        return try SimulatedReplica(loaded, identity: uuid())
    }

    private mutating func uuid() -> UUID {
        let (high, low) = (random.next(), random.next())
        return withUnsafeBytes(of: (high, low)) { UUID(uuid: $0.load(as: uuid_t.self)) }
    }

    mutating func run(stepCount: Int) throws {
        for step in 0..<stepCount {
            let index = Int.random(in: 0..<replicas.count, using: &random)
            let replica = replicas[index]
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<8: replica.change(&random)
            case 8..<12: try send(replica)
            case 12..<17: try receive(replica, limit: Int.random(in: 1...8, using: &random))
            case 17: try replica.save()
            case 18:
                // Restarts it: from its journal as last saved, or from the log alone, which loses unsent changes.
                reported += replica.conflicts
                if Bool.random(using: &random) {
                    let (loaded, identity, pending) = replica.kept
                    replicas[index] = try SimulatedReplica(loaded, identity: identity, pending: pending)
                } else {
                    lost.insert(replica.state.identity)
                    replicas[index] = try newReplica()
                }
            default:
                if Bool.random(using: &random) {
                    let (document, position, version) = replica.state.agreement
                    log.save(LogSnapshot(position: position, version: version, content: document.json.description))
                } else if Int.random(in: 0..<4, using: &random) == 0 {
                    log.prune()
                }
            }
            // Not each time, because a check takes much longer than a step.
            if step % 20 == 0 { try check(replicas[index]) }
        }
    }

    /// Checks the invariants of a replica.
    private func check(_ replica: SimulatedReplica) throws {
        #if DEBUG
        let broken = try replica.brokenInvariants
        #expect(broken.isEmpty, "REACTIVE_TEST_SEED=\(seed)")
        #endif
    }

    /// Sends pending changes. Everything that is sent is in the journal first.
    private mutating func send(_ replica: SimulatedReplica, isReliable: Bool = false) throws {
        try replica.save()
        let entries = replica.state.unsent(upTo: Int.random(in: 1...2_000, using: &random))
        guard !entries.isEmpty else { return }
        let fault = isReliable ? 9 : Int.random(in: 0..<6, using: &random)
        if fault == 0 { return }
        try log.append(entries)
        if fault == 1 { return }
        if fault == 2 { try log.append(entries) }
        replica.state.acknowledge(entries)
        acknowledged += entries
    }

    private mutating func receive(_ replica: SimulatedReplica, limit: Int) throws {
        do throws(LogError) {
            let entries = try log.entries(after: replica.state.position, limit: limit)
            do { try replica.receive(entries) } catch { Issue.record("\(error); REACTIVE_TEST_SEED=\(seed)") }
        } catch {
            #expect(error == .pruned)
            let identity = replica.state.withLock { replica.state.identity }
            let start = log.start(of: identity)
            // The sending loop does not wait for the reading one.
            if Bool.random(using: &random) { try send(replica) }
            let snapshot = try #require(start.snapshot)
            var loaded = try LoadedDocument(snapshot, lastNumber: start.lastNumber, limits: ReplicaLimits())
            loaded.apply(try log.entries(after: snapshot.position, limit: .max), notingThoseOf: identity)
            try replica.beginAgain(with: loaded)
        }
    }

    /// Repairs the network, and compares all replicas.
    mutating func finish() throws {
        for replica in replicas {
            for _ in 0..<1_000 where replica.state.pendingCount > 0 {
                try send(replica, isReliable: true)
                try receive(replica, limit: .max)
            }
            #expect(replica.state.pendingCount == 0, "an entry stays pending; REACTIVE_TEST_SEED=\(seed)")
        }
        for replica in replicas {
            try receive(replica, limit: .max)
            try check(replica)
        }

        var model = try LoadedDocument(first, lastNumber: 0, limits: ReplicaLimits())
        model.apply(log.history)
        let expected = model.document.json
        for replica in replicas {
            #expect(replica.state.agreement.document.json == expected, "REACTIVE_TEST_SEED=\(seed)")
            try #expect(replica.json == expected, "REACTIVE_TEST_SEED=\(seed)")
        }
        try #expect(newReplica().json == expected, "REACTIVE_TEST_SEED=\(seed)")

        let identities = log.history.map { [$0.replica.uuidString, String($0.number)] }
        #expect(Set(identities).count == identities.count, "an entry appears twice; REACTIVE_TEST_SEED=\(seed)")
        let all = Set(log.history)
        #expect(acknowledged.allSatisfy(all.contains), "an acknowledged entry is missing; REACTIVE_TEST_SEED=\(seed)")
        try judgeReports()
    }

    /// Searches for dropped edits without a report.
    private func judgeReports() throws {
        struct Content: Hashable {
            let path: String
            let value: JSONValue?
        }
        var found: Set<Content> = []
        for conflict in reported + replicas.flatMap(\.conflicts) {
            for edit in conflict.dropped { found.insert(Content(path: edit.path, value: edit.value)) }
        }
        var document = try LoadedDocument(first, lastNumber: 0, limits: ReplicaLimits()).document
        var footprint = Footprint()
        for entry in log.history {
            let edits = try EntryContent(parsing: entry.content, limits: ReplicaLimits().entry).edits
            let misfits = document.apply(edits, limits: ReplicaLimits().document, touching: &footprint)
            if lost.contains(entry.replica) { continue }
            for edit in ReplicaConflict(number: 0, edits: edits, misfits: misfits).dropped {
                let isReported = found.contains(Content(path: edit.path, value: edit.value))
                #expect(isReported, "\(edit.reason) was not reported; REACTIVE_TEST_SEED=\(seed)")
            }
        }
    }
}
