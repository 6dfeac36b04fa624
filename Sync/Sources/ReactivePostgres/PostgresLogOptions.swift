// Limits and times of a log in PostgreSQL.

import Foundation
import ReactiveSync

extension PostgresLog {
    /// Limits and times of a log.
    ///
    /// Replicas of one document may have different options. The sizes and ``keeping`` then are those of the replica
    /// that writes.
    public struct Options: Hashable, Sendable {
        /// The schema of the tables: a name of 1 to 63 bytes without `$`. It is quoted, so that its case counts.
        public var schema: String

        /// The maximum size of an entry's content, in bytes. The tables accept up to 16 MB.
        public var maximumEntrySize: Int

        /// The maximum size of a snapshot's content, in bytes. The tables accept up to 256 MB.
        public var maximumSnapshotSize: Int

        /// How long entries below the latest snapshot are kept, for replicas that are behind.
        ///
        /// A replica that was away for longer begins with the snapshot.
        public var keeping: Duration

        /// The time after which a wait asks for new entries, if there was no notification.
        public var pollInterval: Duration

        /// The maximum time to connect, with the names, addresses and greetings that this takes.
        public var connectTimeout: Duration

        /// The maximum time that a command waits without a byte from the server or to it, and for a lock.
        public var responseTimeout: Duration

        /// Creates options.
        ///
        /// - Parameters:
        ///   - schema: The schema of the tables.
        ///   - maximumEntrySize: The maximum size of an entry's content, in bytes.
        ///   - maximumSnapshotSize: The maximum size of a snapshot's content, in bytes.
        ///   - keeping: How long entries below the latest snapshot are kept.
        ///   - pollInterval: The time after which a wait asks for new entries.
        ///   - connectTimeout: The maximum time to connect.
        ///   - responseTimeout: The maximum time that a command waits without progress.
        public init(
            schema: String = "reactive", maximumEntrySize: Int = 1 << 20, maximumSnapshotSize: Int = 64 << 20,
            keeping: Duration = .seconds(7 * 24 * 60 * 60), pollInterval: Duration = .seconds(5),
            connectTimeout: Duration = .seconds(10), responseTimeout: Duration = .seconds(30)
        ) {
            self.schema = schema
            self.maximumEntrySize = maximumEntrySize
            self.maximumSnapshotSize = maximumSnapshotSize
            self.keeping = keeping
            self.pollInterval = pollInterval
            self.connectTimeout = connectTimeout
            self.responseTimeout = responseTimeout
        }

        /// Checks the options before they are used.
        func check() throws(LogError) {
            // A dollar sign could end the body of a function.
            guard 1...63 ~= schema.utf8.count, !schema.utf8.contains(0), !schema.contains("$") else {
                throw .refused("the name of a schema must have 1 to 63 bytes, without $ and NUL")
            }
            guard maximumEntrySize > 0, maximumSnapshotSize > 0 else {
                throw .refused("the maximum sizes of entries and snapshots must be at least one byte")
            }
            guard keeping >= .zero else { throw .refused("the time that entries are kept must not be negative") }
            guard pollInterval > .zero, connectTimeout > .zero, responseTimeout > .zero else {
                throw .refused("the interval and the timeouts of a log must be longer than zero")
            }
        }
    }
}
