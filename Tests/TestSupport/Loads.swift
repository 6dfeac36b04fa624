// Loads that end on demand.

import Reactive

/// A function that suspends its callers until the test ends each call.
package final class Loads<Value: Sendable>: @unchecked Sendable {
    // Sendable because its state is guarded by the graph's lock.

    private var continuations: [CheckedContinuation<Value, any Error>?] = []
    private var cancelledCalls: Set<Int> = []
    /// Tasks that call this function have no scope.
    private let graph = GraphHandle.current
    private let startedCount = Observable(0)
    private let cancelledCount = Observable(0)

    package init() {}

    /// Starts a call, and suspends until the test ends it. Cancellation is recorded and ends nothing.
    package func callAsFunction() async throws -> Value {
        let call = graph.inTransaction {
            continuations.append(nil)
            return continuations.count - 1
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                graph.inTransaction {
                    continuations[call] = continuation
                    startedCount.value += 1
                }
            }
        } onCancel: {
            graph.inTransaction {
                cancelledCalls.insert(call)
                cancelledCount.value += 1
            }
        }
    }

    /// The number of calls that have started.
    package var started: Int { startedCount.value }

    /// The cancelled calls, by number.
    package var cancelled: Set<Int> { graph.inTransaction { cancelledCalls } }

    /// Waits until this many calls have started.
    package func waitForStart(_ count: Int = 1) async throws {
        await wait { self.startedCount.value >= count }
    }

    /// Waits until this many calls have been cancelled.
    package func waitForCancellation(_ count: Int = 1) async throws {
        await wait { self.cancelledCount.value >= count }
    }

    /// Like the suspending `when`, which cannot be called in a scope.
    private func wait(until condition: @escaping () -> Bool) async {
        await withCheckedContinuation { continuation in
            graph.run { _ = when(isolation: nil, condition, effect: { continuation.resume() }) }
        }
    }

    /// Ends a call.
    package func finish(_ call: Int, _ result: Result<Value, any Error>) {
        let continuation = graph.inTransaction {
            defer { continuations[call] = nil }
            return continuations[call]
        }
        continuation?.resume(with: result)
    }

    package func finish(_ call: Int, _ value: Value) { finish(call, .success(value)) }
}

/// An error that a test throws.
package enum Refused: Error, Hashable {
    case once
    case code(Int)
}
