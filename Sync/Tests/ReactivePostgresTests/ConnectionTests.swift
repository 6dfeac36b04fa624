// The connection below the log: the settings of sessions, and that no notification is missed.

import Foundation
import ReactiveSync
import SyncTestSupport
import Testing

@testable import ReactivePostgres

extension PostgresTests {
    @Suite("Connections") struct Connections {
        private func connection(
            to database: TestDatabase, counting payload: String? = nil
        ) throws -> PostgresConnection {
            let sql = SQL(schema: "reactive")
            let parameters = try ConnectionParameters(
                database.connectionString(), connectTimeout: .seconds(60), responseTimeout: .seconds(60))
            return PostgresConnection(
                parameters, setup: [sql.session(lockTimeout: .seconds(7)), sql.listen],
                countingNotificationsOf: payload)
        }

        @Test func sessionsDoNotRelyOnDefaults() async throws {
            let database = try await TestDatabase()
            try await database.sql(
                """
                ALTER DATABASE \(database.name) SET synchronous_commit = off;
                ALTER DATABASE \(database.name) SET default_transaction_isolation = 'repeatable read';
                ALTER DATABASE \(database.name) SET client_encoding = 'LATIN1';
                """)
            let connection = try connection(to: database)
            for (setting, value) in [
                ("synchronous_commit", "on"), ("default_transaction_isolation", "read committed"),
                ("client_encoding", "UTF8"), ("lock_timeout", "7s"), ("application_name", "Reactive"),
            ] {
                let statement = Statement("setting", "SELECT current_setting($1)")
                #expect(try await connection.run(statement, [.text(setting)]).text(0, 0) == value)
            }
        }

        /// Settings that are stricter than the log needs are not changed.
        @Test func synchronousReplicationIsNotSwitchedOff() async throws {
            let database = try await TestDatabase()
            try await database.sql("ALTER DATABASE \(database.name) SET synchronous_commit = 'remote_apply'")
            let statement = Statement("setting", "SELECT current_setting('synchronous_commit')")
            #expect(try await connection(to: database).run(statement).text(0, 0) == "remote_apply")
        }

        @Test func aNotificationBetweenTheAnswerAndTheWaitIsNotMissed() async throws {
            let database = try await TestDatabase()
            let connection = try connection(to: database, counting: "document")
            let one = Statement("one", "SELECT 1")
            let before = try await connection.run(one).ticket
            try await database.sql("NOTIFY reactive, 'other'; NOTIFY different, 'document'")
            #expect(try await connection.run(one).ticket == before)
            try await database.sql("NOTIFY reactive, 'document'")
            try await eventually { try await connection.run(one).ticket != before }
            try await connection.waitForNotification(after: before, timeout: .seconds(3600))
        }

        @Test func aTicketOfAnEarlierSessionIsAnError() async throws {
            let database = try await TestDatabase()
            let connection = try connection(to: database, counting: "document")
            let one = Statement("one", "SELECT 1")
            let before = try await connection.run(one).ticket
            await errorOf(PostgresError.self) {
                _ = try await connection.run(Statement("end", "SELECT pg_terminate_backend(pg_backend_pid())"))
            }
            _ = try await connection.run(one)
            await #expect(throws: PostgresError.self) {
                try await connection.waitForNotification(after: before, timeout: .seconds(3600))
            }
        }

        @Test func anErrorLeavesTheSessionUsable() async throws {
            let connection = try await connection(to: TestDatabase())
            for statement in [Statement("wrong", "SELEKT"), Statement("zero", "SELECT 1 / (1 - $1::int)")] {
                let error = await errorOf(PostgresError.self) { _ = try await connection.run(statement, [.integer(1)]) }
                #expect(["42601", "22012"].contains(error?.sqlState))
            }
            await errorOf(PostgresError.self) {
                _ = try await connection.run(Statement(script: "SELECT 1; SELECT 1/0; SELECT 2"))
            }
            let arrays = Statement("arrays", "SELECT array_to_json($1::text[]), array_to_json($2::bigint[])")
            let result = try await connection.run(arrays, [.texts(["", "{\",}", "NULL"]), .integers([-1, .max])])
            #expect(result.text(0, 0) == #"["","{\",}","NULL"]"#)
            #expect(result.text(0, 1) == "[-1,9223372036854775807]")
            #expect(result.ticket.session == 1)
        }
    }
}
