// Waiting for state in a task: a `when` of the core that yields a value and ends with its task.

import Reactive

/// Waits until `poll` returns something or throws.
///
/// - Parameters:
///   - graph: The graph of what `poll` reads.
///   - poll: Runs with the graph locked, in the caller's isolation, immediately and after each change of what it read.
/// - Throws: What `poll` throws; `CancellationError` if the task is cancelled.
nonisolated(nonsending) func settled<R>(in graph: GraphHandle, _ poll: @escaping () throws -> R?) async throws -> R {
    try Task.checkCancellation()
    if let found = try graph.withLock({ try untracked(poll) }) { return found }
    let wait = Wait<R>(in: graph)
    wait.follow(poll)
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { wait.begin($0) }
    } onCancel: {
        wait.finish(.failure(CancellationError()))
    }
}

/// One suspension, ended by whoever comes first.
private final class Wait<R>: @unchecked Sendable {
    // Sendable because its state is guarded by the graph's lock.

    private var continuation: CheckedContinuation<R, any Error>?
    private var found: Result<R, any Error>?
    private var reaction: Reaction?
    private let graph: GraphHandle

    init(in graph: GraphHandle) { self.graph = graph }

    func follow(isolation: isolated (any Actor)? = #isolation, _ poll: @escaping () throws -> R?) {
        let reaction = graph.run {
            when(named: "waiting for a node", isolation: isolation) { [weak self] in
                guard let self, self.found == nil else { return true }
                do {
                    guard let value = try poll() else { return false }
                    self.found = .success(value)
                } catch {
                    self.found = .failure(error)
                }
                return true
            } effect: {
                self.resume()
            }
        }
        let isDone = graph.withLock {
            self.reaction = reaction
            return found != nil
        }
        if isDone { reaction.cancel() }
    }

    func begin(_ continuation: CheckedContinuation<R, any Error>) {
        graph.withLock { self.continuation = continuation }
        resume()
    }

    func finish(_ result: Result<R, any Error>) {
        graph.withLock { if found == nil { found = result } }
        resume()
    }

    /// Ends the suspension, if there is something to end it with and it has begun.
    private func resume() {
        var ended: CheckedContinuation<R, any Error>?
        let (found, reaction) = graph.withLock {
            if self.found != nil { swap(&ended, &continuation) }
            return (self.found, self.reaction)
        }
        guard let found else { return }
        reaction?.cancel()
        ended?.resume(with: found)
    }
}
