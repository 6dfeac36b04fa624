// A signal that delivers the next event to the tasks that wait for one.

import Reactive
import ReactiveAtoms

/// Events that tasks wait for.
final class ChangeSignal {
    private let waiting = Guarded<[Promise<[NodeKey]>]>([])

    /// Returns a promise of the next event.
    func next() -> Promise<[NodeKey]> {
        let promise = Promise<[NodeKey]>()
        waiting.withLock { $0.append(promise) }
        return promise
    }

    func send(_ nodes: [NodeKey]) {
        for promise in waiting.exchange(for: []) { promise.finish(.success(nodes)) }
    }
}

/// A result that one task waits for. Only the first result counts.
final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var continuation: CheckedContinuation<Value, any Error>?
    }

    private let state = Guarded(State())

    func finish(_ result: Result<Value, any Error>) {
        let continuation: CheckedContinuation<Value, any Error>? = state.withLock { state in
            guard state.result == nil else { return nil }
            state.result = result
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(with: result)
    }

    nonisolated(nonsending) func value() async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Value, any Error>? = state.withLock { state in
                    if state.result == nil { state.continuation = continuation }
                    return state.result
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }
}
