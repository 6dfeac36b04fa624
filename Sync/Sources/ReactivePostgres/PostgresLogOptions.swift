// Limits and times of a log in PostgreSQL.

import Foundation
import ReactiveSync

extension PostgresLog {
    /// Limits and times of a log.
    ///
    /// Logs of one document may have different options. Then the sizes and ``keeping`` of the log that writes count.
    public struct Options: Hashable, Sendable {
        /// The schema of the tables: a name of 1 to 63 bytes without `$`. It is quoted, so its case matters.
        public var schema: String

        /// The maximum size of an entry's content, in bytes. The tables accept up to 16 MB.
        public var maximumEntrySize: Int

        /// The maximum size of a snapshot's content, in bytes. The tables accept up to 256 MB.
        public var maximumSnapshotSize: Int

        /// The minimum age at which entries before the latest snapshot are pruned.
        ///
        /// A replica that was away for longer begins with the snapshot.
        public var keeping: Duration

        /// The time after which a wait polls for new entries, if there was no notification.
        public var pollInterval: Duration

        /// The maximum time to connect, which includes the resolution of names, all addresses, and authentication.
        public var connectTimeout: Duration

        /// The maximum time that a command waits for a lock, or without a byte from the server or to it.
        public var responseTimeout: Duration

        /// Creates options.
        ///
        /// - Parameters:
        ///   - schema: The schema of the tables.
        ///   - maximumEntrySize: The maximum size of an entry's content, in bytes.
        ///   - maximumSnapshotSize: The maximum size of a snapshot's content, in bytes.
        ///   - keeping: The minimum age at which entries before the latest snapshot are pruned.
        ///   - pollInterval: The time after which a wait polls for new entries.
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
            // A dollar sign in the name could end the body of an SQL function.
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
