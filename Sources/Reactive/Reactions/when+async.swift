// `when` as a suspension: wait until a condition is true.

/// ``when(timeout:named:isolation:fileID:line:_:)`` waited longer than it was allowed to.
public struct WhenTimeoutError: Error, CustomStringConvertible {
    /// What was waited for: the name that was given, or the file and line.
    public let name: String

    /// A sentence for people.
    public var description: String { "the condition of `when` at \(name) did not become true in time" }
}

/// Waits until `predicate` is true; returns at once if it is already. Begun in a run of a reaction, it does not end
/// with that run.
///
/// ```swift
/// try await when { isReady.value }
/// print("ready")  // prints "ready"
/// ```
///
/// - Parameters:
///   - timeout: How long to wait at most; `nil` for ever.
///   - clock: Where time comes from; tests hand in their own.
///   - name: What diagnostics call it. Without one: the file and line that made it.
///   - isolation: The actor that the closure belongs to; by default the caller's.
///   - fileID: The file that made it.
///   - line: The line that made it.
///   - predicate: The condition. Tracked; runs with the graph locked. Released when the wait is over.
/// - Throws: `CancellationError` if the task is cancelled, ``WhenTimeoutError`` if the time is up.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
public func when<C: Clock>(
    timeout: Duration? = nil, clock: C, named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line, _ predicate: @escaping () -> Bool
) async throws where C.Duration == Duration {
    let label = name ?? NodeName.describe(file: fileID.description, line: line)
    try await waitForEffect(timeout, clock, label, isolation: isolation) { effect in
        when(named: name, isolation: isolation, fileID: fileID, line: line, predicate, effect: effect)
    }
}

/// Waits until `predicate` is true; returns at once if it is already. See
/// ``when(timeout:clock:named:isolation:fileID:line:_:)``.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
public func when(
    timeout: Duration? = nil, named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line, _ predicate: @escaping () -> Bool
) async throws {
    try await when(
        timeout: timeout, clock: ContinuousClock(), named: name, isolation: isolation, fileID: fileID, line: line,
        predicate)
}

/// Waits until the reaction that `start` creates calls the effect that it is given.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
func waitForEffect<C: Clock>(
    _ timeout: Duration?, _ clock: C, _ name: String, isolation: isolated (any Actor)?,
    _ start: (_ effect: @escaping () -> Void) -> Reaction
) async throws where C.Duration == Duration {
    let wait = ConditionWait()
    try Task.checkCancellation()
    // Detached, since it ends with the wait: begun in a run, as an immediate task is, it must not be left waiting when
    // that run is over.
    let reaction = detached { start { wait.finish(.success(())) } }
    defer { reaction.cancel() }
    let timer = timeout.map { timeout in
        Task {
            if (try? await clock.sleep(for: timeout)) != nil { wait.finish(.failure(WhenTimeoutError(name: name))) }
        }
    }
    defer { timer?.cancel() }
    try await wait.result(isolation: isolation)
}

/// One suspension, ended by whoever comes first.
private final class ConditionWait: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Void, any Error>)
        case finished(Result<Void, any Error>)
    }

    private let state = Guarded(State.open)

    func finish(_ result: Result<Void, any Error>) {
        let continuation: CheckedContinuation<Void, any Error>? = state.withLock { state in
            switch state {
            case .open:
                state = .finished(result)
                return nil
            case .waiting(let continuation):
                state = .finished(result)
                return continuation
            case .finished:
                return nil
            }
        }
        continuation?.resume(with: result)
    }

    func result(isolation: isolated (any Actor)?) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let finished: Result<Void, any Error>? = state.withLock { state in
                    if case .finished(let result) = state { return result }
                    state = .waiting(continuation)
                    return nil
                }
                if let finished { continuation.resume(with: finished) }
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }
}
