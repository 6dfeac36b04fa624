// The loader of an asynchronous node: the part of `AsyncInstance` that does not depend on the value's type.
//
//     current ─▶ Episode          `content`, a computed, reads this, the inputs of the run, and its outcome
//     content ─▶ Run ─▶ outcome
//
// An *episode* begins on first use and with each intervention from outside: a value is set, or the node is reset or
// loaded again. It is the value of an observable, so it takes part in transactions and roll-backs. An episode either
// has a value, or has a *run*. `content` starts the run when it is first evaluated, and replaces it when an input has
// changed. The run is a part of the result, so that a roll-back that restores a result also restores its run:
//
//     content is evaluated:   no run yet                        → a cached result that fits, or a new run
//                             an input has changed              → the same; the old run is retired
//                             an awaited input is loading       → loading; the run stays, and counts again if that
//                                                                 input ends with its previous outcome
//                             otherwise                         → the outcome of the run
//
// A run has one task and no nodes of the core. Its inputs and its outcome are plain state, and writing `progress` makes
// the content read them again. A run writes only its own outcome, so a late outcome is never read.
//
// Tasks that wait for the value add a `Waiter` to the list. The end of the run resumes them, and so does every
// intervention. Inputs can restart a run, so the content can get an outcome without the end of a run. While a run with
// inputs is pending or awaited, a *keeper* observes the content: a reaction, which restarts the run immediately, even
// if the node has no observers. A run without inputs needs no keeper.

import Reactive

/// Loads the value of an asynchronous node. Guarded by the graph's lock.
final class Loader {
    typealias Outcome = Result<AnyLoadedValue, any Error>
    typealias State = LoadState<AnyLoadedValue>
    /// Computes the value. Called on the actor of the node, if there is one.
    typealias Compute = nonisolated(nonsending) @Sendable (StateGetter) async throws -> AnyLoadedValue
    /// Computes a value instead of the default, or returns `nil` for the default.
    typealias Load = @Sendable () async throws -> AnyLoadedValue?

    /// The properties of a node that its loader needs.
    struct Plan {
        let name: String
        let compute: Compute
        /// Returns the value of the override, if the node is overridden.
        let replacement: (() throws -> AnyLoadedValue)?
        let keepsPrevious: Bool
        /// The maximum number of cached results.
        let cacheCapacity: Int
        /// The actor on which the inputs of a run are compared, if the node was created on one.
        let isolation: ClosureIsolation?
        /// The rule by which two values count as the same.
        let equality: Equality<AnyLoadedValue>
    }

    /// The graph of the store.
    let graph: GraphHandle
    /// Set as soon as it exists.
    weak var instance: _AnyNodeInstance?
    private let plan: Plan
    /// The last episode, after the node has ended. A failed transaction does not roll it back.
    @exclusivity(unchecked) private var end: Episode?
    /// The observable of the current episode; `nil` until the effects have run.
    @exclusivity(unchecked) private var current: Observable<Episode>?
    /// The episode until the effects have run.
    @exclusivity(unchecked) private var draft: Episode
    /// The value or error that the effects have set instead of the default.
    @exclusivity(unchecked) private var loaded: Outcome?
    private var cache: ResultCache
    /// The number of outcomes, each time one differs from the one before.
    @exclusivity(unchecked) private var outcomeCount: UInt64 = 0
    /// Counts the reads of the current run, and its end.
    private let progress: Observable<Int>
    private(set) lazy var content = makeContent()
    @exclusivity(unchecked) private var waiters: [Waiter] = []
    @exclusivity(unchecked) private var keeper: Reaction?

    init(_ plan: Plan, in graph: GraphHandle) {
        self.graph = graph
        self.plan = plan
        cache = ResultCache(capacity: plan.cacheCapacity)
        progress = Observable(0)
        draft = Self.episode(plan.replacement, .initial)
    }

    /// Returns the episode that begins without a write from outside.
    private static func episode(_ replacement: (() throws -> AnyLoadedValue)?, _ origin: Origin) -> Episode {
        guard let replacement else { return Episode(.loading, origin: origin) }
        return Episode(.assigned(Result { try untracked(replacement) }), origin: origin)
    }

    /// The current episode. Tracked.
    private var episode: Episode { current?.value ?? draft }

    /// Ends the phase in which the effects run: from now on, interventions take part in transactions.
    func open() {
        if case .assigned(let outcome) = draft.kind, !draft.origin.isDefault {
            loaded = outcome
            // No test sees this left out: it only saves a restore of an equal value.
            draft = Episode(draft.kind, origin: .initial)
        }
        current = Observable(draft, named: plan.name)
    }

    // MARK: - The content

    /// A result of an evaluation: the state, and what the next evaluation continues from.
    struct Content {
        let state: State
        var episode: Episode?
        /// The run of the episode, once it has been evaluated.
        var run: Run?
        /// The last outcome, also of earlier episodes, and its number.
        var lastOutcome: (outcome: Outcome, stamp: UInt64)?
    }

    private func makeContent() -> Computed<Content> {
        Computed(
            named: plan.name, continuing: { [values = plan.equality] in LoadState.areSame($0.state, $1.state, values) },
            storing: { $0.run !== $1.run }
        ) { [weak self] in
            guard let self else { return Content(state: State(.failure(CancellationError()))) }
            return self.evaluate(after: self.content.lastResult)
        }
    }

    /// The current run; `nil` until the content has been evaluated in the current episode. Not tracked.
    private var currentRun: Run? {
        guard let content = content.lastResult, content.episode === untracked({ episode }) else { return nil }
        return content.run
    }

    /// Returns the state of the node. Brings the content up to date, and records it as read.
    ///
    /// - Throws: Only the core's error for a cycle.
    func state() throws -> State {
        // An effect that reads its own atom does not start a load, which it may make superfluous.
        guard current != nil else { return state(of: draft) ?? State(loading: nil, latest: nil) }
        guard let state = content.valueUnlessInCycle?.state else { throw content.cycle }
        if let cycle = state.error as? CycleError { throw cycle }
        return state
    }

    /// A number that changes whenever the outcome of the content changes; `nil` while it is loading.
    var outcomeStamp: UInt64? {
        guard let state = try? untracked({ try state() }), state.outcome != nil else { return nil }
        return content.lastResult?.lastOutcome?.stamp
    }

    var hasData: Bool { (try? untracked { try state().data }) != nil }

    /// The inputs of the current run.
    var dependencies: [_AnyNodeInstance] { currentRun?.inputs.dependencies.map(\.instance) ?? [] }

    /// The origin of the current episode. Tracked.
    var origin: Origin { episode.origin }

    /// Evaluates `content`: tracked, under the lock.
    private func evaluate(after last: Content?) -> Content {
        let episode = episode
        var run = last?.episode === episode ? last?.run : nil
        var lastOutcome = last?.lastOutcome
        let state: State
        do {
            state = try self.state(of: episode) ?? self.state(of: episode, &run)
            if let outcome = state.outcome { note(outcome, &lastOutcome) }
        } catch {
            state = State(.failure(error))
        }
        return Content(state: state, episode: episode, run: run, lastOutcome: lastOutcome)
    }

    /// Returns the content of an episode that needs no run; `nil` for other episodes.
    private func state(of episode: Episode) -> State? {
        switch episode.kind {
        case .ended: State(.failure(CancellationError()), latest: episode.previous)
        case .assigned(let outcome): State(outcome, latest: episode.previous)
        case .loading: nil
        }
    }

    /// Returns the state of the episode's run, after starting or replacing the run if necessary. Tracks its inputs.
    private func state(of episode: Episode, _ run: inout Run?) throws -> State {
        _ = progress.value
        let old = run
        if let old, try !old.inputs.haveChanged() { return try state(of: old) }
        defer { retire(old) }
        if let kept = try cache.lookUp() {
            // No test sees this: data are kept only until there is an outcome.
            let cached = Run(for: self, previous: nil, keepsData: false, inputs: kept.inputs, outcome: kept.outcome)
            run = cached
            return try state(of: cached)
        }
        let new = Run(
            for: self, previous: old?.latest ?? episode.previous,
            keepsData: plan.keepsPrevious || (old == nil && episode.keepsData))
        new.keepInputsObserved(of: old ?? episode.predecessor)
        episode.predecessor = nil
        run = new
        let compute = episode.load.map(computing) ?? plan.compute
        graph.whenFree { [plan] in new.start(on: plan.isolation?.actor, compute) }
        return try state(of: new)
    }

    /// Returns a closure that computes the value that an effect uses instead of the default.
    private func computing(_ load: @escaping Load) -> Compute {
        let compute = plan.compute
        return { accessor in
            if let value = try await load() { return value }
            return try await compute(accessor)
        }
    }

    private func state(of run: Run) throws -> State {
        guard let outcome = run.outcome else {
            return State(loading: run.keepsData ? run.previous : nil, latest: run.previous)
        }
        let state = State(outcome, latest: run.previous)
        // An awaited input may end with a different outcome now. (Inputs that were loading when the run ended do not
        // count.)
        for dependency in run.inputs.dependencies where dependency.kind == .awaited && dependency.stamp != nil {
            guard try dependency.instance.summary().isLoading else { continue }
            let keepsData = plan.keepsPrevious || dependency.instance.loader?.hasData == true
            return State(loading: keepsData ? state.data : nil, latest: state.latestData)
        }
        return state
    }

    /// Numbers an outcome that differs from the last one. A number that was rolled back is not used again.
    private func note(_ outcome: Outcome, _ last: inout (outcome: Outcome, stamp: UInt64)?) {
        switch (last?.outcome, outcome) {
        case (.success(let old), .success(let new)) where old === new || plan.equality(old, new): return
        case (.failure(let old), .failure(let new)) where isSameError(old, new): return
        default:
            outcomeCount += 1
            last = (outcome, outcomeCount)
        }
    }

    // MARK: - Runs

    /// Returns whether a run is the current one.
    func isCurrent(_ run: Run) -> Bool { currentRun === run }

    /// The current run, if it is pending.
    private var pendingRun: Run? {
        guard let run = currentRun, run.isPending else { return nil }
        return run
    }

    /// Cancels the task of a run that was replaced, unless a roll-back has restored the run.
    private func retire(_ run: Run?) {
        // No test sees this always hold: the cancellation of a task that has ended does nothing.
        guard let run, run.isPending else { return }
        graph.whenFree { [self] in
            let isRestored = graph.withLock { isCurrent(run) }
            if !isRestored { run.cancel() }
        }
    }

    /// Records that the current run has a new input.
    func noteNewInput() {
        progress.value &+= 1
        startKeeperIfNeeded()
    }

    /// Ends a run. Returns the waiters that must be notified of the outcome, outside the lock.
    func finish(_ run: Run, _ outcome: Outcome) -> [Waiter] {
        // An input may have changed that the content has not compared yet.
        if !run.inputs.isEmpty { _ = try? untracked { try state() } }
        guard isCurrent(run) else { return [] }
        if case .success = outcome { cache.insert(outcome, of: run.inputs) }
        run.end(with: outcome)
        // No test sees this left out: the keeper finds that it is no longer needed, and ends itself.
        keeper.take()?.cancel()
        progress.value &+= 1
        return takeWaiters()
    }

    // MARK: - Waiting

    /// Adds a task that waits for the node, which is loading.
    func add(_ waiter: Waiter) {
        waiters.append(waiter)
        startKeeperIfNeeded()
    }

    /// Removes a task that no longer waits.
    func remove(_ waiter: Waiter) { waiters.removeAll { $0 === waiter } }

    private func takeWaiters() -> [Waiter] {
        defer { waiters = [] }
        return waiters
    }

    /// Resumes all waiting tasks, which check again, when the graph is unlocked.
    private func wakeWaiters() {
        // No test sees this always hold: without waiters, there is nobody to resume.
        guard !waiters.isEmpty else { return }
        let waiters = takeWaiters()
        graph.whenFree { for waiter in waiters { waiter.wake() } }
    }

    // MARK: - The keeper

    private func startKeeperIfNeeded() {
        guard keeper == nil, let run = currentRun else { return }
        // No test sees this always hold: a run without inputs is not restarted, and its end ends the keeper.
        guard !run.inputs.isEmpty else { return }
        keeper = untracked {
            detached {
                Reaction.started(
                    following: Keeper(self, on: plan.isolation?.actor), named: plan.name, schedule: .immediate,
                    isolation: plan.isolation?.actor, fileID: #fileID, line: #line)
            }
        }
    }

    /// Whether the keeper is no longer needed: the node has an outcome, or nothing needs one. Tracked.
    fileprivate var isKeepingDone: Bool {
        guard let state = try? state(), state.isLoading else { return true }
        return waiters.isEmpty && pendingRun == nil
    }

    /// Ends the keeper, after it has found that it is no longer needed. Outside the lock.
    fileprivate func endKeeping() {
        let rest = graph.withLock { () -> (keeper: Reaction?, waiters: [Waiter], hasFailed: Bool)? in
            // The state may have changed since.
            // No test sees this always hold: only another thread can change it at this point, and a task that is woken
            // too early looks again, and starts another keeper.
            guard untracked({ isKeepingDone }) else { return nil }
            return (keeper.take(), takeWaiters(), !hasData)
        }
        guard let rest else { return }
        rest.keeper?.cancel()
        for waiter in rest.waiters { waiter.noteOutcome(isFailure: rest.hasFailed) }
    }

    // MARK: - Intervening

    private func begin(_ episode: Episode) {
        guard let current else {
            draft = episode
            return
        }
        let old = currentRun
        // The new run may need the inputs of the old one immediately.
        if case .loading = episode.kind { episode.predecessor = old }
        current.value = episode
        retire(old)
        wakeWaiters()
    }

    func assign(_ value: AnyLoadedValue, origin: Origin) {
        begin(Episode(.assigned(.success(value)), origin: origin))
    }

    var isSetByEffects: Bool { loaded != nil }

    func initialize(_ value: AnyLoadedValue) {
        guard !isSetByEffects else { return }
        if let load = untracked({ episode.load }) {
            begin(Episode(.loading, origin: .initial, load: { try await load() ?? value }))
        } else {
            assign(value, origin: .set)
        }
    }

    func load(_ load: @escaping Load) { begin(Episode(.loading, origin: .initial, load: load)) }

    func reset() {
        begin(Self.episode(plan.replacement, .reset))
    }

    func reload() {
        guard plan.replacement == nil else { return begin(Self.episode(plan.replacement, .reset)) }
        cache.removeAll()
        let before = try? untracked { try state() }
        // If there are no data now, the last data may belong to other inputs.
        let keepsData = before?.data != nil
        begin(Episode(.loading, origin: .initial, previous: before?.latestData, keepsData: keepsData))
    }

    /// The value that a snapshot keeps; `nil` for the default.
    var captured: AnyLoadedValue? {
        let episode = untracked { self.episode }
        return switch episode.kind {
        case .assigned(let outcome): try? outcome.get()
        case .loading: try? currentRun?.outcome?.get()
        case .ended: nil
        }
    }

    /// Restores the value of a snapshot.
    func restore(_ value: AnyLoadedValue?) {
        guard let value else { return restoreDefault() }
        if let data = try? untracked({ try state().outcome?.get() }), plan.equality(data, value) { return }
        assign(value, origin: .restore)
    }

    func restoreDefault() {
        let episode = untracked { self.episode }
        if let loaded {
            // No test sees this always hold: it only saves a restore of an equal value.
            guard episode.origin != .initial else { return }
            begin(Episode(.assigned(loaded), origin: .restore))
        } else if case .assigned = episode.kind, !episode.origin.isDefault {
            begin(Self.episode(plan.replacement, .restore))
        }
    }

    // MARK: - The end

    /// Releases everything; returns the closures to call when the graph is unlocked.
    func dismantle() -> [() -> Void] {
        let episode = untracked { self.episode }
        let run = currentRun
        // The last data stay, for effects that have not saved them yet.
        var last = run?.latest ?? episode.previous
        if case .assigned(.success(let value)) = episode.kind { last = value }
        let end = Episode(.ended, origin: .reset, previous: last)
        if let current { current.value = end } else { draft = end }
        self.end = end
        cache.removeAll()
        let (keeper, waiters) = (self.keeper.take(), takeWaiters())
        return [{ run?.cancel() }, { keeper?.cancel() }, { for waiter in waiters { waiter.wake() } }]
    }

    /// Ends the last episode again, after a transaction that may have failed.
    func repeatEnd() {
        if let current, let end { current.value = end }
    }
}

/// Observes the content of a loader until it has an outcome.
private final class Keeper: ReactionFollower {
    private weak var loader: Loader?
    /// The actor of the reaction: retained, since a reaction ends when its actor has been released.
    private let actor: (any Actor)?

    init(_ loader: Loader, on actor: (any Actor)?) {
        self.loader = loader
        self.actor = actor
    }

    // No test sees this: the end of a loader ends its keeper.
    func follow() -> Bool { loader?.isKeepingDone ?? false }
    func take() {}
    func deliver() { loader?.endKeeping() }
    func startOver() {}
}
