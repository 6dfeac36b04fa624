// What loads the value of an asynchronous node: the engine behind `AsyncInstance`, which does not know the value's type.
//
//     slot ─▶ Episode ─▶ Run ─▶ outcome      `content`, a computed, reads along this chain and what the run has read
//
// An *episode* begins on first use and whenever the outside intervenes: a value is set, the node is reset or loaded
// again. It is in an observable, so it takes part in transactions and roll-backs. An episode either has a value, or has
// a *run*, which `content` starts when it is first evaluated and replaces when it finds that something the run has read
// has changed:
//
//     content is evaluated:   no run yet                              → a kept result that fits, or a new run
//                             the run has read what has changed       → the same; the old run is retired
//                             one that the run waited for is loading  → loading; the run stays, and counts again if
//                                                                       that one settles on what it was before
//                             otherwise                               → the outcome of the run
//
// A run has one task and no nodes. What it has read and its outcome are plain state, and writing `progress` makes the
// content look at them again. A run writes its own outcome and nothing else, so nothing ever looks at a late one.
//
// Tasks that wait for the value list a `Waiter`. The end of the run wakes them, and so does every intervention. A run
// with inputs can be restarted by them, and so a content can settle although no run ends. While such a run is pending or
// a task waits, a *keeper* observes the content: a reaction, which restarts the run immediately, even if nobody observes
// the node. A run that reads nothing needs none.

import Reactive

/// Loads the value of an asynchronous node. Guarded by the graph's lock.
final class Loader {
    typealias Outcome = Result<AnyLoadedValue, any Error>
    typealias State = LoadState<AnyLoadedValue>
    /// Finds the value. Called on the actor of the node, if there is one.
    typealias Compute = nonisolated(nonsending) @Sendable (StateGetter) async throws -> AnyLoadedValue
    /// Finds a value in the default's place, or `nil` for the default.
    typealias Load = @Sendable () async throws -> AnyLoadedValue?

    /// What a node wants.
    struct Plan {
        let name: String
        let compute: Compute
        /// Finds the value in the node's place, if the node is overridden.
        let replacement: (() throws -> AnyLoadedValue)?
        let keepsPrevious: Bool
        /// How many results are kept.
        let cacheCapacity: Int
        /// The actor on which what a run has read is compared, if the node was created on one.
        let isolation: ClosureIsolation?
        /// When two values count as the same.
        let equality: Equality<AnyLoadedValue>
    }

    /// The graph of the store.
    let graph: GraphHandle
    private(set) weak var instance: _AnyNodeInstance?
    private let plan: Plan
    @exclusivity(unchecked) private var hasEnded = false
    /// Where the current episode is; `nil` until the effects have run.
    @exclusivity(unchecked) private var slot: Observable<Episode>?
    /// The episode before that.
    @exclusivity(unchecked) private var draft: Episode
    /// What the effects have put in the default's place.
    @exclusivity(unchecked) private var loaded: Outcome?
    private var cache: ResultCache
    /// The last result that it settled on, and the number of that.
    @exclusivity(unchecked) private var lastSettled: (outcome: Outcome, stamp: UInt64)?
    /// Counts what the current run has read, and its end.
    private let progress: Observable<Int>
    private(set) lazy var content = makeContent()
    @exclusivity(unchecked) private var waiters: [Waiter] = []
    @exclusivity(unchecked) private var keeper: Reaction?

    init(_ plan: Plan, for instance: _AnyNodeInstance) {
        graph = instance.graph
        self.instance = instance
        self.plan = plan
        cache = ResultCache(capacity: plan.cacheCapacity)
        progress = Observable(0)
        draft = Self.episode(plan.replacement, .initial)
    }

    /// The episode that begins without anybody's setting a value.
    private static func episode(_ replacement: (() throws -> AnyLoadedValue)?, _ origin: Origin) -> Episode {
        guard let replacement else { return Episode(.loading, origin: origin) }
        return Episode(.assigned(Result { try untracked(replacement) }), origin: origin)
    }

    /// The current episode. Tracked.
    private var episode: Episode { slot?.value ?? draft }

    /// The effects have run: from now on, interventions take part in transactions.
    func open() {
        if case .assigned(let outcome) = draft.kind, !draft.origin.isDefault {
            loaded = outcome
            draft = Episode(draft.kind, origin: .initial)
        }
        slot = Observable(draft, named: plan.name)
    }

    // MARK: - The content

    private func makeContent() -> Computed<State> {
        Computed(named: plan.name, equals: LoadState.equality(plan.equality), isolation: nil) { [weak self] in
            guard let self else { return State(.failure(CancellationError())) }
            do { return try self.evaluate() } catch { return State(.failure(error)) }
        }
    }

    /// Where the node stands. Brings the content up to date, and records it as read.
    ///
    /// - Throws: Only the core's error for a cycle.
    func state() throws -> State {
        // An effect that looks at its own atom does not start the load that it may make needless.
        guard slot != nil else { return state(of: draft) ?? State(loading: nil, latest: nil) }
        guard let state = content.valueUnlessInCycle else { throw content.cycle }
        if let cycle = state.error as? CycleError { throw cycle }
        return state
    }

    /// A number that changes whenever the content settles on something else; `nil` while it is loading.
    var settledStamp: UInt64? {
        guard let state = try? untracked({ try state() }), state.settled != nil else { return nil }
        return lastSettled?.stamp
    }

    var hasData: Bool { (try? untracked { try state().data }) != nil }

    /// What the current run has read.
    var dependencies: [_AnyNodeInstance] { untracked { episode.run?.inputs.dependencies.map(\.instance) } ?? [] }

    /// Who has begun the current episode. Tracked.
    var origin: Origin { episode.origin }

    /// Runs in `content`: tracked, under the lock.
    private func evaluate() throws -> State {
        let episode = episode
        let state = try state(of: episode) ?? state(of: run(of: episode))
        if case .ended = episode.kind { return state }
        if let settled = state.settled { noteSettled(settled) }
        return state
    }

    /// The content of an episode that needs no run; `nil` of others.
    private func state(of episode: Episode) -> State? {
        switch episode.kind {
        case .ended: State(.failure(CancellationError()), latest: episode.previous)
        case .assigned(let outcome): State(outcome, latest: episode.previous)
        case .loading: nil
        }
    }

    /// The run that counts, with everything that it has read tracked.
    private func run(of episode: Episode) throws -> Run {
        _ = progress.value
        let old = episode.run
        if let old, try !old.inputs.haveChanged() { return old }
        defer { retire(old) }
        let ignoresCache = old == nil && episode.isReload
        if !ignoresCache, let kept = try cache.lookUp() {
            let run = Run(for: self, previous: nil, keepsData: false, inputs: kept.inputs, outcome: kept.outcome)
            episode.run = run
            _ = try run.inputs.haveChanged()
            return run
        }
        let run = Run(
            for: self, previous: old?.latest ?? episode.previous,
            keepsData: plan.keepsPrevious || (old == nil && episode.keepsData))
        run.takeOver(from: old ?? episode.predecessor)
        episode.predecessor = nil
        episode.run = run
        let compute = episode.load.map(computing) ?? plan.compute
        graph.whenFree { [plan] in run.start(on: plan.isolation?.actor, compute) }
        return run
    }

    /// Computes what an effect has put in the default's place.
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
        // What it has waited for may settle on something else now. (What was loading when it ended, it did without.)
        for dependency in run.inputs.dependencies where dependency.kind == .awaited && dependency.stamp != nil {
            guard try dependency.instance.summary().isLoading else { continue }
            let keepsData = plan.keepsPrevious || dependency.instance.hasData
            return State(loading: keepsData ? state.data : nil, latest: state.latestData)
        }
        return state
    }

    private func noteSettled(_ outcome: Outcome) {
        switch (lastSettled?.outcome, outcome) {
        case (.success(let old), .success(let new)) where old === new || plan.equality(old, new): return
        case (.failure(let old), .failure(let new)) where isSameError(old, new): return
        default: lastSettled = (outcome, (lastSettled?.stamp ?? 0) + 1)
        }
    }

    // MARK: - Runs

    /// Whether a run is the one that counts.
    func isCurrent(_ run: Run) -> Bool { !hasEnded && untracked { episode.run === run } }

    /// The run that counts, if it is pending.
    private var pendingRun: Run? {
        guard !hasEnded, let run = untracked({ episode.run }), run.isPending else { return nil }
        return run
    }

    /// Cancels the task of a run that was replaced, unless a roll-back has restored the run.
    private func retire(_ run: Run?) {
        guard let run, run.isPending else { return }
        graph.whenFree { [weak self] in
            let isRestored = run.graph.withLock { self?.isCurrent(run) ?? false }
            if !isRestored { run.cancel() }
        }
    }

    /// The current run has read something for the first time.
    func noteNewInput() {
        progress.value &+= 1
        startKeeperIfNeeded()
    }

    /// A run has come to its end. Returns those who must be notified that the node has settled, outside the lock.
    func finish(_ run: Run, _ outcome: Outcome) -> [Waiter] {
        // An input may have changed that nobody has followed up yet.
        if !run.inputs.isEmpty { _ = try? untracked { try state() } }
        guard isCurrent(run) else { return [] }
        if case .success = outcome { cache.insert(outcome, of: run.inputs) }
        run.end(with: outcome)
        keeper.take()?.cancel()
        progress.value &+= 1
        return takeWaiters()
    }

    // MARK: - Waiting

    /// Lists a task that waits for the node, which is loading.
    func add(_ waiter: Waiter) {
        waiters.append(waiter)
        startKeeperIfNeeded()
    }

    /// A task waits no more.
    func remove(_ waiter: Waiter) { waiters.removeAll { $0 === waiter } }

    private func takeWaiters() -> [Waiter] {
        defer { waiters = [] }
        return waiters
    }

    /// Lets all look again that wait, once the graph is unlocked.
    private func wakeWaiters() {
        guard !waiters.isEmpty else { return }
        let waiters = takeWaiters()
        graph.whenFree { for waiter in waiters { waiter.wake() } }
    }

    // MARK: - The keeper

    private func startKeeperIfNeeded() {
        guard keeper == nil, !hasEnded, let run = untracked({ episode.run }), !run.inputs.isEmpty,
            run.isPending || !waiters.isEmpty
        else { return }
        keeper = untracked {
            detached {
                Reaction.started(
                    following: Keeper(self, on: plan.isolation?.actor), named: plan.name, schedule: .immediate,
                    isolation: plan.isolation?.actor, fileID: #fileID, line: #line)
            }
        }
    }

    /// Whether the keeper has nothing more to wait for: the node has settled, or nobody needs it to. Tracked.
    fileprivate var isKeepingDone: Bool {
        guard let state = try? state(), state.isLoading else { return true }
        return waiters.isEmpty && pendingRun == nil
    }

    /// The keeper has found that it is done. Outside the lock.
    fileprivate func endKeeping() {
        let (keeper, waiters, isFailure) = graph.withLock {
            // Something may have happened since.
            guard untracked({ isKeepingDone }) else { return (nil as Reaction?, [Waiter](), false) }
            return (self.keeper.take(), takeWaiters(), lastSettled?.outcome.isFailure ?? false)
        }
        keeper?.cancel()
        for waiter in waiters { waiter.noteSettled(isFailure: isFailure) }
    }

    // MARK: - Intervening

    private func begin(_ episode: Episode) {
        guard let slot else {
            draft = episode
            return
        }
        let old = untracked { slot.value.run }
        // What it has read may be wanted again at once.
        if case .loading = episode.kind { episode.predecessor = old }
        slot.value = episode
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
        cache.removeAll()
        begin(Self.episode(plan.replacement, .reset))
    }

    func reload() {
        guard plan.replacement == nil else { return begin(Self.episode(plan.replacement, .reset)) }
        cache.removeAll()
        let before = try? untracked { try state() }
        // Where there are no data now, the last ones may be of other inputs.
        let keepsData = before?.data != nil
        begin(
            Episode(
                .loading, origin: .initial, previous: before?.latestData, isReload: true, keepsData: keepsData))
    }

    /// The value that a snapshot keeps; `nil` for the default.
    var captured: AnyLoadedValue? {
        let episode = untracked { self.episode }
        return switch episode.kind {
        case .assigned(let outcome): try? outcome.get()
        case .loading: try? episode.run?.outcome?.get()
        case .ended: nil
        }
    }

    /// Gives it the value of a snapshot.
    func restore(_ value: AnyLoadedValue?) {
        guard let value else { return restoreDefault() }
        if let data = try? untracked({ try state().settled?.get() }), plan.equality(data, value) { return }
        assign(value, origin: .restore)
    }

    func restoreDefault() {
        let episode = untracked { self.episode }
        if let loaded {
            guard episode.origin != .initial else { return }
            begin(Episode(.assigned(loaded), origin: .restore))
        } else if case .assigned = episode.kind, !episode.origin.isDefault {
            begin(Self.episode(plan.replacement, .restore))
        }
    }

    // MARK: - The end

    /// Releases everything; returns what is left to do once the graph is unlocked.
    func dismantle() -> [() -> Void] {
        let episode = untracked { self.episode }
        let run = episode.run
        // The last data stay, for effects that have not saved them yet.
        var last = run?.latest ?? episode.previous
        if case .assigned(.success(let value)) = episode.kind { last = value }
        let end = Episode(.ended, origin: .reset, previous: last)
        if let slot { slot.value = end } else { draft = end }
        hasEnded = true
        cache.removeAll()
        let (keeper, waiters) = (self.keeper.take(), takeWaiters())
        return [{ run?.cancel() }, { keeper?.cancel() }, { for waiter in waiters { waiter.wake() } }]
    }
}

/// Observes the content of a loader until it has settled.
private final class Keeper: ReactionFollower {
    private weak var loader: Loader?
    /// Where the reaction runs: kept, since a reaction whose actor is gone ends.
    private let actor: (any Actor)?

    init(_ loader: Loader, on actor: (any Actor)?) {
        self.loader = loader
        self.actor = actor
    }

    func follow() -> Bool { loader?.isKeepingDone ?? false }
    func take() {}
    func deliver() { loader?.endKeeping() }
    func startOver() {}
}
