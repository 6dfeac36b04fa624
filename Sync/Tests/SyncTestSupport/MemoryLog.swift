// A log in memory: the second implementation of the protocol. Each replica has a link of its own to it, which fails on
// demand.

import Foundation
import ReactiveSync

/// A log in memory.
package final class MemoryLog: Sendable {
    private struct State {
        var table = LogTable()
        var waiters: [UUID: CheckedContinuation<Void, any Error>] = [:]
    }

    private let state = Locked(State())

    package init() {}

    /// The contents of the log.
    package var table: LogTable { state.withLock { $0.table } }

    /// Changes the contents of the log.
    @discardableResult
    package func change<Result>(_ change: (inout LogTable) throws -> Result) rethrows -> Result {
        let before = state.withLock { $0.table.end }
        defer { if state.withLock({ $0.table.end }) != before { wake() } }
        return try state.withLock { try change(&$0.table) }
    }

    /// Returns a new link.
    package func link(fault: @escaping @Sendable () -> Link.Fault? = { nil }) -> Link { Link(to: self, fault: fault) }

    fileprivate func wait(after position: Int) async throws {
        let id = UUID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.table.end > position { return .success(()) }
                    state.waiters[id] = continuation
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(throwing: CancellationError())
        }
    }

    /// Makes all waiting calls read again.
    fileprivate func wake() {
        let waiters = state.withLock { state in
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }
}

/// One replica's connection to a log in memory.
package final class Link: ReplicaLog {
    /// The fault of a call.
    package enum Fault: Sendable {
        /// The call does not arrive.
        case lostBefore
        /// The call has its effect, and the answer is lost.
        case lostAfter
        /// The call arrives twice.
        case doubled
    }

    /// The log cannot be reached.
    package struct Disconnected: Error {}

    private struct State {
        var isReachable = true
        var refusal: LogError?
        var appended = 0
        var pageSize = Int.max
    }

    private let log: MemoryLog
    private let state = Locked(State())
    /// Decides the fault of the next call.
    private let fault: @Sendable () -> Fault?

    fileprivate init(to log: MemoryLog, fault: @escaping @Sendable () -> Fault?) {
        self.log = log
        self.fault = fault
    }

    /// Whether the log can be reached.
    package var isReachable: Bool {
        get { state.withLock { $0.isReachable } }
        set {
            state.withLock { $0.isReachable = newValue }
            log.wake()
        }
    }

    /// The answer of `append`, which then appends nothing.
    package var refusal: LogError? {
        get { state.withLock { $0.refusal } }
        set { state.withLock { $0.refusal = newValue } }
    }

    /// The maximum number of entries that `entries` returns, like that of a log with large entries.
    package var pageSize: Int {
        get { state.withLock { $0.pageSize } }
        set { state.withLock { $0.pageSize = newValue } }
    }

    /// The number of sent entries, including repetitions.
    package var appendedCount: Int { state.withLock { $0.appended } }

    package func start(of replica: UUID) async throws -> LogStart { try call { $0.start(of: replica) } }

    package func entries(after position: Int, limit: Int) async throws -> [LogEntry] {
        let limit = min(limit, pageSize)
        return try call { table in try table.entries(after: position, limit: limit) }
    }

    package func append(_ entries: [LogEntry]) async throws {
        state.withLock { $0.appended += entries.count }
        if let refusal { throw refusal }
        try call { table in try table.append(entries) }
    }

    package func save(_ snapshot: LogSnapshot) async throws { try call { $0.save(snapshot) } }

    package func waitForEntries(after position: Int) async throws {
        try await log.wait(after: position)
        if !isReachable { throw Disconnected() }
    }

    private func call<Result>(_ body: (inout LogTable) throws -> Result) throws -> Result {
        let fault = fault()
        if fault == .lostBefore || !isReachable { throw Disconnected() }
        return try log.change { table in
            if fault == .doubled { _ = try body(&table) }
            let result = try body(&table)
            if fault == .lostAfter { throw Disconnected() }
            return result
        }
    }
}

/// State behind a lock.
package final class Locked<State>: @unchecked Sendable {
    // `Sendable` because the lock guards the state.
    private let lock = NSLock()
    private var state: State

    package init(_ state: State) { self.state = state }

    package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state)
    }
}
