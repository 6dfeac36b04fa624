// The state of every asynchronous hook: a phase, and the number of the run that may still set it.
//
// Each start takes a number, and only the newest number may set the phase. So the result of a superseded run, or of one
// that outlives its hook, is discarded without further checks. All state is under the graph's lock. Renders subscribe
// to `signal`, and the phase itself is no observable: a render that starts a run sets the phase, and this must not
// cause one more render.

import Reactive

/// The phase of the newest run of an operation.
package final class AsyncRun<Success, Failure: Error>: @unchecked Sendable {
    // Sendable because all state is used under the graph's lock.
    package typealias Phase = AsyncPhase<Success, Failure>

    private var current = Phase.pending
    /// The last phase that was not `.running`.
    private var lastEnded = Phase.pending
    private let signal = Observable(0, named: "phase")
    private var newest = 0
    private var isDisposed = false
    private var task: Task<Void, Never>?

    package init() {}

    /// The current phase. Reading it in a render subscribes the render.
    package var phase: Phase {
        locked {
            _ = signal.value
            return current
        }
    }

    private func locked<R>(_ body: () -> R) -> R { GraphHandle(of: signal).inTransaction(body) }

    // MARK: - Numbered runs

    /// Begins a run in a render: it supersedes the previous run, and the phase is `.running` immediately.
    package func restart() {
        locked {
            newest += 1
            current = .running
        }
    }

    /// The number of the run that `restart` has begun.
    package var number: Int { locked { newest } }

    /// Begins a run outside a render.
    ///
    /// - Parameter phase: The first phase; `nil` to keep the phase of the previous run.
    /// - Returns: The number of the run; `nil` if the hook has ended.
    package func begin(with phase: Phase?) -> Int? {
        locked {
            guard !isDisposed else { return nil }
            newest += 1
            if let phase { change(to: phase) }
            return newest
        }
    }

    /// Sets the phase, if the run of that number is still the newest.
    package func set(_ phase: Phase, by number: Int) {
        locked {
            if number == newest, !isDisposed { change(to: phase) }
        }
    }

    /// Returns to the last phase that was not `.running`, if the run of that number is still the newest.
    func abandon(_ number: Int) {
        locked { set(lastEnded, by: number) }
    }

    private func change(to phase: Phase) {
        if !phase.isRunning { lastEnded = phase }
        guard !Equality<Phase>.automatic(current, phase) else { return }
        current = phase
        Hosting.unobserved { signal.value &+= 1 }
    }

    // MARK: - The task

    /// Runs `body` in a task of its own, and cancels the previous task.
    func runTask(_ body: @escaping @Sendable () async -> Void) {
        let superseded = locked {
            guard !isDisposed else { return Task<Void, Never>?.none }
            defer { task = Task { await body() } }
            return task
        }
        superseded?.cancel()
    }

    /// Cancels the task.
    func cancelTask() {
        let superseded = locked {
            defer { task = nil }
            return task
        }
        superseded?.cancel()
    }

    /// Cancels the task. The phase does not change after that.
    package func dispose() {
        locked { isDisposed = true }
        cancelTask()
    }
}

/// Carries a user's closure into a task.
struct Carried<Closure>: @unchecked Sendable {
    // Sendable because an asynchronous closure runs in the isolation that created it. A closure that was created in no
    // isolation runs concurrently, as the documentation of the hooks says.
    let call: Closure

    init(_ closure: Closure) { call = closure }
}

/// Keeps an ``AsyncRun`` whose phase becomes `.running` in each render in which the strategy requires a run.
struct AsyncRunHook<Success, Failure: Error>: Hook {
    /// `nil` for runs that the user begins.
    let restarting: HookUpdateStrategy?
    var updateStrategy: HookUpdateStrategy? { restarting ?? .once }

    func makeState() -> AsyncRun<Success, Failure> { AsyncRun() }

    func updateState(coordinator: Coordinator) {
        if restarting != nil { coordinator.state.restart() }
    }

    func value(coordinator: Coordinator) -> (run: AsyncRun<Success, Failure>, phase: AsyncPhase<Success, Failure>) {
        (coordinator.state, coordinator.state.phase)
    }

    func dispose(state: AsyncRun<Success, Failure>) { state.dispose() }
}
