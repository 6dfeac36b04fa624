// What a log keeps. Its engine stores entries and snapshots without understanding what is in them.

import Foundation

/// One transaction of one replica, as a log keeps it.
///
/// An entry's identity is its replica and its number. A log keeps each entry once, however often it is appended.
public struct LogEntry: Hashable, Codable, Sendable {
    /// The replica that made the entry.
    public let replica: UUID

    /// The entry's number: a replica's entries are numbered 1, 2, 3 and so on, without gaps.
    public let number: Int

    /// The version of the model's schema that the replica wrote.
    public let version: Int

    /// What the entry changes, as JSON text. An engine stores it as it is.
    public let content: String

    /// Creates an entry: for engines that read one from their storage.
    ///
    /// - Parameters:
    ///   - replica: The replica that made the entry.
    ///   - number: The entry's number, from 1.
    ///   - version: The version of the model's schema.
    ///   - content: What the entry changes, as JSON text.
    public init(replica: UUID, number: Int, version: Int, content: String) {
        self.replica = replica
        self.number = number
        self.version = version
        self.content = content
    }
}

/// A whole document, as the entries up to a position have made it.
public struct LogSnapshot: Hashable, Codable, Sendable {
    /// The position of the last entry that the document contains; 0 for the document before the first entry.
    public let position: Int

    /// The version of the model's schema that the document has.
    public let version: Int

    /// The document, as JSON text. An engine stores it as it is.
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

/// Where a replica begins to follow a log.
public struct LogStart: Hashable, Codable, Sendable {
    /// The latest snapshot; `nil` if nobody has saved one, so that there is no document yet.
    public let snapshot: LogSnapshot?

    /// The position of the last entry.
    public let end: Int

    /// The number of the last entry that the replica has in the log; 0 if it has none.
    public let lastNumber: Int

    /// Creates a start.
    ///
    /// - Parameters:
    ///   - snapshot: The latest snapshot.
    ///   - end: The position of the last entry.
    ///   - lastNumber: The number of the last entry that the replica has in the log.
    public init(snapshot: LogSnapshot?, end: Int, lastNumber: Int) {
        self.snapshot = snapshot
        self.end = end
        self.lastNumber = lastNumber
    }
}
