// `when`: wait for a condition, then act once; as a closure and as a suspension.

/// Calls `effect` once, as soon as `predicate` is true; at once if it is already.
///
/// ```swift
/// when { job.progress == 100 } effect: { print("done") }
/// job.progress = 50
/// job.progress = 100  // prints "done"
/// ```
///
/// What `effect` creates belongs to the reaction in whose run the `when` was created, and to nobody if there was none. So an effect may
/// call `when` again, a million times, and nothing is left of those that have fired:
///
/// ```swift
/// func arm() {
///     let last = score.value
///     when { score.value > last } effect: {
///         print("best:", score.value)
///         if score.value < 5 { arm() }
///     }
/// }
/// arm()
/// score.value = 3  // prints "best: 3"
/// score.value = 2
/// score.value = 5  // prints "best: 5"
/// ```
///
/// - Parameters:
///   - name: What diagnostics call it. Without one: the file and line that made it.
///   - isolation: The actor that the closures belong to; by default the caller's.
///   - fileID: The file that made it.
///   - line: The line that made it.
///   - predicate: The condition. Tracked; runs with the graph locked.
///   - effect: Runs once, outside the library's lock, untracked, its writes batched. Inside a transaction it waits for its end.
/// - Returns: The reaction, to cancel it before it fires. Once it has fired it is gone.
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
    let once = OneTimeEffect(effect, createdIn: .current)
    let reaction = Reaction(
        named: name, fileID: fileID, line: line, extras: ReactionExtras(isolation: isolation, effect: once)
    ) {
        // False again, too: the first run may have been in a transaction that went on, or was rolled back.
        once.isDue = predicate()
    }
    reaction.start()
    return reaction
}

/// Calls a closure once and ends the reaction. What the closure creates is handed over to the run that the `when` was created in.
final class OneTimeEffect: ReactionEffect {
    private var effect: (() -> Void)?
    private let owner: OwnerRun?
    /// The reaction, from when the firing is fixed to its end.
    private var firing: Reaction?

    init(_ effect: @escaping () -> Void, createdIn owner: OwnerRun?) {
        self.effect = effect
        self.owner = owner
    }

    override var heir: OwnerRun? { owner }

    override func take(for reaction: Reaction) {
        super.take(for: reaction)
        firing = reaction
    }

    override func run() {
        guard let effect, let firing else { return }
        self.effect = nil
        self.firing = nil
        guard let owner else {
            detached { effect() }
            firing.cancel()
            return
        }
        effect()
        let created = firing.takeWhatEffectCreated()
        firing.cancel()
        owner.adopt(created)
    }
}

/// ``when(timeout:named:isolation:fileID:line:_:)`` waited longer than it was allowed to.
public struct WhenTimeoutError: Error, CustomStringConvertible {
    /// What was waited for: the name that was given, or the file and line.
    public let name: String

    /// A sentence for people.
    public var description: String { "the condition of `when` at \(name) did not become true in time" }
}

/// Waits until `predicate` is true; returns at once if it is already. Begun in a run of a reaction, it does not end with that run.
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

/// Waits until the reaction that `start` creates calls the effect that it is given.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
func waitForEffect<C: Clock>(
    _ timeout: Duration?, _ clock: C, _ name: String, isolation: isolated (any Actor)?,
    _ start: (_ effect: @escaping () -> Void) -> Reaction
) async throws where C.Duration == Duration {
    let wait = ConditionWait()
    try Task.checkCancellation()
    // Detached, since it ends with the wait: begun in a run, as an immediate task is, it must not be left waiting when that
    // run is over.
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
