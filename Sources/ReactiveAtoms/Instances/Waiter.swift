// A task that waits until nodes have settled.
//
//     the task                                        a loader
//     1. under the graph's lock: looks at the nodes;
//        those that are loading list the waiter
//     2. suspends                                     settles, takes the waiter off its list, and reports to it
//     3. looks again, or removes itself from the
//        lists on which it still is
//
// The task decides by looking, so that waking it too often does no harm. A report between 1 and 2 is noted, and then the
// task does not suspend. The waiter has a lock of its own, as cancellation comes from threads that may hold any graph.
// Whoever takes the continuation out, under that lock, resumes it: it is resumed once.

import Reactive

/// The suspension of a task, which ends when enough nodes have settled, or when the task is cancelled.
final class Waiter: Sendable {
    private struct State {
        /// How many nodes must still settle.
        var needed: Int
        /// How many nodes list the waiter.
        var listings: Int
        /// Whether the task need not wait, or wait any longer.
        var isAwake = false
        var continuation: UnsafeContinuation<Void, Never>?
    }

    private let state: Guarded<State>
    private let endsWithFailure: Bool

    /// - Parameters:
    ///   - needed: How many nodes must settle.
    ///   - listings: How many nodes list the waiter.
    ///   - endsWithFailure: Whether one that fails is enough.
    init(for needed: Int, of listings: Int, endsWithFailure: Bool = false) {
        state = Guarded(State(needed: needed, listings: listings))
        self.endsWithFailure = endsWithFailure
    }

    /// A node has settled, which lists the waiter no more. Not to be called under the graph's lock.
    func noteSettled(isFailure: Bool) {
        resume { state in
            state.needed -= 1
            state.listings -= 1
            return state.needed == 0 || (isFailure && endsWithFailure)
        }
    }

    /// Lets the task look again. Not to be called under the graph's lock.
    func wake() { resume { _ in true } }

    /// Whether nodes may list it that have not settled.
    var isListed: Bool { state.withLock { $0.listings > 0 } }

    /// Suspends the task until it has a reason to look again.
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
