// The values that a log stores. Its engine does not interpret the contents of entries and snapshots.

import Foundation

/// One transaction of one replica, as a log stores it.
///
/// The identity of an entry is its replica and its number. A log stores each entry once, however often it is appended.
/// An entry has no position: the log assigns one when it appends the entry, see ``ReplicaLog/entries(after:limit:)``.
public struct LogEntry: Hashable, Codable, Sendable {
    /// The identity of the replica that made the entry.
    public let replica: UUID

    /// The number of the entry in its replica. A replica numbers its entries 1, 2, 3 and so on, without gaps.
    public let number: Int

    /// The version of the model's schema that the replica has written.
    public let version: Int

    /// The changes, as JSON text. An engine stores the text as it is.
    public let content: String

    /// Creates an entry. Engines use it for entries that they read from their storage.
    ///
    /// - Parameters:
    ///   - replica: The identity of the replica that made the entry.
    ///   - number: The number of the entry in its replica, from 1.
    ///   - version: The version of the model's schema.
    ///   - content: The changes, as JSON text.
    public init(replica: UUID, number: Int, version: Int, content: String) {
        self.replica = replica
        self.number = number
        self.version = version
        self.content = content
    }
}

/// A whole document, as the entries up to a position have produced it.
public struct LogSnapshot: Hashable, Codable, Sendable {
    /// The position of the last entry that the document contains; 0 before the first entry.
    public let position: Int

    /// The version of the schema of the document.
    public let version: Int

    /// The document, as JSON text. An engine stores the text as it is.
    public let content: String

    /// Creates a snapshot.
    ///
    /// - Parameters:
    ///   - position: The position of the last entry that the document contains.
    ///   - version: The version of the model's schema.
    ///   - content: The document, as JSON text.
    public init(position: Int, version: Int, content: String) {
        self.position = position
        self.version = version
        self.content = content
    }
}

/// The information with which a replica begins to follow a log.
public struct LogStart: Hashable, Codable, Sendable {
    /// The snapshot with the highest position; `nil` if there is none, so that the log has no document yet.
    public let snapshot: LogSnapshot?

    /// The position of the log's last entry; 0 if there is none.
    public let end: Int

    /// The number of the replica's last entry in the log; 0 if there is none.
    public let lastNumber: Int

    /// Creates a start.
    ///
    /// - Parameters:
    ///   - snapshot: The snapshot with the highest position.
    ///   - end: The position of the log's last entry.
    ///   - lastNumber: The number of the replica's last entry in the log.
    public init(snapshot: LogSnapshot?, end: Int, lastNumber: Int) {
        self.snapshot = snapshot
        self.end = end
        self.lastNumber = lastNumber
    }
}
