// Hands the next event to those who wait for one.

import Reactive
import ReactiveAtoms

/// Events that tasks wait for.
final class ChangeSignal {
    private var waiting: [Promise<[NodeKey]>] = []

    /// The next event.
    func next() -> Promise<[NodeKey]> {
        let promise = Promise<[NodeKey]>()
        withGraphLocked { waiting.append(promise) }
        return promise
    }

    func send(_ nodes: [NodeKey]) {
        let promises = withGraphLocked {
            defer { waiting = [] }
            return waiting
        }
        for promise in promises { promise.finish(.success(nodes)) }
    }
}

/// A result that one task waits for; whoever comes first gives it.
final class Promise<Value: Sendable>: @unchecked Sendable {
    // Sendable because its state is guarded by the graph's lock.

    private var result: Result<Value, any Error>?
    private var continuation: CheckedContinuation<Value, any Error>?

    func finish(_ result: Result<Value, any Error>) {
        let continuation: CheckedContinuation<Value, any Error>? = withGraphLocked {
            guard self.result == nil else { return nil }
            self.result = result
            defer { self.continuation = nil }
            return self.continuation
        }
        continuation?.resume(with: result)
    }

    nonisolated(nonsending) func value() async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Value, any Error>? = withGraphLocked {
                    if self.result == nil { self.continuation = continuation }
                    return self.result
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }
}
