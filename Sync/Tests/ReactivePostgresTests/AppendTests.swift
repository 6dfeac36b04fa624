// Appending: exactly once, in one order, without gaps.

import Foundation
import ReactivePostgres
import ReactiveSync
import SyncTestSupport
import Testing

extension PostgresTests {
    @Suite("Appending") struct Appending {
        @Test func entriesAreReadInTheirOrder() async throws {
            let log = try await TestDatabase().log()
            let (first, second) = (UUID(), UUID())
            try await log.append(makeEntries(first, 1...2))
            try await log.append(makeEntries(second, 1...1, version: 7))
            try await log.append(makeEntries(first, 3...3))
            var expected = makeEntries(first, 1...2)
            expected += makeEntries(second, 1...1, version: 7) + makeEntries(first, 3...3)
            #expect(try await log.entries(after: 0, limit: 10) == expected)
            #expect(try await log.entries(after: 1, limit: 2) == Array(expected[1...2]))
            #expect(try await log.entries(after: 4, limit: 10) == [])
        }

        @Test func documentsAreIndependent() async throws {
            let database = try await TestDatabase()
            let (one, other) = (try await database.log("one"), try await database.log("other"))
            let replica = UUID()
            try await one.append(makeEntries(replica, 1...2))
            try await other.append(makeEntries(replica, 1...1))
            #expect(try await one.start(of: replica).end == 2)
            #expect(try await other.start(of: replica) == LogStart(snapshot: nil, end: 1, lastNumber: 1))
        }

        @Test func existingEntriesAreSkipped() async throws {
            let log = try await TestDatabase().log()
            let replica = UUID()
            try await log.append(makeEntries(replica, 1...3))
            try await log.append(makeEntries(replica, 1...3))
            try await log.append(makeEntries(replica, 2...5))
            try await log.append(makeEntries(replica, 4...4))
            try await log.append([])
            #expect(try await log.allEntries() == makeEntries(replica, 1...5))
            #expect(try await log.start(of: replica) == LogStart(snapshot: nil, end: 5, lastNumber: 5))
        }

        @Test func aDifferentEntryWithTheSameNumberIsRefusedWithAllLaterOnes() async throws {
            let log = try await TestDatabase().log()
            let replica = UUID()
            try await log.append(makeEntries(replica, 1...2))
            let different = LogEntry(replica: replica, number: 2, version: 1, content: "[]")
            await #expect(throws: LogError.identityInUse) {
                try await log.append(makeEntries(replica, 1...1) + [different] + makeEntries(replica, 3...3))
            }
            #expect(try await log.allEntries() == makeEntries(replica, 1...2))
            try await log.append(makeEntries(replica, 1...3))
            #expect(try await log.allEntries() == makeEntries(replica, 1...3))
        }

        /// Several connections append the same entries together, in overlapping batches.
        @Test func duplicatesFromSeveralConnectionsAppearOnce() async throws {
            let database = try await TestDatabase()
            let replica = UUID()
            try await withThrowingTaskGroup { group in
                for connection in 0..<6 {
                    group.addTask {
                        let log = try await database.log()
                        for start in stride(from: 1, through: 91, by: 10) {
                            // The first entry may be beyond the end until the other connections have appended theirs.
                            try await untilAppended(log, makeEntries(replica, start...(start + 9 + connection)))
                        }
                    }
                }
                for try await _ in group {}  // the first error ends the others
            }
            expectExactlyOnce(try await database.log().allEntries(), [replica: 105])
        }

        @Test func eightWritersLeaveNoGaps() async throws {
            let database = try await TestDatabase()
            let writers = (0..<8).map { _ in UUID() }
            let count = 60
            try await withThrowingTaskGroup { group in
                for writer in writers {
                    group.addTask {
                        let log = try await database.log()
                        for number in 1...count { try await log.append(makeEntries(writer, number...number)) }
                    }
                }
                for _ in 0..<2 {
                    group.addTask {
                        let log = try await database.log()
                        var seen: [LogEntry] = []
                        while seen.count < writers.count * count {
                            // A gap would cause the answer `.pruned`; an entry that appears later, a missing number.
                            seen += try await log.entries(after: seen.count, limit: 7)
                        }
                        expectExactlyOnce(seen, Dictionary(uniqueKeysWithValues: writers.map { ($0, count) }))
                    }
                }
                for try await _ in group {}  // the first error ends the others
            }
            let positions = try await database.sql(
                "SELECT min(position), max(position), count(*) FROM reactive.entries")
            #expect(positions == "1|480|480")
            #expect(try await database.sql("SELECT position FROM reactive.documents") == "480")
        }

        @Test func theFirstEntryOfADocumentMayComeFromSeveralConnections() async throws {
            let database = try await TestDatabase()
            let writers = (0..<4).map { _ in UUID() }
            for round in 0..<10 {
                try await withThrowingTaskGroup { group in
                    for writer in writers {
                        group.addTask {
                            let log = try await database.log("document \(round)")
                            try await log.append(makeEntries(writer, 1...2))
                        }
                    }
                    for try await _ in group {}  // the first error ends the others
                }
                let entries = try await database.log("document \(round)").allEntries()
                expectExactlyOnce(entries, Dictionary(uniqueKeysWithValues: writers.map { ($0, 2) }))
            }
        }

        @Test func gapsBetweenNumbersAreRefused() async throws {
            let log = try await TestDatabase().log()
            let replica = UUID()
            let early = await errorOf(LogError.self) { try await log.append(makeEntries(replica, 2...3)) }
            #expect(early?.reason.contains("up to number 0, and cannot append number 2") == true)
            try await log.append(makeEntries(replica, 1...2))
            let late = await errorOf(LogError.self) { try await log.append(makeEntries(replica, 4...4)) }
            #expect(late?.reason.contains("up to number 2, and cannot append number 4") == true)
            let inside = makeEntries(replica, 3...3) + makeEntries(replica, 5...5)
            let gap = await errorOf(LogError.self) { try await log.append(inside) }
            #expect(gap == .refused("the entries skip number 4"))
            await errorOf(LogError.self) { try await log.append(makeEntries(replica, 0...0)) }
            await errorOf(LogError.self) {
                try await log.append(makeEntries(replica, 3...3) + makeEntries(UUID(), 4...4))
            }
            #expect(try await log.allEntries() == makeEntries(replica, 1...2))
        }

        @Test func entriesThatAreTooLargeAreRefused() async throws {
            let database = try await TestDatabase()
            let log = try await database.log(options: .init(maximumEntrySize: 10))
            let replica = UUID()
            let small = LogEntry(replica: replica, number: 1, version: 1, content: #""12345678""#)
            let large = LogEntry(replica: replica, number: 2, version: 1, content: #""123456789""#)
            let error = await errorOf(LogError.self) { try await log.append([small, large]) }
            #expect(error == .refused("entry 2 has 11 bytes, and the maximum is 10"))
            #expect(try await log.allEntries() == [])
            try await log.append([small])

            // The tables have a limit, too, for programs with larger limits.
            let generous = try await database.log(options: .init(maximumEntrySize: 1 << 30))
            let huge = "\"" + String(repeating: "x", count: 16 << 20) + "\""
            let refusal = await errorOf(LogError.self) {
                try await generous.append([LogEntry(replica: replica, number: 2, version: 1, content: huge)])
            }
            #expect(refusal?.reason.contains("content_is_small") == true)
            #expect(try await log.allEntries() == [small])
        }

        @Test func contentsThatAreNotJSONAreRefused() async throws {
            let log = try await TestDatabase().log()
            for content in ["", "{", "{\"a\": \"\u{0}\"}", "'", "nil"] {
                await errorOf(LogError.self) {
                    try await log.append([LogEntry(replica: UUID(), number: 1, version: 1, content: content)])
                }
            }
            #expect(try await log.allEntries() == [])
        }

        @Test func contentsAreReadUnchanged() async throws {
            let name = #"it's "a" $1 \ document; DROP TABLE reactive.entries; -- 📄"#
            let database = try await TestDatabase()
            let log = try await database.log(name)
            let contents = [
                #"{"nul": "\u0000", "lone": "\ud800", "quotes": "'\"$1$$\\", "order": 1, "order":2 }"#,
                "[ 1.00, 1e400,\n\t-0 ]", "\"👩‍👩‍👧‍👦 e\u{301} \u{e9} \u{feff} \u{10FFFF}\"", "null",
                #"{"braces": "{a,b}", "null": "NULL"}"#, "\"" + String(repeating: "ä", count: 500_000) + "\"",
            ]
            let replica = UUID()
            let entries = contents.enumerated().map {
                LogEntry(replica: replica, number: $0 + 1, version: .max - $0, content: $1)
            }
            try await log.append(entries)
            let read = try await log.allEntries()
            #expect(read.map(\.version) == entries.map(\.version))
            #expect(read.map { Array($0.content.utf8) } == contents.map { Array($0.utf8) })
            for (position, content) in contents.enumerated() {
                try await log.save(LogSnapshot(position: position, version: 1, content: content))
                let snapshot = try await log.start(of: replica).snapshot
                #expect(snapshot.map { Array($0.content.utf8) } == Array(content.utf8))
            }
            #expect(try await database.sql("SELECT document FROM reactive.documents") == name)
        }

        @Test func pagesHaveALimitedSize() async throws {
            let log = try await TestDatabase().log(options: .init(maximumEntrySize: 8 << 20))
            let replica = UUID()
            for number in 1...4 {
                let content = "\"" + String(repeating: "x", count: 6 << 20) + "\""
                try await log.append([LogEntry(replica: replica, number: number, version: 1, content: content)])
            }
            #expect(try await log.entries(after: 0, limit: 100).map(\.number) == [1, 2, 3])
            #expect(try await log.entries(after: 3, limit: 100).map(\.number) == [4])
        }

        /// A role's defaults must not weaken what a log promises.
        @Test func defaultsOfTheDatabaseDoNotMatter() async throws {
            let database = try await TestDatabase()
            try await database.sql(
                """
                ALTER DATABASE \(database.name) SET default_transaction_isolation = 'serializable';
                ALTER DATABASE \(database.name) SET synchronous_commit = off;
                ALTER DATABASE \(database.name) SET search_path = '';
                """)
            let writers = (0..<4).map { _ in UUID() }
            try await withThrowingTaskGroup { group in
                for writer in writers {
                    group.addTask {
                        let log = try await database.log()
                        for number in 1...20 { try await log.append(makeEntries(writer, number...number)) }
                    }
                }
                for try await _ in group {}  // the first error ends the others
            }
            let entries = try await database.log().allEntries()
            expectExactlyOnce(entries, Dictionary(uniqueKeysWithValues: writers.map { ($0, 20) }))
        }
    }
}

/// Appends once the earlier entries have been appended.
private func untilAppended(_ log: PostgresLog, _ entries: [LogEntry]) async throws {
    while true {
        do {
            return try await log.append(entries)
        } catch let error as LogError where error.reason.contains("cannot append") {
            await Task.yield()
        }
    }
}
