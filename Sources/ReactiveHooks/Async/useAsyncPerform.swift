// `useAsyncPerform` and `useAsyncRefresh`: operations that start when a function is called.

/// Renders the phase of an asynchronous operation, and returns a function that performs it.
///
/// ```swift
/// let (phase, perform) = useAsyncPerform { await save(draft) }
/// ```
///
/// The phase is `.pending` until the first call, and `.running` from each call on. Of overlapping calls, the one
/// started last wins. If the task of a call is cancelled, the phase returns to what it was before the call.
///
/// - Parameter operation: Returns the value. Runs in the task that calls `perform`; it belongs to the isolation that
///   created it.
/// - Returns: The phase of the newest call, and a function that performs the operation and returns when it has ended.
///   On an actor, the render that shows the result follows by a hop.
@discardableResult
public func useAsyncPerform<Output>(
    _ operation: @escaping () async -> Output
) -> (phase: AsyncPhase<Output, Never>, perform: @Sendable () async -> Void) {
    usePerform { AsyncPhase<Output, Never>.success(await operation()) }
}

/// Renders the phase of an asynchronous operation that may fail, and returns a function that performs it.
///
/// - Parameter operation: Returns the value or throws; see ``useAsyncPerform(_:)-2oegg``.
/// - Returns: The phase of the newest call, and a function that performs the operation and returns when it has ended.
///   On an actor, the render that shows the result follows by a hop.
@discardableResult
public func useAsyncPerform<Output>(
    _ operation: @escaping () async throws -> Output
) -> (phase: AsyncPhase<Output, any Error>, perform: @Sendable () async -> Void) {
    usePerform { await AsyncPhase(catching: operation) }
}

private func usePerform<Output, Failure: Error>(
    _ operation: @escaping () async -> AsyncPhase<Output, Failure>
) -> (phase: AsyncPhase<Output, Failure>, perform: @Sendable () async -> Void) {
    let (run, phase) = useHook(AsyncRunHook<Output, Failure>(restarting: nil))
    let carried = Carried(operation)
    return (
        phase,
        {
            guard let number = run.begin(with: .running) else { return }
            let phase = await carried.call()
            if Task.isCancelled { run.abandon(number) } else { run.set(phase, by: number) }
        }
    )
}

/// Renders the phase of an asynchronous operation, and returns a function that starts it: for "pull to refresh".
///
/// ```swift
/// let (news, refresh) = useAsyncRefresh { await fetchNews() }
/// ```
///
/// The phase is `.pending` until the first result, and keeps the last result while the operation runs again. A
/// superseded task is cancelled, and its result is discarded. The end of the hook cancels the task, too.
///
/// - Parameter operation: Returns the value. It belongs to the isolation that created it. Created in none, it runs
///   concurrently.
/// - Returns: The newest result as a phase, and a function that starts the operation in a task of its own.
@discardableResult
public func useAsyncRefresh<Output>(
    _ operation: @escaping () async -> Output
) -> (phase: AsyncPhase<Output, Never>, refresher: @Sendable () -> Void) {
    useRefresh { AsyncPhase<Output, Never>.success(await operation()) }
}

/// Renders the phase of an asynchronous operation that may fail, and returns a function that starts it.
///
/// - Parameter operation: Returns the value or throws; see ``useAsyncRefresh(_:)-8xvq9``.
/// - Returns: The newest result as a phase, and a function that starts the operation in a task of its own.
@discardableResult
public func useAsyncRefresh<Output>(
    _ operation: @escaping () async throws -> Output
) -> (phase: AsyncPhase<Output, any Error>, refresher: @Sendable () -> Void) {
    useRefresh { await AsyncPhase(catching: operation) }
}

private func useRefresh<Output, Failure: Error>(
    _ operation: @escaping () async -> AsyncPhase<Output, Failure>
) -> (phase: AsyncPhase<Output, Failure>, refresher: @Sendable () -> Void) {
    let (run, phase) = useHook(AsyncRunHook<Output, Failure>(restarting: nil))
    let carried = Carried(operation)
    return (
        phase,
        {
            guard let number = run.begin(with: nil) else { return }
            run.runTask { run.set(await carried.call(), by: number) }
        }
    )
}
