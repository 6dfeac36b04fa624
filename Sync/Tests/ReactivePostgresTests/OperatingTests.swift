// The page about operating a database: its SQL runs and has the described effects.

import Foundation
import ReactivePostgres
import ReactiveSync
import SyncTestSupport
import Testing

extension PostgresTests {
    @Suite("Operating") struct Operating {
        /// Returns the blocks of SQL below a heading of the page.
        private func sql(below heading: String) throws -> [String] {
            let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../Sources/ReactivePostgres/Documentation.docc/OperatingPostgres.md")
            let text = try String(contentsOf: page.standardizedFileURL, encoding: .utf8)
            let section = try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix(heading + "\n") })
            return section.components(separatedBy: "```sql\n").dropFirst().map {
                $0.components(separatedBy: "```")[0]
            }
        }

        /// A server with the roles of the page, and roles that log in: one for each, and two tenants.
        private func databaseWithRoles() async throws -> TestDatabase {
            let database = try await TestDatabase(in: PostgresServer())
            let blocks = try sql(below: "Roles")
            try #require(blocks.count == 2)
            try await database.sql(blocks[0])
            try await database.sql("SET ROLE reactive_owner;\n" + PostgresLog.tables())
            try await database.sql(blocks[1])
            try await database.sql(
                """
                CREATE ROLE owner LOGIN IN ROLE reactive_owner;
                CREATE ROLE writer LOGIN IN ROLE reactive_writer;
                CREATE ROLE reader LOGIN IN ROLE reactive_reader;
                CREATE ROLE stranger LOGIN;
                CREATE ROLE acme LOGIN IN ROLE reactive_writer;
                CREATE ROLE other LOGIN IN ROLE reactive_writer;
                """)
            return database
        }

        @Test func rolesHaveTheDocumentedRights() async throws {
            let database = try await databaseWithRoles()
            let replica = UUID()
            let writer = try await database.log(user: "writer", options: .init(keeping: .zero))
            try await writer.append(makeEntries(replica, 1...3))
            try await writer.save(LogSnapshot(position: 2, version: 1, content: "{}"))
            await #expect(throws: LogError.pruned) { try await writer.entries(after: 0, limit: 1) }

            let reader = try await database.log(user: "reader")
            #expect(try await reader.start(of: replica).lastNumber == 3)
            #expect(try await reader.entries(after: 2, limit: 9) == makeEntries(replica, 3...3))
            try await reader.waitForEntries(after: 2)
            let append = await errorOf(LogError.self) { try await reader.append(makeEntries(UUID(), 1...1)) }
            #expect(append?.reason.contains("permission denied") == true)
            await errorOf(LogError.self) { try await reader.append(makeEntries(replica, 3...3)) }
            let save = await errorOf(LogError.self) {
                try await reader.save(LogSnapshot(position: 3, version: 1, content: "{}"))
            }
            #expect(save?.reason.contains("permission denied") == true)

            let stranger = await errorOf(LogError.self) { _ = try await database.log(user: "stranger") }
            #expect(stranger?.reason.contains("permission denied for schema reactive") == true)
            let owner = try await database.log(user: "owner")
            try await owner.append(makeEntries(UUID(), 1...1))
            #expect(try await owner.start(of: replica).end == 4)

            // Without the right to delete, a writer saves and prunes nothing.
            try await database.sql("REVOKE DELETE ON reactive.entries, reactive.snapshots FROM reactive_writer")
            try await writer.save(LogSnapshot(position: 4, version: 1, content: "{}"))
            #expect(try await writer.start(of: replica).snapshot?.position == 4)
            #expect(try await writer.entries(after: 2, limit: 9).count == 2)
            try await database.server.stop()
        }

        @Test func tenantsSeeOnlyTheirDocuments() async throws {
            let database = try await databaseWithRoles()
            for block in try sql(below: "Tenants") { try await database.sql(block) }
            let replica = UUID()
            let own = try await database.log("acme/board-7", user: "acme", options: .init(keeping: .zero))
            try await own.append(makeEntries(replica, 1...2))
            try await own.save(LogSnapshot(position: 1, version: 1, content: "{}"))
            #expect(try await own.start(of: replica).end == 2)
            #expect(try await own.entries(after: 1, limit: 9) == makeEntries(replica, 2...2))

            let foreign = try await database.log("acme/board-7", user: "other")
            #expect(try await foreign.start(of: replica) == LogStart(snapshot: nil, end: 0, lastNumber: 0))
            #expect(try await foreign.entries(after: 0, limit: 9) == [])
            let append = await errorOf(LogError.self) { try await foreign.append(makeEntries(UUID(), 1...1)) }
            #expect(append?.reason.contains("row-level security") == true)
            let save = await errorOf(LogError.self) {
                try await foreign.save(LogSnapshot(position: 0, version: 1, content: "{}"))
            }
            #expect(save?.reason.contains("row-level security") == true)

            let others = try await database.log("other/board-7", user: "other")
            try await others.append(makeEntries(replica, 1...1))
            #expect(try await own.start(of: replica).end == 2)
            try await database.server.stop()
        }

        @Test func theOtherDocumentedStatementsRun() async throws {
            let database = try await TestDatabase()
            let log = try await database.log("acme/board-7")
            try await log.append(makeEntries(UUID(), 1...3))
            try await log.save(LogSnapshot(position: 2, version: 1, content: "{}"))
            let (monitoring, pruning) = (try sql(below: "Monitoring"), try sql(below: "Pruning"))
            #expect(monitoring.count == 4 && pruning.count == 2)
            #expect(try await database.sql(monitoring[0]).hasPrefix("acme/board-7|3|3|"))
            #expect(try await database.sql(monitoring[1]).hasPrefix("acme/board-7|1|"))
            #expect(try await database.sql(monitoring[2]).hasSuffix("|3"))
            #expect(try await database.sql(monitoring[3]).contains("postgres|idle|"))
            #expect(try await database.sql(pruning[0]) == "acme/board-7|0")
            try await database.sql(pruning[1])
            await #expect(throws: LogError.unknownPosition) { try await log.entries(after: 3, limit: 1) }
        }

        @Test func severalProcessesMayCreateTheTables() async throws {
            let database = try await TestDatabase()
            let schema = #"My "own" 'schema'; --"#
            try await withThrowingTaskGroup { group in
                for index in 0..<8 {
                    group.addTask {
                        let log = try await database.log(options: .init(schema: schema))
                        try await log.append(makeEntries(UUID(), 1...(index + 1)))
                    }
                }
                for try await _ in group {}  // the first error ends the others
            }
            let end = try await database.log(options: .init(schema: schema)).start(of: UUID()).end
            #expect(end == 36)
            // The script does not change existing tables.
            try await database.sql(PostgresLog.tables(schema: schema))
            #expect(try await database.log(options: .init(schema: schema)).start(of: UUID()).end == 36)
        }

        @Test func missingTablesAndRightsAreReportedWithAFix() async throws {
            let database = try await TestDatabase(in: PostgresServer(settings: ["fsync=off"]))
            try await database.sql("CREATE ROLE nobody LOGIN")
            let error = await errorOf(LogError.self) { _ = try await database.log(user: "nobody") }
            #expect(error?.reason.contains("PostgresLog.tables") == true)
            try await database.server.stop()
        }

        @Test func newerTablesAreRefused() async throws {
            let database = try await TestDatabase()
            _ = try await database.log()
            try await database.sql("UPDATE reactive.layout SET version = 2")
            let error = await errorOf(LogError.self) { _ = try await database.log() }
            #expect(error == .refused("the tables have layout 2, and this program supports layout 1 at most"))
        }
    }
}
