// Checks for every implementation of a log: the promises of `ReplicaLog`.
//
// Each check begins with an empty log of its own. Positions, numbers and contents are small. Large documents, many
// replicas and faults are covered by the tests of each implementation.

import Foundation
import ReactiveSync
import Testing

/// Checks that a log keeps the promises of `ReplicaLog`, and records an issue for each broken promise.
///
/// - Parameter makeLog: Returns a log without entries and snapshots, for replicas that may read and write. Called for
///   each check.
/// - Throws: An unexpected error of the log.
package func checkConformance(of makeLog: () async throws -> any ReplicaLog) async throws {
    for check in conformanceChecks { try await check(makeLog()) }
}

private let conformanceChecks: [@Sendable (any ReplicaLog) async throws -> Void] = [
    { log in
        let start = try await log.start(of: UUID())
        #expect(start == LogStart(snapshot: nil, end: 0, lastNumber: 0), "an empty log")
        #expect(try await log.entries(after: 0, limit: 10) == [], "an empty log")
        await #expect(throws: LogError.unknownPosition) { try await log.entries(after: 1, limit: 10) }
        try await log.append([])
        #expect(try await log.start(of: UUID()).end == 0, "nothing was appended")
    },
    { log in
        let (one, other) = (UUID(), UUID())
        var expected: [LogEntry] = []
        for (replica, numbers) in [(one, 1...2), (other, 1...1), (one, 3...3), (other, 2...4)] {
            let new = numberedEntries(replica, numbers)
            try await log.append(new)
            expected += new
        }
        #expect(try await log.entries(after: 0, limit: 100) == expected, "the order is that of the appends")
        #expect(try await log.entries(after: 2, limit: 3) == Array(expected[2..<5]), "a position and a limit")
        #expect(try await log.entries(after: 7, limit: 3) == [], "the end")
        await #expect(throws: LogError.unknownPosition) { try await log.entries(after: 8, limit: 3) }
        #expect(try await log.start(of: one) == LogStart(snapshot: nil, end: 7, lastNumber: 3))
        #expect(try await log.start(of: other) == LogStart(snapshot: nil, end: 7, lastNumber: 4))
        #expect(try await log.start(of: UUID()).lastNumber == 0, "a replica without entries")
    },
    { log in
        let replica = UUID()
        for numbers in [1...2, 1...2, 2...4, 3...3, 1...5] { try await log.append(numberedEntries(replica, numbers)) }
        #expect(try await log.entries(after: 0, limit: 100) == numberedEntries(replica, 1...5), "each entry once")
        let different = [
            LogEntry(replica: replica, number: 5, version: 1, content: "[]"),
            LogEntry(replica: replica, number: 6, version: 1, content: "[]"),
        ]
        await #expect(throws: LogError.identityInUse) { try await log.append(different) }
        #expect(try await log.entries(after: 0, limit: 100) == numberedEntries(replica, 1...5), "the first one stays")
        #expect(try await log.start(of: replica).lastNumber == 5, "all or none")
    },
    { log in
        let replica = UUID()
        try await log.append(numberedEntries(replica, 1...1))
        await expectRefusal { try await log.append(numberedEntries(replica, 3...3)) }
        await expectRefusal { try await log.append(numberedEntries(replica, 2...2) + numberedEntries(replica, 4...4)) }
        #expect(try await log.entries(after: 0, limit: 9) == numberedEntries(replica, 1...1), "all of them or none")
        try await log.append(numberedEntries(replica, 2...2))
        #expect(try await log.start(of: replica).lastNumber == 2, "after a refusal")
    },
    { log in
        let replica = UUID()
        let texts = ["\"\"", "{\"quotes\":\"\\\"\\\\\\u0000\\n\"}", "\"\u{2028}é🧶👩‍👩‍👧\"", " [1e400,\t-0.0]\n"]
        let kept = zip(1..., texts + ["\"\(String(repeating: "x", count: 1 << 18))\""]).map { number, text in
            LogEntry(replica: replica, number: number, version: 7, content: text)
        }
        try await log.append(kept)
        #expect(try await log.entries(after: 0, limit: 100) == kept, "contents and versions as they were")
        let snapshot = LogSnapshot(position: 2, version: 7, content: "[\(texts.joined(separator: ","))]")
        try await log.save(snapshot)
        #expect(try await log.start(of: replica).snapshot == snapshot, "contents and versions as they were")
    },
    { log in
        let replica = UUID()
        let snapshots = [0, 4, 2].map { LogSnapshot(position: $0, version: 3, content: "{\"at\":\($0)}") }
        try await log.save(snapshots[0])
        try await log.save(LogSnapshot(position: 0, version: 4, content: "{}"))
        #expect(try await log.start(of: replica) == LogStart(snapshot: snapshots[0], end: 0, lastNumber: 0))
        try await log.append(numberedEntries(replica, 1...6))
        try await log.save(snapshots[1])
        try await log.save(snapshots[2])
        try await log.save(LogSnapshot(position: 4, version: 4, content: "{}"))
        let start = try await log.start(of: replica)
        #expect(start == LogStart(snapshot: snapshots[1], end: 6, lastNumber: 6), "the latest, and of two the first")
        #expect(try await log.entries(after: 4, limit: 10) == numberedEntries(replica, 5...6), "behind the snapshot")
        // Entries before it may be pruned.
        do {
            #expect(try await log.entries(after: 0, limit: 10) == numberedEntries(replica, 1...6))
        } catch LogError.pruned {}
        try await log.append(numberedEntries(replica, 1...7))
        #expect(try await log.start(of: replica).end == 7, "a pruned entry is not appended again")
    },
    { log in
        let replica = UUID()
        try await log.append(numberedEntries(replica, 1...1))
        try await log.waitForEntries(after: 0)
        await withThrowingTaskGroup { group in
            for _ in 0..<3 { group.addTask { try await waitUntilThere(2, in: log) } }
            group.addTask { try await log.append(numberedEntries(replica, 2...2)) }
            while let result = await group.nextResult() { #expect(throws: Never.self) { try result.get() } }
        }
    },
    { log in
        let waiting = Task { while true { try await log.waitForEntries(after: 0) } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        try await log.append(numberedEntries(UUID(), 1...1))
    },
    { log in
        // Writers that each send everything twice, and readers that read meanwhile.
        let replicas = (0..<4).map { _ in UUID() }
        let seen = try await withThrowingTaskGroup(of: [LogEntry].self) { group in
            for replica in replicas + replicas {
                group.addTask {
                    for last in stride(from: 2, through: 20, by: 2) {
                        try await log.append(numberedEntries(replica, max(1, last - 4)...last))
                    }
                    return []
                }
            }
            for _ in 0..<2 {
                group.addTask {
                    var seen: [LogEntry] = []
                    while seen.count < 80 {
                        try await log.waitForEntries(after: seen.count)
                        seen += try await log.entries(after: seen.count, limit: 7)
                    }
                    return seen
                }
            }
            return try await group.reduce(into: [[LogEntry]]()) { if !$1.isEmpty { $0.append($1) } }
        }
        let all = try await log.entries(after: 0, limit: 100)
        #expect(seen == [all, all], "all readers see the same")
        for replica in replicas {
            #expect(all.filter { $0.replica == replica } == numberedEntries(replica, 1...20), "each once, in its order")
        }
    },
]

/// Waits until a log has this many entries.
private func waitUntilThere(_ count: Int, in log: any ReplicaLog) async throws {
    while try await log.entries(after: count - 1, limit: 1).isEmpty { try await log.waitForEntries(after: count - 1) }
}

private func expectRefusal(_ body: () async throws -> Void) async {
    await #expect {
        try await body()
    } throws: { error in
        if case .refused? = error as? LogError { true } else { false }
    }
}

/// Entries with generated contents, all of which differ.
package func numberedEntries(_ replica: UUID, _ numbers: ClosedRange<Int>) -> [LogEntry] {
    numbers.map { LogEntry(replica: replica, number: $0, version: 1, content: "{\"number\":\($0)}") }
}
