// `when`: wait for a condition, then act once; as a closure and as a suspension.

/// Calls `effect` once, as soon as `predicate` is true; at once if it is already.
///
/// ```swift
/// when { job.progress == 100 } effect: { print("done") }
/// job.progress = 50
/// job.progress = 100  // prints "done"
/// ```
///
/// - Parameters:
///   - name: What diagnostics call it. Without one: the file and line that made it.
///   - isolation: The actor that the closures belong to; by default the caller's.
///   - fileID: The file that made it.
///   - line: The line that made it.
///   - predicate: The condition. Tracked; runs with the graph locked.
///   - effect: Runs once, outside the library's lock, untracked, its writes batched. Inside a transaction it waits for its end.
/// - Returns: The reaction, to cancel it. It cancels itself once it has fired, unless `effect` made reactions or registered cleanups: those
///   belong to it, and end when it is cancelled.
@discardableResult
public func when(
    named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ predicate: @escaping () -> Bool, effect: @escaping () -> Void
) -> Reaction {
    when(named: name, isolation: isolation, fileID: fileID, line: line, predicate, effect)
}

/// Calls `effect` once, as soon as `predicate` is true; at once if it is already: the spelling without a label.
@discardableResult @_disfavoredOverload
public func when(
    named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
    line: UInt = #line, _ predicate: @escaping () -> Bool, _ effect: @escaping () -> Void
) -> Reaction {
    let once = OneTimeEffect(effect)
    let reaction = Reaction(
        named: name, fileID: fileID, line: line, extras: ReactionExtras(isolation: isolation, effect: once)
    ) {
        // False again, too: the first run may have been in a transaction that went on, or was rolled back.
        once.isDue = predicate()
    }
    reaction.start()
    return reaction
}

/// Calls a closure once and ends the reaction, unless the closure made something that the reaction has to own.
private final class OneTimeEffect: ReactionEffect {
    private var effect: (() -> Void)?
    /// The reaction, from when the firing is fixed to its end.
    private var firing: Reaction?

    init(_ effect: @escaping () -> Void) { self.effect = effect }

    override func take(for reaction: Reaction) {
        super.take(for: reaction)
        firing = reaction
    }

    override func run() {
        let effect = effect
        self.effect = nil
        effect?()
        firing?.retire()
        firing = nil
    }
}

/// ``when(timeout:named:isolation:fileID:line:_:)`` waited longer than it was allowed to.
public struct WhenTimeoutError: Error, CustomStringConvertible {
    /// What was waited for: the name that was given, or the file and line.
    public let name: String

    /// A sentence for people.
    public var description: String { "the condition of `when` at \(name) did not become true in time" }
}

/// Waits until `predicate` is true; returns at once if it is already.
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
    let wait = ConditionWait()
    try Task.checkCancellation()
    let reaction = when(named: name, isolation: isolation, fileID: fileID, line: line, predicate) {
        wait.finish(.success(()))
    }
    defer { reaction.cancel() }
    let label = name ?? NodeName.describe(file: fileID.description, line: line)
    let timer = timeout.map { timeout in
        Task {
            if (try? await clock.sleep(for: timeout)) != nil { wait.finish(.failure(WhenTimeoutError(name: label))) }
        }
    }
    defer { timer?.cancel() }
    try await wait.result(isolation: isolation)
}

/// Waits until `predicate` is true; returns at once if it is already. See ``when(timeout:clock:named:isolation:fileID:line:_:)``.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
public func when(
    timeout: Duration? = nil, named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt = #line, _ predicate: @escaping () -> Bool
) async throws {
    try await when(
        timeout: timeout, clock: ContinuousClock(), named: name, isolation: isolation, fileID: fileID, line: line,
        predicate)
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

extension Reaction {
    /// Ends a reaction that has done its work. If its effect made something, it goes on as the owner of that, and reads nothing any more.
    /// Outside the lock, in its effect.
    fileprivate func retire() {
        graph.enter()
        guard let extras, !extras.effectful.isEmpty, !observer.flags.contains(.cancelled) else {
            graph.leave()
            cancel()
            return
        }
        stopTracking()
        let items = extras.tracked.takeItems()
        graph.leave()
        OwnedScope.dispose(items)
    }
}
