// What a replica asks of the engine that connects it to the others: an order, and that nothing acknowledged is lost.
//
//     position    1  2  3  4  5  6            without gaps: an entry's position is that of the one before it, plus 1
//     entry       A1 B1 A2 A3 C1 B2           each once, and the entries of each replica in the order of their numbers
//     snapshot          ▲                     the document that the entries up to a position make

import Foundation

/// A log of one document: the entries of all replicas in one order, and snapshots.
///
/// PostgreSQL is one (`PostgresLog` of `ReactivePostgres`). To use a different engine, write these five functions.
///
/// An engine promises:
/// - *Order.* The log's entries have the positions 1, 2, 3 and so on, without gaps, the same for all readers. A reader
///   never sees an entry before it sees all those before it.
/// - *Exactly once.* An entry that is appended again, with the same replica and number, has no effect. The engine
///   decides that by what it stores, not by what it remembers. It still knows an entry's identity after the entry was
///   pruned.
/// - *One content for each identity.* While it stores an entry, it refuses a different one with the same replica and
///   number, and all that are appended with it. Two processes with copies of one journal are told apart by that.
/// - *Durability.* What ``append(_:)`` and ``save(_:)`` returned from is not lost.
///
/// A function that throws a ``LogError`` gives its final answer. Any other error means that the engine cannot be
/// reached at the moment: the replica is offline and tries again, also if the call has had its effect. Functions may be
/// called concurrently, and return early with `CancellationError` when their task is cancelled.
public protocol ReplicaLog: Sendable {
    /// Returns where a replica begins. All parts of the answer are of one moment.
    ///
    /// - Parameter replica: The identity of the replica.
    /// - Throws: ``LogError`` if the replica may not read the log.
    func start(of replica: UUID) async throws -> LogStart

    /// Returns the entries behind a position, in their order.
    ///
    /// - Parameters:
    ///   - position: The position of the last entry that the replica has.
    ///   - limit: The maximum number of entries to return.
    /// - Returns: The entries from position + 1; none if the position is that of the last entry.
    /// - Throws: ``LogError/pruned`` if the entry at position + 1 was pruned, and ``LogError/unknownPosition`` if the
    ///   log ends before the position.
    func entries(after position: Int, limit: Int) async throws -> [LogEntry]

    /// Waits until there are entries behind a position.
    ///
    /// It may return earlier: the replica then asks, finds nothing, and waits again.
    ///
    /// - Parameter position: The position of the last entry that the replica has.
    func waitForEntries(after position: Int) async throws

    /// Appends entries of one replica, in the order of their numbers. Returns when they are durable.
    ///
    /// Entries that are there already are skipped. Either all others are appended or none.
    ///
    /// - Parameter entries: The entries. The number of the first is at most the last one in the log, plus 1.
    /// - Throws: ``LogError/identityInUse`` if the log stores an entry with the replica and number of one of them, and
    ///   different content. ``LogError/refused(_:)`` if the entries leave out a number, are too large, or the replica
    ///   may not write.
    func append(_ entries: [LogEntry]) async throws

    /// Keeps a snapshot. Returns when it is durable. May remove entries and snapshots that no replica needs any more.
    ///
    /// A snapshot of a position that has one already has no effect: the first one stays.
    ///
    /// - Parameter snapshot: The snapshot.
    /// - Throws: ``LogError/refused(_:)`` if the snapshot is too large, or the replica may not write.
    func save(_ snapshot: LogSnapshot) async throws
}

/// A log's final answer: trying again does not help.
public enum LogError: Error, Hashable, Sendable {
    /// The entry behind the position was pruned: the replica has to begin with a snapshot.
    case pruned

    /// The log ends before the position: it is a different log, or an older copy of it was restored.
    case unknownPosition

    /// The log stores a different entry with the same replica and number: two processes use copies of one journal.
    case identityInUse

    /// The log refuses the request, for the reason given: rights, size, or a number that is left out.
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
