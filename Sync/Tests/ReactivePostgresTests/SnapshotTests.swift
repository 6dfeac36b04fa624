// The start of replicas: snapshots, and the log after pruning.

import Foundation
import ReactivePostgres
import ReactiveSync
import SyncTestSupport
import Testing

extension PostgresTests {
    @Suite("Snapshots and pruning") struct Snapshots {
        private func snapshot(_ position: Int, _ content: String = "{}", version: Int = 1) -> LogSnapshot {
            LogSnapshot(position: position, version: version, content: content)
        }

        @Test func anEmptyLogBeginsWithNothing() async throws {
            let log = try await TestDatabase().log()
            #expect(try await log.start(of: UUID()) == LogStart(snapshot: nil, end: 0, lastNumber: 0))
            #expect(try await log.entries(after: 0, limit: 1) == [])
        }

        @Test func aReplicaBeginsWithTheLatestSnapshot() async throws {
            let log = try await TestDatabase().log()
            let replica = UUID()
            try await log.save(snapshot(0, "0"))
            #expect(try await log.start(of: replica) == LogStart(snapshot: snapshot(0, "0"), end: 0, lastNumber: 0))
            try await log.append(makeEntries(replica, 1...9))
            try await log.save(snapshot(3, "3", version: 5))
            try await log.save(snapshot(7, "7"))
            try await log.save(snapshot(5, "5"))
            #expect(try await log.start(of: replica) == LogStart(snapshot: snapshot(7, "7"), end: 9, lastNumber: 9))
            #expect(try await log.start(of: UUID()).lastNumber == 0)
        }

        @Test func theFirstSnapshotOfAPositionIsKept() async throws {
            let database = try await TestDatabase()
            for round in 0..<10 {
                let contents = try await withThrowingTaskGroup(of: String?.self) { group in
                    for saver in 0..<4 {
                        group.addTask {
                            let log = try await database.log("document \(round)")
                            try await log.save(snapshot(0, "\(saver)"))
                            return try await log.start(of: UUID()).snapshot?.content
                        }
                    }
                    return try await group.reduce(into: Set()) { $0.insert($1) }
                }
                #expect(contents.count == 1, "all that have saved see the same snapshot")
                #expect(contents.first != .some(nil))
            }
        }

        @Test func snapshotsThatAreTooLargeAreRefused() async throws {
            let log = try await TestDatabase().log(options: .init(maximumSnapshotSize: 3))
            let error = await errorOf(LogError.self) { try await log.save(snapshot(0, "1234")) }
            #expect(error == .refused("the snapshot has 4 bytes, and the maximum is 3"))
            try await log.save(snapshot(0, "123"))
            #expect(try await log.start(of: UUID()).snapshot?.content == "123")
        }

        @Test func aSnapshotBeyondTheEndIsOfADifferentLog() async throws {
            let log = try await TestDatabase().log()
            await #expect(throws: LogError.unknownPosition) { try await log.save(snapshot(1)) }
            try await log.append(makeEntries(UUID(), 1...2))
            await #expect(throws: LogError.unknownPosition) { try await log.save(snapshot(3)) }
            try await log.save(snapshot(2))
        }

        @Test func positionsBeyondTheEndAreUnknown() async throws {
            let log = try await TestDatabase().log()
            await #expect(throws: LogError.unknownPosition) { try await log.entries(after: 1, limit: 1) }
            try await log.append(makeEntries(UUID(), 1...2))
            #expect(try await log.entries(after: 2, limit: 1) == [])
            await #expect(throws: LogError.unknownPosition) { try await log.entries(after: 3, limit: 1) }
        }

        @Test func entriesBelowASnapshotArePrunedAfterATime() async throws {
            let database = try await TestDatabase()
            let log = try await database.log()
            let replica = UUID()
            try await log.append(makeEntries(replica, 1...10))
            try await log.save(snapshot(2))
            try await log.save(snapshot(6))
            #expect(try await log.allEntries().count == 10, "the entries are not old enough")
            #expect(try await database.sql("SELECT position FROM reactive.snapshots") == "6")

            // Six entries that are eight days old, of which the fourth has a wrong time.
            try await database.sql(
                """
                UPDATE reactive.entries SET created_at = created_at - interval '8 days'
                WHERE position <= 6 AND position <> 4
                """)
            try await log.save(snapshot(8))
            #expect(try await log.allEntries(after: 3).count == 7)
            await #expect(throws: LogError.pruned) { try await log.entries(after: 2, limit: 1) }
            await #expect(throws: LogError.pruned) { try await log.entries(after: 0, limit: 100) }

            let impatient = try await database.log(options: .init(keeping: .zero))
            try await impatient.save(snapshot(9))
            #expect(try await log.allEntries(after: 9) == makeEntries(replica, 10...10))
            await #expect(throws: LogError.pruned) { try await log.entries(after: 8, limit: 1) }
            try await impatient.save(snapshot(10))
            await #expect(throws: LogError.pruned) { try await log.entries(after: 9, limit: 1) }
            #expect(try await log.entries(after: 10, limit: 1) == [])
        }

        @Test func identitiesSurvivePruning() async throws {
            let log = try await TestDatabase().log(options: .init(keeping: .zero))
            let replica = UUID()
            try await log.append(makeEntries(replica, 1...3))
            try await log.save(snapshot(3))
            try await log.append(makeEntries(replica, 1...4))
            #expect(try await log.start(of: replica) == LogStart(snapshot: snapshot(3), end: 4, lastNumber: 4))
            #expect(try await log.entries(after: 3, limit: 9) == makeEntries(replica, 4...4))
        }

        /// One replica writes, two save and prune, and one reads slowly and starts again whenever it is too late.
        @Test func pruningDuringASlowReadLosesNothing() async throws {
            let database = try await TestDatabase()
            let writer = UUID()
            let count = 400
            try await withThrowingTaskGroup { group in
                group.addTask {
                    let log = try await database.log()
                    for number in 1...count { try await log.append(makeEntries(writer, number...number)) }
                }
                for _ in 0..<2 {
                    group.addTask {
                        let log = try await database.log(options: .init(keeping: .zero))
                        var end = 0
                        while end < count {
                            end = try await log.start(of: writer).end
                            try await log.save(snapshot(end, "\(end)"))
                        }
                    }
                }
                group.addTask {
                    let log = try await database.log()
                    var position = 0
                    while position < count {
                        do {
                            let entries = try await log.entries(after: position, limit: 3)
                            let expected = position + 1..<position + 1 + entries.count
                            #expect(entries.map(\.number) == Array(expected))
                            position += entries.count
                        } catch LogError.pruned {
                            let start = try await log.start(of: writer)
                            let snapshot = try #require(start.snapshot)
                            #expect(snapshot.content == "\(snapshot.position)")
                            #expect(snapshot.position > position)
                            #expect(start.end >= snapshot.position && start.lastNumber == start.end)
                            position = snapshot.position
                        }
                    }
                }
                for try await _ in group {}  // the first error ends the others
            }
            #expect(try await database.sql("SELECT count(*) FROM reactive.entries") == "0")
            #expect(try await database.sql("SELECT position FROM reactive.snapshots") == "\(count)")
        }

        @Test func manyEntriesArePrunedInBatches() async throws {
            let log = try await TestDatabase().log(options: .init(keeping: .zero))
            let replica = UUID()
            for start in stride(from: 1, through: 4001, by: 500) {
                try await log.append(makeEntries(replica, start...(start + 499)))
            }
            try await log.save(snapshot(4499))
            #expect(try await log.entries(after: 4499, limit: 9).map(\.number) == [4500])
            await #expect(throws: LogError.pruned) { try await log.entries(after: 4498, limit: 9) }
        }
    }
}
