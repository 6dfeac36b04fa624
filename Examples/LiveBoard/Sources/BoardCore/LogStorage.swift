// A board in a log that several servers share. Each server has a replica of the board. It sends its changes to the log,
// and the other servers apply them to their replicas.
//
//     server A   perform ─▶ board ─▶ replica ─▶ log ─▶ replica ─▶ board ─▶ rendered ─▶ pages of server B
//
// The order of the log decides. A command sees the entries that were in the log when it arrived. Entries between these
// and the command itself may make a part of the command void, for example because the card is in a different column
// now. The session then carries out the command again on the current board.

import Foundation
import ReactiveSync

/// A replica of a board that other servers may change.
final class LogStorage: BoardStorage {
    private let replica: Replica<Board>
    private let conflicts: Conflicts
    private let patience: Duration

    /// Fills a board from the log and keeps both in sync. If the log is empty, it starts with the board's contents.
    ///
    /// - Parameters:
    ///   - board: The board.
    ///   - log: The log.
    ///   - patience: The maximum time that a command waits for the log.
    ///   - isolation: The actor that the board belongs to.
    /// - Throws: `ReplicaError` if the log refuses the board; the log's error if the log cannot be reached.
    init(of board: Board, in log: any ReplicaLog, patience: Duration, isolation: isolated any Actor) async throws {
        self.patience = patience
        let conflicts = Conflicts()
        self.conflicts = conflicts
        var settings = ReplicaSettings()
        settings.texts = ["/title", "/columns/*/title", "/columns/*/cards/*/title", "/columns/*/cards/*/note"]
        // A short pause, because users wait and only a few servers reconnect to a restarted database.
        settings.longestPause = .seconds(1)
        replica = try await Replica(of: board, log: log, settings: settings, named: "replica") { conflict in
            conflicts.note(conflict)
        }
    }

    var isShared: Bool { true }

    var trouble: Trouble? {
        switch replica.status {
        case .live: nil
        case .behind(let count): count < Limits.behind ? nil : .behind
        case .offline: .offline
        case .refused(let refusal): .refused(refusal.description)
        }
    }

    func noteTransaction() -> Int { replica.lastNumber }

    func flush(isolation: isolated any Actor) async throws { try await LogStorage.flush(replica, patience) }

    private static func flush(_ replica: Replica<Board>, _ patience: Duration) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await replica.synchronised() }
            group.addTask {
                try await Task.sleep(for: patience)
                throw Unreachable()
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    func hasDropped(_ transaction: Int) -> Bool { conflicts.transactions.contains(transaction) }

    func flushWithoutWaiting() -> Bool { replica.status == .live }

    func close(isolation: isolated any Actor) async throws {
        let result: Result<Void, any Error>
        do {
            result = .success(try await flush(isolation: isolation))
        } catch {
            result = .failure(error)
        }
        await replica.end()
        try result.get()
    }
}

/// The database could not be reached in time.
package struct Unreachable: Error, CustomStringConvertible {
    /// The reason.
    package var description: String { "the database cannot be reached" }
}

/// The transactions that lost a part.
private final class Conflicts {
    private(set) var transactions: Set<Int> = []

    /// Notes a transaction. Ignores conflicts in the lists of removals and commands: two servers that drop the same old
    /// entry at the same time have the same intention.
    func note(_ conflict: ReplicaConflict) {
        let isAboutNotes = conflict.dropped.allSatisfy { edit in
            ["/removals", "/lastCommands"].contains { edit.path.hasPrefix($0) }
        }
        if isAboutNotes { return }
        transactions.insert(conflict.number)
        // Waiting commands check soon. Old entries belong to commands that nothing waits for any more.
        if transactions.count > 1_000, let oldest = transactions.min() { transactions.remove(oldest) }
    }
}
