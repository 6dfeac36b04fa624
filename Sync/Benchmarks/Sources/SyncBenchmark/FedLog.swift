// A log in memory that returns entries when the benchmark wants it, and that can be unreachable.

import Foundation
import ReactiveSync

actor FedLog: ReplicaLog {
    /// The log is unreachable.
    struct Unreachable: Error {}

    private let snapshot: LogSnapshot
    private var entries: [LogEntry] = []
    private var waiters: [AsyncStream<Never>.Continuation] = []
    private var isReachable = true

    init(_ content: String) { snapshot = LogSnapshot(position: 0, version: 1, content: content) }

    func feed(_ new: [LogEntry]) {
        entries += new
        for waiter in waiters { waiter.finish() }
        waiters = []
    }

    func setReachable(_ isReachable: Bool) { self.isReachable = isReachable }

    func start(of replica: UUID) -> LogStart { LogStart(snapshot: snapshot, end: entries.count, lastNumber: 0) }

    func entries(after position: Int, limit: Int) -> [LogEntry] { Array(entries.dropFirst(position).prefix(limit)) }

    func waitForEntries(after position: Int) async throws {
        guard entries.count <= position else { return }
        let (news, waiter) = AsyncStream.makeStream(of: Never.self)
        waiters.append(waiter)
        // It ends with the next entry, or when the task is cancelled.
        for await _ in news {}
        try Task.checkCancellation()
    }

    func append(_ entries: [LogEntry]) throws {
        guard isReachable else { throw Unreachable() }
        feed(entries)
    }

    func save(_ snapshot: LogSnapshot) {}
}
