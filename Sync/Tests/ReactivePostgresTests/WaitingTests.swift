// Waiting for entries: notifications, polling, cancellation.

import Foundation
import ReactivePostgres
import ReactiveSync
import SyncTestSupport
import Testing

extension PostgresTests {
    @Suite("Waiting") struct Waiting {
        /// A log that would poll only after the test's time limit.
        private static let patient = PostgresLog.Options(pollInterval: .seconds(3600))

        /// Waits until a session of the database is idle after a statement, that is, until a wait has begun.
        private func untilListening(_ database: TestDatabase, _ count: Int = 1) async throws {
            try await eventually {
                try await database.sql(
                    """
                    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                    AND state = 'idle' AND query LIKE '%coalesce((SELECT position%'
                    """) == "\(count)"
            }
        }

        @Test func existingEntriesNeedNoWait() async throws {
            let log = try await TestDatabase().log(options: Self.patient)
            try await log.append(makeEntries(UUID(), 1...2))
            try await log.waitForEntries(after: 0)
            try await log.waitForEntries(after: 1)
            try await log.waitForEntries(after: 3)  // a position that the log does not know ends the wait
        }

        @Test func aNotificationEndsAllWaits() async throws {
            let database = try await TestDatabase()
            let log = try await database.log(options: Self.patient)
            async let first: Void = log.waitForEntries(after: 0)
            async let second: Void = log.waitForEntries(after: 0)
            async let other: Void = database.log(options: Self.patient).waitForEntries(after: 0)
            try await untilListening(database, 2)
            try await database.log().append(makeEntries(UUID(), 1...1))
            _ = try await (first, second, other)
        }

        @Test func entriesOfOtherDocumentsEndNoWait() async throws {
            let database = try await TestDatabase()
            let log = try await database.log("one", options: Self.patient)
            let wait = Task { try await log.waitForEntries(after: 0) }
            try await untilListening(database)
            let other = try await database.log("other", options: Self.patient)
            try await other.append(makeEntries(UUID(), 1...1))
            try await other.waitForEntries(after: 0)
            wait.cancel()
            // If the other document had ended the wait, the log would have read again and waited, or returned.
            await #expect(throws: CancellationError.self) { try await wait.value }
        }

        @Test func noNotificationIsLost() async throws {
            let database = try await TestDatabase()
            let writer = try await database.log()
            let reader = try await database.log(options: Self.patient)
            let replica = UUID()
            let count = 200
            async let appended: Void = {
                for number in 1...count { try await writer.append(makeEntries(replica, number...number)) }
            }()
            var position = 0
            while position < count {
                try await reader.waitForEntries(after: position)
                position += try await reader.entries(after: position, limit: 3).count
            }
            try await appended
        }

        @Test func withoutNotificationsTheLogPolls() async throws {
            let database = try await TestDatabase()
            let log = try await database.log(options: .init(pollInterval: .milliseconds(20)))
            let wait = Task { try await log.waitForEntries(after: 0) }
            try await untilListening(database)
            // A row without a notification.
            try await database.sql("INSERT INTO reactive.documents VALUES ('document', 1)")
            try await wait.value
        }

        @Test func aCancelledWaitReturnsAndTheOthersContinue() async throws {
            let database = try await TestDatabase()
            let log = try await database.log(options: Self.patient)
            let (cancelled, other) = (
                Task { try await log.waitForEntries(after: 0) }, Task { try await log.waitForEntries(after: 0) }
            )
            try await untilListening(database)
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            try await log.append(makeEntries(UUID(), 1...1))
            try await other.value

            let early = Task { try await log.waitForEntries(after: 1) }
            early.cancel()
            await #expect(throws: CancellationError.self) { try await early.value }
        }

        @Test func aWaitEndsWhenItsConnectionIsLost() async throws {
            let database = try await TestDatabase()
            let log = try await database.log(options: Self.patient)
            let wait = Task { try await log.waitForEntries(after: 0) }
            try await untilListening(database)
            try await database.sql(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """)
            await #expect(throws: PostgresError.self) { try await wait.value }
            // The next wait connects again.
            try await log.append(makeEntries(UUID(), 1...1))
            try await log.waitForEntries(after: 0)
        }

        @Test func aReleasedLogClosesItsConnections() async throws {
            let database = try await TestDatabase()
            let sessions = """
                SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
                """
            do {
                let log = try await database.log()
                try await log.append(makeEntries(UUID(), 1...1))
                try await log.waitForEntries(after: 0)
                let wait = Task { try await log.waitForEntries(after: 1) }
                wait.cancel()
                _ = await wait.result
                #expect(try await database.sql(sessions) == "2")
            }
            try await eventually { try await database.sql(sessions) == "0" }
        }
    }
}
