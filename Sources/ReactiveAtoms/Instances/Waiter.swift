// A task's wait until nodes have outcomes.
//
//     the task                                        a loader
//     1. under the graph's lock: looks at the nodes;
//        those that are loading list the waiter
//     2. suspends                                     ends with an outcome, unlists the waiter, and reports to it
//     3. looks again, or removes itself from the
//        lists on which it still is
//
// The task decides by looking, so a superfluous wake-up does no harm. A report between 1 and 2 is recorded, and the
// task then does not suspend. The waiter has a lock of its own, because cancellation comes from threads that may hold
// any graph's lock. The continuation is removed under that lock and then resumed, so it is resumed once.

import Reactive

/// The suspension of a task. It ends when enough nodes have outcomes, or when the task is cancelled.
final class Waiter: Sendable {
    private struct State {
        /// The number of nodes that must still have outcomes.
        var needed: Int
        /// The number of nodes whose lists contain the waiter.
        var listings: Int
        /// Whether the task need not wait, or need not wait any longer.
        var isAwake = false
        var continuation: UnsafeContinuation<Void, Never>?
    }

    private let state: Guarded<State>
    private let endsWithFailure: Bool

    /// - Parameters:
    ///   - needed: The number of nodes that must have outcomes.
    ///   - listings: The number of nodes whose lists contain the waiter.
    ///   - endsWithFailure: Whether one node that fails is enough.
    init(for needed: Int, of listings: Int, endsWithFailure: Bool = false) {
        state = Guarded(State(needed: needed, listings: listings))
        self.endsWithFailure = endsWithFailure
    }

    /// Records that a node has an outcome, and has removed the waiter from its list. Must not be called under the
    /// graph's lock.
    func noteOutcome(isFailure: Bool) {
        resume { state in
            state.needed -= 1
            state.listings -= 1
            // No test sees this always hold: a task that is resumed too early looks, and waits again.
            return state.needed == 0 || (isFailure && endsWithFailure)
        }
    }

    /// Resumes the task, which looks again. Must not be called under the graph's lock.
    func wake() { resume { _ in true } }

    /// Whether nodes that are still loading may have it in their lists.
    var isListed: Bool { state.withLock { $0.listings > 0 } }

    /// Suspends the task until it has a reason to check again.
    nonisolated(nonsending) func wait() async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isAwake = state.withLock { state in
                    if !state.isAwake { state.continuation = continuation }
                    return state.isAwake
                }
                if isAwake { continuation.resume() }
            }
        } onCancel: {
            wake()
        }
    }

    /// Resuming calls the executor of the task, which may be the user's: outside of every lock.
    private func resume(if isReady: (inout State) -> Bool) {
        let continuation = state.withLock { state in
            guard isReady(&state) else { return nil as UnsafeContinuation<Void, Never>? }
            state.isAwake = true
            return state.continuation.take()
        }
        continuation?.resume()
    }
}
