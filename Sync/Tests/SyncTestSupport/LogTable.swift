// The promises of a log as plain values: the oracle for implementations, and the core of the log in memory.

import Foundation
import ReactiveSync

/// The entries and snapshots of one document.
package struct LogTable: Sendable {
    /// The entries that were not pruned; the position of the first is `prunedCount` + 1.
    package private(set) var entries: [LogEntry] = []
    /// The number of entries that were pruned.
    package private(set) var prunedCount = 0
    /// All entries, including pruned ones, for oracles.
    package private(set) var history: [LogEntry] = []
    package private(set) var snapshots: [LogSnapshot] = []
    private var lastNumbers: [UUID: Int] = [:]

    package init() {}

    /// The position of the last entry.
    package var end: Int { prunedCount + entries.count }

    package func start(of replica: UUID) -> LogStart {
        LogStart(snapshot: snapshots.last, end: end, lastNumber: lastNumbers[replica, default: 0])
    }

    package func entries(after position: Int, limit: Int) throws(LogError) -> [LogEntry] {
        if position > end { throw .unknownPosition }
        if position < prunedCount { throw .pruned }
        return Array(entries.dropFirst(position - prunedCount).prefix(limit))
    }

    package mutating func append(_ new: [LogEntry]) throws(LogError) {
        for entry in new where entry.number <= lastNumbers[entry.replica, default: 0] {
            let kept = entries.first { $0.replica == entry.replica && $0.number == entry.number }
            if let kept, kept.content != entry.content { throw .identityInUse }
        }
        var numbers = lastNumbers
        var added: [LogEntry] = []
        for entry in new where entry.number > numbers[entry.replica, default: 0] {
            guard entry.number == numbers[entry.replica, default: 0] + 1 else {
                throw .refused("the entries skip a number")
            }
            numbers[entry.replica] = entry.number
            added.append(entry)
        }
        lastNumbers = numbers
        entries += added
        history += added
    }

    package mutating func save(_ snapshot: LogSnapshot) {
        guard !snapshots.contains(where: { $0.position == snapshot.position }) else { return }
        snapshots.append(snapshot)
        snapshots.sort { $0.position < $1.position }
    }

    /// Removes the entries that the latest snapshot contains.
    package mutating func prune() {
        guard let position = snapshots.last?.position, position > prunedCount else { return }
        entries.removeFirst(position - prunedCount)
        prunedCount = position
        snapshots.removeAll { $0.position < position }
    }
}
