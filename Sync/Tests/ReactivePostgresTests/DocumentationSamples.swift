// The samples in the documentation of shared models. Those that need a server only compile; a test runs the log in
// memory.

import Foundation
import Reactive
import ReactiveCodable
import ReactiveCollections
import ReactivePostgres
import ReactiveSync
import SyncTestSupport
import Testing

struct Board: Codable, Sendable {
    @Observable var title: String
    let cards: ObservableArray<Card>
    let lostEdits: ObservableArray<String>

    init(title: String) {
        _title = Observable(wrappedValue: title)
        (cards, lostEdits) = ([], [])
    }
}

struct Card: Codable, Sendable, Identifiable {
    let id: UUID
    @Observable var title = ""
}

private func theCatalogue(card: Card) async throws {
    let board = Board(title: "New")
    let log = try await PostgresLog("postgresql://db.example.org/boards", document: "board-7")
    let shared = try await Replica(of: board, log: log)

    inTransaction {
        board.title = "Plans"
        board.cards.append(card)
    }
    try await shared.synchronised()
}

private func theReadMe(board: Board, card: Card) async throws {
    let log = try await PostgresLog("postgresql://db.example.org/boards", document: "board-7")
    let shared = try await Replica(of: board, log: log)  // loads, follows, sends
    inTransaction {
        board.title = "New"  // here immediately, elsewhere soon
        board.cards.append(card)
    }
    try await shared.synchronised()  // the log has it, and the model has all entries
}

private func theReadMeOfTheLibrary(board: Board, card: Card) async throws {
    let log = try await PostgresLog("postgresql://db.example.org/boards", document: "board-7")
    let shared = try await Replica(of: board, log: log)
    inTransaction {
        board.title = "New"  // here immediately, elsewhere soon
        board.cards.append(card)
    }
    try await shared.synchronised()
}

private func conflicts(board: Board, log: PostgresLog) async throws {
    let shared = try await Replica(of: board, log: log) { conflict in
        for edit in conflict.dropped {
            guard case .string(let text)? = edit.value else { continue }
            board.lostEdits.append("\(edit.path): \(text)")  // the text that nobody else has
        }
    }
    withExtendedLifetime(shared) {}
}

private func offline(board: Board, log: PostgresLog, folder: URL) async throws {
    let shared = try await Replica(of: board, log: log, journal: folder.appending(path: "board-7.replica"))
    withExtendedLifetime(shared) {}
}

private func versions() {
    var settings = ReplicaSettings()
    settings.versions = 1...2  // writes version 2, still reads version 1
    _ = settings
}

private func texts() {
    let merged = TextMerge.merged(base: "Buy milk", current: "Buy oat milk", edited: "Buy milk today")
    print(merged ?? "a conflict")  // prints "Buy oat milk today"
}

// MARK: - The smallest log

/// A log in memory, for replicas of one process. The entry at an index has the position index + 1.
actor ArrayLog: ReplicaLog {
    private var entries: [LogEntry] = []
    private var lastNumbers: [UUID: Int] = [:]
    private var latest: LogSnapshot?

    func start(of replica: UUID) -> LogStart {
        LogStart(snapshot: latest, end: entries.count, lastNumber: lastNumbers[replica, default: 0])
    }

    func entries(after position: Int, limit: Int) throws -> [LogEntry] {
        guard position <= entries.count else { throw LogError.unknownPosition }
        return Array(entries.dropFirst(position).prefix(limit))
    }

    func waitForEntries(after position: Int) async throws {
        // It may return early, so polling is enough. A cancelled sleep throws CancellationError.
        if entries.count <= position { try await Task.sleep(for: .milliseconds(50)) }
    }

    func append(_ new: [LogEntry]) throws {
        guard let replica = new.first?.replica else { return }
        var added: [LogEntry] = []
        var last = lastNumbers[replica, default: 0]
        for entry in new {
            if entry.number <= last {
                // Sent again. The same content has no effect; other content comes from a copied journal.
                guard entries.contains(entry) else { throw LogError.identityInUse }
            } else {
                guard entry.number == last + 1 else { throw LogError.refused("number \(last + 1) is missing") }
                added.append(entry)
                last = entry.number
            }
        }
        // All or none: nothing was changed before this line.
        entries += added
        lastNumbers[replica] = last
    }

    func save(_ snapshot: LogSnapshot) {
        // The first snapshot has position 0. Of two snapshots at one position, the first one stays.
        if snapshot.position > latest?.position ?? -1 { latest = snapshot }
    }
}

@Suite struct DocumentationSampleTests {
    @Test func theLogInMemoryConforms() async throws { try await checkConformance { ArrayLog() } }

    @Test func twoReplicasShareTheLogInMemory() async throws {
        let log = ArrayLog()
        let (first, second) = (Board(title: "First"), Board(title: "Second"))
        let one = try await Replica(of: first, log: log)
        let two = try await Replica(of: second, log: log)
        #expect(second.title == "First")
        second.title = "Both"
        try await two.synchronised()
        try await one.synchronised()
        #expect(first.title == "Both")
    }
}

private func severalReplicasOnOneLog(left: Board, right: Board) async throws {
    let log = try await PostgresLog("postgresql:///boards?host=/var/run/postgresql", document: "board-7")
    let first = try await Replica(of: left, log: log)
    let second = try await Replica(of: right, log: log)
    withExtendedLifetime((first, second)) {}
}

// MARK: - Status and waiting

@MainActor private final class StatusLine {
    let report: Reaction

    init(_ shared: Replica<Board>) {
        report = autorun {
            switch shared.status {
            case .live: print("all changes are shared")
            case .behind(let count): print("\(count) entries to go")
            case .offline(_, let pending): print("offline, \(pending) changes wait")
            case .refused(let refusal): print("stopped: \(refusal)")
            }
        }
    }
}

private func waiting(shared: Replica<Board>) async throws {
    let sending = Task { try await shared.synchronised() }
    try? await when(timeout: .seconds(5)) { shared.status == .live }
    sending.cancel()
}
