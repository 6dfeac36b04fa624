// `useAsync`: an operation that starts by itself.

/// Runs an asynchronous operation, and renders its phase.
///
/// ```swift
/// let phase = useAsync(.preserved(by: user)) { await avatar(of: user) }
/// ```
///
/// The phase is `.running` immediately, also when the operation is started again. The task starts after the host has
/// received the output; with a manual scheduler, when effects run. A superseded task is cancelled, and its result is
/// discarded. The end of the hook cancels the task, too.
///
/// - Parameters:
///   - updateStrategy: When to start it again: `.once` for never, `.preserved(by:)` for changes of its inputs.
///   - operation: Returns the value. It belongs to the isolation that created it. Created in none, it runs
///     concurrently, and its captures must be safe to use from any thread.
/// - Returns: The phase of the newest run.
@discardableResult
public func useAsync<Output>(
    _ updateStrategy: HookUpdateStrategy, _ operation: @escaping () async -> Output
) -> AsyncPhase<Output, Never> {
    let (run, phase) = useHook(AsyncRunHook<Output, Never>(restarting: updateStrategy))
    useEffect(updateStrategy) {
        let operation = Carried(operation)
        let number = run.number
        run.runTask { run.set(.success(await operation.call()), by: number) }
        return { run.cancelTask() }
    }
    return phase
}

/// Runs an asynchronous operation that may fail, and renders its phase.
///
/// - Parameters:
///   - updateStrategy: When to start it again: `.once` for never, `.preserved(by:)` for changes of its inputs.
///   - operation: Returns the value or throws; see ``useAsync(_:_:)-3wg71`` for where it runs.
/// - Returns: The phase of the newest run.
@discardableResult
public func useAsync<Output>(
    _ updateStrategy: HookUpdateStrategy, _ operation: @escaping () async throws -> Output
) -> AsyncPhase<Output, any Error> {
    let (run, phase) = useHook(AsyncRunHook<Output, any Error>(restarting: updateStrategy))
    useEffect(updateStrategy) {
        let operation = Carried(operation)
        let number = run.number
        run.runTask { run.set(await AsyncPhase(catching: operation.call), by: number) }
        return { run.cancelTask() }
    }
    return phase
}

extension AsyncPhase where Failure == any Error {
    /// Awaits an operation, and creates a phase from its result.
    init(catching operation: () async throws -> Success) async {
        do { self = .success(try await operation()) } catch { self = .failure(error) }
    }
}
