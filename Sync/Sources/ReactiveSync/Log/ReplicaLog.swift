// The engine that connects a replica to the others: it orders the entries, and does not lose acknowledged ones.
//
//     position    1  2  3  4  5  6            without gaps: the position of an entry is that of its predecessor, plus 1
//     entry       A1 B1 A2 A3 C1 B2           each once, and the entries of each replica in the order of their numbers
//     snapshot          ▲                     the document that the entries up to a position have produced

import Foundation

/// A log of one document: the entries of all replicas in one order, and snapshots.
///
/// `PostgresLog` of `ReactivePostgres` is a log in PostgreSQL. To use a different engine, implement these five
/// functions. <doc:WritingALog> has a complete log in memory.
///
/// An engine promises:
/// - *Order.* The entries have the positions 1, 2, 3 and so on, without gaps, the same for all readers. A reader never
///   sees an entry before it can see all entries with lower positions.
/// - *Exactly once.* An entry that is appended again, with the same replica and number, has no effect. The engine
///   decides by what it has stored, not by what its process remembers. It recognises an entry even after pruning it.
/// - *One content for each identity.* While the engine stores an entry, it refuses an entry with the same replica and
///   number and different content, and all entries that are appended with that. So a replica notices that a different
///   process uses a copy of its journal.
/// - *Durability.* After ``append(_:)`` or ``save(_:)`` has returned, its entries or its snapshot are not lost.
///
/// A ``LogError`` is a final answer. Any other error means that the engine cannot be reached at the moment: the replica
/// is offline and tries again, even if the call has had its effect.
///
/// The replica calls the functions concurrently, from no particular thread. If their task is cancelled, they return
/// early, with `CancellationError`.
public protocol ReplicaLog: Sendable {
    /// Returns the information with which a replica begins. All its parts are of one moment.
    ///
    /// - Parameter replica: The identity of the replica. The log need not know it.
    /// - Throws: ``LogError`` if the replica may not read the log.
    func start(of replica: UUID) async throws -> LogStart

    /// Returns the entries after a position, in their order.
    ///
    /// - Parameters:
    ///   - position: The position of the last entry that the replica has read; 0 before the first.
    ///   - limit: The maximum number of entries to return.
    /// - Returns: The entries at the positions `position` + 1, `position` + 2 and so on; none if the log ends at the
    ///   position. It may return fewer than the log has and `limit` allows, but not none.
    /// - Throws: ``LogError/pruned`` if the entry at `position` + 1 was pruned, and ``LogError/unknownPosition`` if the
    ///   log ends before the position.
    func entries(after position: Int, limit: Int) async throws -> [LogEntry]

    /// Waits until there are entries after a position.
    ///
    /// It may return earlier: the replica then reads, finds no entry, and waits again.
    ///
    /// - Parameter position: The position of the last entry that the replica has read.
    func waitForEntries(after position: Int) async throws

    /// Appends entries of one replica, in the order of their numbers. Returns when they are durable.
    ///
    /// Entries that the log has already are skipped. Either all others are appended, or none.
    ///
    /// - Parameter entries: The entries. The number of the first is at most 1 higher than the replica's last one in the
    ///   log.
    /// - Throws: ``LogError/identityInUse`` if the log stores an entry with the replica and number of one of them, and
    ///   different content. ``LogError/refused(_:)`` if a number is missing, an entry is too large, or the replica may
    ///   not write.
    func append(_ entries: [LogEntry]) async throws

    /// Saves a snapshot. Returns when it is durable. May then remove earlier snapshots, and entries that it contains.
    ///
    /// If the log has a snapshot at the position already, that one stays, and the call has no effect.
    ///
    /// - Parameter snapshot: The snapshot.
    /// - Throws: ``LogError/refused(_:)`` if the snapshot is too large, or the replica may not write.
    func save(_ snapshot: LogSnapshot) async throws
}

/// A final answer of a log: trying again does not help.
public enum LogError: Error, Hashable, Sendable {
    /// The entry after the position was pruned. The replica begins again with a snapshot.
    case pruned

    /// The log ends before the position. It is a different log, or an older copy of it was restored.
    case unknownPosition

    /// The log stores an entry with the same replica and number, and different content. Two processes use copies of one
    /// journal.
    case identityInUse

    /// The log refuses the request for the given reason, for example a missing right, the size, or a missing number.
    case refused(String)
}

extension LogError: CustomStringConvertible {
    /// The reason.
    public var description: String {
        switch self {
        case .pruned: "the entry was pruned; begin with the latest snapshot"
        case .unknownPosition: "the log ends before the position: it is a different log, or an older copy of it"
        case .identityInUse: "a different process has appended entries with the replica's identity"
        case .refused(let reason): reason
        }
    }
}
