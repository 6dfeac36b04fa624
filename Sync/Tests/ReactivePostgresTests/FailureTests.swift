// Servers and networks that fail: no acknowledged entry is lost, no entry is repeated, no call hangs.

import Foundation
import ReactivePostgres
import ReactiveSync
import SyncTestSupport
import Testing

extension PostgresTests {
    @Suite("Failures") struct Failures {
        /// Notifications may be lost with a connection.
        private static let polling = PostgresLog.Options(pollInterval: .milliseconds(50))

        /// Times for networks that are cut off: short, but long enough for a busy machine.
        private static let hasty = PostgresLog.Options(
            connectTimeout: .milliseconds(500), responseTimeout: .milliseconds(500))

        /// Waits until the notification of the last append has been sent: commands are executed in order.
        private func untilNotified(_ log: PostgresLog) async throws {
            _ = try await log.start(of: UUID())
        }

        @Test func malformedArgumentsAreRefused() async throws {
            let malformed = [
                "postgresql://user:hunter2@[host/db", "password=hunter2 'x", "postgresql://u:hunter2@host:port:2/%zz",
                "hunter2", "password='hunter2", "host=a\u{0}b", "postgresql://u:hun\"ter2@[/x",
            ]
            for string in malformed {
                let error = await errorOf(LogError.self) { _ = try await PostgresLog(string, document: "a") }
                let reason = error?.reason ?? ""
                #expect(reason.hasPrefix("the connection string is malformed"))
                #expect(!reason.contains("ter2"))
            }
            for document in ["", "a\u{0}", String(repeating: "ä", count: 101)] {
                await errorOf(LogError.self) { _ = try await PostgresLog("", document: document) }
            }
            let options: [PostgresLog.Options] = [
                .init(schema: ""), .init(schema: "$"), .init(schema: String(repeating: "x", count: 64)),
                .init(maximumEntrySize: 0), .init(keeping: .seconds(-1)), .init(pollInterval: .zero),
            ]
            for options in options {
                await errorOf(LogError.self) { _ = try await PostgresLog("", document: "a", options: options) }
            }
            #expect(throws: LogError.self) { try PostgresLog.tables(schema: "a$b") }
        }

        @Test func withoutAServerTheLogIsOfflineUntilItReturns() async throws {
            let database = try await TestDatabase()
            let proxy = try FaultyProxy(to: database.server.folder)
            defer { proxy.stop() }
            proxy.set(.refusing)
            let log = try await database.log(through: proxy)
            let replica = UUID()
            await #expect(throws: PostgresError.self) { try await log.start(of: replica) }
            await #expect(throws: PostgresError.self) { try await log.append(makeEntries(replica, 1...1)) }
            await #expect(throws: PostgresError.self) { try await log.waitForEntries(after: 0) }
            let missing = try await PostgresLog("host=/nowhere", document: "a")
            await #expect(throws: PostgresError.self) { try await missing.start(of: replica) }

            proxy.set(.passing)
            try await log.append(makeEntries(replica, 1...1))
            try await log.waitForEntries(after: 0)
            #expect(try await log.start(of: replica).end == 1)
        }

        @Test func unknownDatabasesAndWrongPasswordsAreReported() async throws {
            let server = try await PostgresServer.shared()
            let unknown = await errorOf(PostgresError.self) {
                _ = try await PostgresLog(server.connectionString(database: "nosuch"), document: "a")
            }
            #expect(unknown?.sqlState == "3D000")
            #expect(unknown?.message.contains("database \"nosuch\" does not exist") == true)

            let database = try await TestDatabase(in: PostgresServer(settings: ["fsync=off"]))
            try await database.sql(
                """
                CREATE ROLE needs_password NOLOGIN;
                CREATE ROLE hunter2 LOGIN PASSWORD 'correct' IN ROLE needs_password;
                GRANT CREATE ON DATABASE \(database.name) TO hunter2;
                """)
            let string = database.connectionString(user: "hunter2")
            // The password also occurs in the message's text.
            for string in [string + " password=hunter2", string] {
                let error = await errorOf(Error.self) { _ = try await PostgresLog(string, document: "a") }
                let text = "\(error.map { "\($0)" } ?? "")"
                #expect(!text.contains("password=") && !text.contains("LOCATION"))
                if string.contains("password=") {
                    #expect((error as? PostgresError)?.sqlState == "28P01")
                    #expect(!text.contains("hunter2"))
                }
            }
            let log = try await PostgresLog(string + " password=correct", document: "a")
            try await log.append(makeEntries(UUID(), 1...1))
            let refusal = await errorOf(LogError.self) { try await log.append(makeEntries(UUID(), 2...2)) }
            #expect(refusal?.reason.contains("correct") == false)
            try await database.server.stop()
        }

        @Test func aCallThatIsCutBeforeOrAfterTheCommitAppendsOnce() async throws {
            let database = try await TestDatabase()
            let proxy = try FaultyProxy(to: database.server.folder)
            defer { proxy.stop() }
            let log = try await database.log(through: proxy)
            let direct = try await database.log()
            let replica = UUID()
            try await log.append(makeEntries(replica, 1...1))
            try await untilNotified(log)

            proxy.cutOnce(.beforeRequest)
            await #expect(throws: PostgresError.self) { try await log.append(makeEntries(replica, 2...2)) }
            #expect(try await direct.start(of: replica).end == 1, "the server has got nothing")
            try await log.append(makeEntries(replica, 2...2))
            try await untilNotified(log)

            proxy.cutOnce(.beforeReply)
            await #expect(throws: PostgresError.self) { try await log.append(makeEntries(replica, 3...4)) }
            #expect(try await direct.start(of: replica).end == 4, "the server has committed")
            try await log.append(makeEntries(replica, 3...5))
            #expect(try await log.allEntries() == makeEntries(replica, 1...5))

            proxy.cutOnce(.beforeReply)
            let snapshot = LogSnapshot(position: 5, version: 1, content: "1")
            await #expect(throws: PostgresError.self) { try await log.save(snapshot) }
            try await log.save(LogSnapshot(position: 5, version: 1, content: "2"))
            #expect(try await log.start(of: replica).snapshot?.position == 5)
        }

        @Test func connectionsThatAreCutRandomlyLoseNothing() async throws {
            let database = try await TestDatabase()
            let proxy = try FaultyProxy(to: database.server.folder)
            defer { proxy.stop() }
            let writers = (0..<3).map { _ in UUID() }
            let count = 60
            try await withThrowingTaskGroup { group in
                for writer in writers {
                    group.addTask {
                        let log = try await database.log(through: proxy)
                        for number in 1...count {
                            try await untilAnswered { try await log.append(makeEntries(writer, number...number)) }
                        }
                    }
                }
                group.addTask {
                    let log = try await database.log(through: proxy, options: Self.polling)
                    var seen: [LogEntry] = []
                    while seen.count < writers.count * count {
                        try await untilAnswered { try await log.waitForEntries(after: seen.count) }
                        seen += try await untilAnswered { try await log.entries(after: seen.count, limit: 10) }
                    }
                    expectExactlyOnce(seen, Dictionary(uniqueKeysWithValues: writers.map { ($0, count) }))
                }
                group.addTask {
                    let direct = try await database.log(options: Self.polling)
                    var end = 0
                    while end < writers.count * count {
                        proxy.cutOnce(end.isMultiple(of: 2) ? .beforeReply : .beforeRequest)
                        let position = end
                        try await direct.waitForEntries(after: position)
                        end = try await direct.start(of: UUID()).end
                    }
                }
                for try await _ in group {}  // the first error ends the others
            }
        }

        @Test func aNetworkThatIsCutOffDoesNotHang() async throws {
            let database = try await TestDatabase()
            let proxy = try FaultyProxy(to: database.server.folder)
            defer { proxy.stop() }
            let log = try await database.log(through: proxy, options: Self.hasty)
            let replica = UUID()
            try await untilAnswered { try await log.append(makeEntries(replica, 1...1)) }
            try await untilAnswered { try await log.waitForEntries(after: 0) }
            try await untilAnswered { try await untilNotified(log) }

            proxy.set(.blackhole)
            let response = await errorOf(PostgresError.self) { try await log.append(makeEntries(replica, 2...2)) }
            #expect(response?.message == "the server did not answer within 0.5 seconds")
            let connection = await errorOf(PostgresError.self) { try await log.append(makeEntries(replica, 2...2)) }
            #expect(connection?.message == "the server did not accept a connection within 0.5 seconds")
            // A wait polls after its poll interval at the latest, and finds the error.
            await #expect(throws: PostgresError.self) { try await log.waitForEntries(after: 1) }

            proxy.cutNow()
            proxy.set(.passing)
            try await untilAnswered { try await log.append(makeEntries(replica, 2...2)) }
            #expect(try await untilAnswered { try await log.start(of: replica).end } == 2)
        }

        @Test func aSlowNetworkCausesNoErrors() async throws {
            let database = try await TestDatabase()
            let proxy = try FaultyProxy(to: database.server.folder)
            defer { proxy.stop() }
            proxy.set(.delaying(seconds: 0.01))
            let log = try await database.log(through: proxy)
            let replica = UUID()
            let content = "\"" + String(repeating: "x", count: 900_000) + "\""
            try await log.append([LogEntry(replica: replica, number: 1, version: 1, content: content)])
            #expect(try await log.entries(after: 0, limit: 1).first?.content == content)
        }

        @Test func aCancelledCallReturnsAndTheConnectionStays() async throws {
            let database = try await TestDatabase()
            let log = try await database.log()
            let replica = UUID()
            try await log.append(makeEntries(replica, 1...1))
            let identifier = try await database.sql(
                "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")

            // While a different session has the document's lock, an append waits.
            let locker = Task {
                try await database.sql(
                    "BEGIN; UPDATE reactive.documents SET position = position; SELECT pg_sleep(600); COMMIT")
            }
            try await eventually {
                try await database.sql(
                    """
                    SELECT count(*) FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event = 'PgSleep'
                    """) == "1"
            }
            let append = Task { try await log.append(makeEntries(replica, 2...2)) }
            let queued = Task { try await log.append(makeEntries(replica, 3...3)) }
            append.cancel()
            queued.cancel()
            await #expect(throws: CancellationError.self) { try await append.value }
            await #expect(throws: CancellationError.self) { try await queued.value }
            _ = try await database.sql(
                """
                SELECT pg_cancel_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event = 'PgSleep'
                """)
            _ = await locker.result

            try await log.append(makeEntries(replica, 1...4))
            expectExactlyOnce(try await log.allEntries(), [replica: 4])
            #expect(
                try await database.sql(
                    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
                    == identifier)
        }

        @Test func aKilledServerLosesNothingThatWasAcknowledged() async throws {
            let server = try await PostgresServer()
            let database = try await TestDatabase(in: server)
            let writers = (0..<4).map { _ in UUID() }
            let count = 150
            let progress = Progress()
            _ = try await database.log()
            try await withThrowingTaskGroup { group in
                for writer in writers {
                    group.addTask {
                        let log = try await database.log()
                        for start in stride(from: 1, through: count, by: 3) {
                            try await untilAnswered { try await log.append(makeEntries(writer, start...(start + 2))) }
                            progress.acknowledge(writer, start + 2)
                        }
                    }
                }
                group.addTask {
                    let log = try await database.log(options: Self.polling)
                    var seen: [LogEntry] = []
                    while seen.count < writers.count * count {
                        try await untilAnswered { try await log.waitForEntries(after: seen.count) }
                        seen += try await untilAnswered { try await log.entries(after: seen.count, limit: 50) }
                    }
                    expectExactlyOnce(seen, Dictionary(uniqueKeysWithValues: writers.map { ($0, count) }))
                }
                group.addTask {
                    for round in 1...3 {
                        try await eventually { progress.total >= round * writers.count * count / 5 }
                        try await server.kill()
                        let acknowledged = progress.numbers
                        try await server.restart()
                        let log = try await database.log()
                        for (writer, number) in acknowledged {
                            let last = try await untilAnswered { try await log.start(of: writer).lastNumber }
                            #expect(last >= number)
                        }
                    }
                }
                for try await _ in group {}  // the first error ends the others
            }
            expectExactlyOnce(
                try await database.log().allEntries(), Dictionary(uniqueKeysWithValues: writers.map { ($0, count) }))
            try await server.stop()
        }
    }
}

/// The last number of each writer that the log has acknowledged.
private final class Progress: @unchecked Sendable {
    private let lock = NSLock()
    private var last: [UUID: Int] = [:]

    var numbers: [UUID: Int] { lock.withLock { last } }
    var total: Int { lock.withLock { last.values.reduce(0, +) } }

    func acknowledge(_ writer: UUID, _ number: Int) { lock.withLock { last[writer] = number } }
}
