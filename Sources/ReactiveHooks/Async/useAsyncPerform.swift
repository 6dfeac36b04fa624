// `useAsyncPerform` and `useAsyncRefresh`: operations that start when they are told to.

/// Renders the phase of an asynchronous operation, and returns how to perform it.
///
/// ```swift
/// let (phase, perform) = useAsyncPerform { await save(draft) }
/// ```
///
/// The phase is `.pending` until the first call, and `.running` from each call on. Of overlapping calls the latest started wins. A call whose own task is cancelled goes back
/// to the phase before it ran.
///
/// - Parameter operation: Returns the value. Runs in the task that calls `perform`; it belongs to the isolation that made it.
/// - Returns: How far the newest call has come, and a function that performs the operation and returns when it is over. On an
///   actor the render that shows the result follows by a hop.
@discardableResult
public func useAsyncPerform<Output>(
    _ operation: @escaping () async -> Output
) -> (phase: AsyncPhase<Output, Never>, perform: @Sendable () async -> Void) {
    usePerform { AsyncPhase<Output, Never>.success(await operation()) }
}

/// Renders the phase of an asynchronous operation that may fail, and returns how to perform it.
///
/// - Parameter operation: Returns the value or throws; see ``useAsyncPerform(_:)-2oegg``.
/// - Returns: How far the newest call has come, and a function that performs the operation and returns when it is over. On an
///   actor the render that shows the result follows by a hop.
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
            if Task.isCancelled { run.giveUp(number) } else { run.set(phase, by: number) }
        }
    )
}

/// Renders the phase of an asynchronous operation, and returns how to start it: for "pull to refresh".
///
/// ```swift
/// let (news, refresh) = useAsyncRefresh { await fetchNews() }
/// ```
///
/// The phase is `.pending` until the first result, and keeps the last result while the operation runs again. A superseded task is cancelled, and its result dropped. The end of
/// the hook cancels it, too.
///
/// - Parameter operation: Returns the value. It belongs to the isolation that made it; made in none, it runs concurrently.
/// - Returns: The newest result as a phase, and a function that starts the operation in a task of its own.
@discardableResult
public func useAsyncRefresh<Output>(
    _ operation: @escaping () async -> Output
) -> (phase: AsyncPhase<Output, Never>, refresher: @Sendable () -> Void) {
    useRefresh { AsyncPhase<Output, Never>.success(await operation()) }
}

/// Renders the phase of an asynchronous operation that may fail, and returns how to start it.
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
