// A log in memory that gives out one entry at a time, when the benchmark says so.

import Foundation
import ReactiveSync

actor FedLog: ReplicaLog {
    private let snapshot: LogSnapshot
    private var entries: [LogEntry] = []
    private var waiters: [CheckedContinuation<Void, Never>] = []

    init(_ content: String) { snapshot = LogSnapshot(position: 0, version: 1, content: content) }

    func feed(_ entry: LogEntry) {
        entries.append(entry)
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    func start(of replica: UUID) -> LogStart { LogStart(snapshot: snapshot, end: entries.count, lastNumber: 0) }

    func entries(after position: Int, limit: Int) -> [LogEntry] { Array(entries.dropFirst(position).prefix(limit)) }

    func waitForEntries(after position: Int) async {
        // The benchmark ends before anything is cancelled.
        if entries.count <= position { await withCheckedContinuation { waiters.append($0) } }
    }

    func append(_ entries: [LogEntry]) {}

    func save(_ snapshot: LogSnapshot) {}
}
