// A log in memory, with the faults of a network: the second implementation of the protocol.

import Foundation
import ReactiveSync

/// A log in memory.
package final class MemoryLog: ReplicaLog {
    /// What goes wrong with a call.
    package enum Fault: Sendable {
        /// The call does not arrive.
        case lostBefore
        /// The call has its effect, and the answer is lost.
        case lostAfter
        /// The call arrives twice.
        case doubled
    }

    /// A connection that was lost.
    package struct Disconnected: Error {}

    private struct State {
        var table = LogTable()
        var isReachable = true
        var waiters: [UUID: CheckedContinuation<Void, any Error>] = [:]
        var appendCount = 0
    }

    private let state = Locked(State())
    /// Decides what goes wrong with the next call.
    private let fault: @Sendable () -> Fault?

    package init(fault: @escaping @Sendable () -> Fault? = { nil }) { self.fault = fault }

    /// What the log holds.
    package var table: LogTable { state.withLock { $0.table } }

    /// How many calls of `append` there were.
    package var appendCount: Int { state.withLock { $0.appendCount } }

    /// Changes what the log holds.
    package func change(_ change: (inout LogTable) throws -> Void) rethrows {
        try state.withLock { try change(&$0.table) }
        wake()
    }

    /// Whether the log can be reached.
    package var isReachable: Bool {
        get { state.withLock { $0.isReachable } }
        set {
            state.withLock { $0.isReachable = newValue }
            if !newValue { wake(throwing: Disconnected()) }
        }
    }

    package func start(of replica: UUID) async throws -> LogStart { try call { $0.start(of: replica) } }

    package func entries(after position: Int, limit: Int) async throws -> [LogEntry] {
        try call { table in try table.entries(after: position, limit: limit) }
    }

    package func append(_ entries: [LogEntry]) async throws {
        state.withLock { $0.appendCount += 1 }
        defer { wake() }
        try call { table in try table.append(entries) }
    }

    package func save(_ snapshot: LogSnapshot) async throws { try call { $0.save(snapshot) } }

    private func call<Result>(_ body: (inout LogTable) throws -> Result) throws -> Result {
        let fault = fault()
        return try state.withLock { state in
            if fault == .lostBefore || !state.isReachable { throw Disconnected() }
            if fault == .doubled { _ = try body(&state.table) }
            let result = try body(&state.table)
            if fault == .lostAfter { throw Disconnected() }
            return result
        }
    }

    package func waitForEntries(after position: Int) async throws {
        let id = UUID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if !state.isReachable { return .failure(Disconnected()) }
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

    private func wake(throwing error: (any Error)? = nil) {
        let waiters = state.withLock { state in
            defer { state.waiters = [:] }
            return state.waiters.values.map { $0 }
        }
        for waiter in waiters { waiter.resume(with: error.map { .failure($0) } ?? .success(())) }
    }
}

/// State behind a lock.
package final class Locked<State>: @unchecked Sendable {
    // Sendable because the lock guards the state.
    private let lock = NSLock()
    private var state: State

    package init(_ state: State) { self.state = state }

    package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state)
    }
}
