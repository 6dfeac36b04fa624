// A board in a log that several servers share. Each of them has a replica of the board: what one changes is sent to the
// log, and the others write it into theirs.
//
//     server A   perform ─▶ board ─▶ replica ─▶ log ─▶ replica ─▶ board ─▶ rendered ─▶ pages of server B
//
// The order of the log decides. A command sees what the log had when it arrived. What comes into the log between that and
// the command itself may take a part of it away: the card is in a different column now, say. The session then carries out
// the command again, on the board as it is now.

import Foundation
import ReactiveSync

/// A replica of a board that other servers may change.
final class LogStorage: BoardStorage {
    private let replica: Replica<Board>
    private let conflicts: Conflicts
    private let patience: Duration

    /// Fills a board with what the log has, and keeps both in step. If the log has nothing, the board is its beginning.
    ///
    /// - Parameters:
    ///   - board: The board.
    ///   - log: The log.
    ///   - patience: How long a command waits for the log.
    ///   - isolation: The actor that the board belongs to.
    /// - Throws: `ReplicaError` if the log refuses the board; what the log throws if it cannot be reached.
    init(of board: Board, in log: any ReplicaLog, patience: Duration, isolation: isolated any Actor) async throws {
        self.patience = patience
        let conflicts = Conflicts()
        self.conflicts = conflicts
        var settings = ReplicaSettings()
        settings.texts = ["/title", "/columns/*/title", "/columns/*/cards/*/title", "/columns/*/cards/*/note"]
        // People wait. A database that starts again has few servers to welcome.
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

/// The transactions of which a part was dropped.
private final class Conflicts {
    private(set) var transactions: Set<Int> = []

    /// Notes a transaction, unless only the board's notes about removals and commands did not fit: two servers that drop
    /// the same old note at the same time mean the same.
    func note(_ conflict: ReplicaConflict) {
        let isAboutNotes = conflict.dropped.allSatisfy { edit in
            ["/removals", "/lastCommands"].contains { edit.path.hasPrefix($0) }
        }
        if isAboutNotes { return }
        transactions.insert(conflict.number)
        // Those who wait ask soon; a command that nobody waits for any more is not asked about.
        if transactions.count > 1_000, let oldest = transactions.min() { transactions.remove(oldest) }
    }
}
