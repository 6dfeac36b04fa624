// The asynchronous `when`: suspends until a condition is true.

/// The error of a ``when(timeout:named:isolation:fileID:line:_:)`` whose timeout has passed.
public struct WhenTimeoutError: Error, CustomStringConvertible {
    /// The name of the wait: the given one, or its file and line.
    public let name: String

    /// A readable description.
    public var description: String { "the condition of `when` at \(name) did not become true in time" }
}

/// Waits until `predicate` is true; returns immediately if it already is.
///
/// A wait that begins during a run of a reaction does not end with that run.
///
/// ```swift
/// try await when { isReady.value }
/// print("ready")  // prints "ready"
/// ```
///
/// - Parameters:
///   - timeout: The maximum time to wait; `nil` for no limit. With zero or less, the condition must hold now.
///   - clock: The clock that measures the timeout; tests pass their own.
///   - name: The name in diagnostics; by default the file and line of the call.
///   - isolation: The actor that the closure belongs to; by default the caller's.
///   - fileID: The source file, for the default name.
///   - line: The line in the source file, for the default name.
///   - predicate: The condition. Tracked; runs with the graph locked. Released when the wait is over.
/// - Throws: `CancellationError` if the task is cancelled, even if the condition already holds; ``WhenTimeoutError`` if
///   the timeout has passed.
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

/// Waits until `predicate` is true; returns immediately if it already is. See
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

extension IndependentGraph {
    /// Waits until `predicate` is true; returns immediately if it already is.
    ///
    /// Use it for state of this graph, because ``run(_:)`` cannot await. The wait keeps the graph alive. It behaves
    /// like the global function `when`.
    ///
    /// ```swift
    /// try await graph.when(timeout: .seconds(5)) { cart.items.count > 1 }
    /// ```
    ///
    /// - Parameters:
    ///   - timeout: The maximum time to wait; `nil` for no limit. With zero or less, the condition must hold now.
    ///   - clock: The clock that measures the timeout; tests pass their own.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that the closure belongs to; by default the caller's.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - predicate: The condition, which reads state of this graph. Tracked; runs with the graph locked. Released
    ///     when the wait is over.
    /// - Throws: `CancellationError` if the task is cancelled, ``WhenTimeoutError`` if the timeout has passed.
    /// - Precondition: Not called in a tracked closure of another graph.
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
    public func when<C: Clock>(
        timeout: Duration? = nil, clock: C = ContinuousClock(), named name: String? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line,
        _ predicate: @escaping () -> Bool
    ) async throws where C.Duration == Duration {
        let label = name ?? NodeName.describe(file: fileID.description, line: line)
        try await waitForEffect(timeout, clock, label, isolation: isolation) { effect in
            run {
                Reactive.when(named: name, isolation: isolation, fileID: fileID, line: line, predicate, effect: effect)
            }
        }
    }
}

/// Waits until the reaction that `start` creates calls the effect that is passed to `start`.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
func waitForEffect<C: Clock>(
    _ timeout: Duration?, _ clock: C, _ name: String, isolation: isolated (any Actor)?,
    _ start: (_ effect: @escaping () -> Void) -> Reaction
) async throws where C.Duration == Duration {
    let wait = ConditionWait()
    try Task.checkCancellation()
    // Detached, since it ends with the wait: if a run began the wait, as an immediate task does, the wait must not hang
    // when that run is over.
    let reaction = detached { start { wait.finish(.success(())) } }
    defer { reaction.cancel() }
    // Without a sleep if the condition already holds: a test's clock would wait for it and count it.
    var timer: Task<Void, Never>?
    if let timeout, !wait.isFinished {
        timer = Task {
            if (try? await clock.sleep(for: timeout)) != nil { wait.finish(.failure(WhenTimeoutError(name: name))) }
        }
    }
    defer { timer?.cancel() }
    try await wait.result(isolation: isolation)
}

/// One suspension, which ends with the first call of `finish`.
private final class ConditionWait: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Void, any Error>)
        case finished(Result<Void, any Error>)
    }

    private let state = Guarded(State.open)

    var isFinished: Bool {
        state.withLock { state in
            if case .finished = state { return true }
            return false
        }
    }

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
