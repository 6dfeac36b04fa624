// Waiting for state in a task: a `when` of the core that yields a value and ends with its task.

import Reactive

/// Waits until `poll` returns something or throws.
///
/// - Parameters:
///   - place: Stands for the graph of what `poll` reads.
///   - poll: Runs with the graph locked, at once and after each change of what it read.
/// - Throws: What `poll` throws; `CancellationError` if the task is cancelled.
nonisolated(nonsending) func settled<R>(in place: Place, _ poll: @escaping () throws -> R?) async throws -> R {
    try Task.checkCancellation()
    if let found = try place.holdingItsGraph({ try untracked(poll) }) { return found }
    let wait = Wait<R>(in: place)
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { wait.begin($0, poll) }
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
    private let place: Place

    init(in place: Place) { self.place = place }

    func begin(_ continuation: CheckedContinuation<R, any Error>, _ poll: @escaping () throws -> R?) {
        let isOver = place.holdingItsGraph {
            self.continuation = continuation
            return found != nil
        }
        guard !isOver else { return resume() }
        let reaction = place.inItsGraph {
            when(named: "waiting for a node", isolation: nil) { [weak self] in
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
        let isDone = place.holdingItsGraph {
            self.reaction = reaction
            return self.continuation == nil
        }
        if isDone { reaction.cancel() }
    }

    func finish(_ result: Result<R, any Error>) {
        place.holdingItsGraph { if found == nil { found = result } }
        resume()
    }

    private func resume() {
        let (continuation, found, reaction) = place.holdingItsGraph {
            defer { if self.found != nil { self.continuation = nil } }
            return (self.found == nil ? nil : self.continuation, self.found, self.reaction)
        }
        reaction?.cancel()
        if let continuation, let found { continuation.resume(with: found) }
    }
}
