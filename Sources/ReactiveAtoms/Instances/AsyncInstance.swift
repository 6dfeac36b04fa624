// What a store keeps of a node whose value takes its time.
//
//     slot ─▶ Episode ─▶ Run ─▶ outcome          `content`, a computed, reads along this chain and what the run has read
//
// An *episode* begins on first use and whenever the outside intervenes: a value is set, the node is reset or loaded again. It is in an
// observable, so it takes part in transactions and roll-backs. An episode either has a value, or has a *run*, which `content` starts when it is
// first evaluated and replaces when it finds that something the run has read is no longer what it was:
//
//     content is evaluated:   no run yet                              → a kept result that fits, or a new run
//                             the run has read what has changed       → the same; the old run is retired
//                             one that the run waited for is loading  → loading; the run stays, and counts again if
//                                                                       that one settles on what it was before
//                             otherwise                               → the outcome of the run
//
// A run writes its own outcome and nothing else, so a late one is dropped by not being looked at. While a run is pending, a reaction (the
// *keeper*) observes `content`, so that a change of its inputs retires it at once, although nobody may be looking.

import Reactive

final class AsyncInstance<T: Sendable>: _NodeInstance<T> {
    private let compute: @Sendable (StateGetter) async throws -> T
    private let replacement: (() throws -> T)?
    private let keepPrevious: Bool
    /// The actor on which what a run has read is compared, if the node was created on one.
    private let isolation: ClosureIsolation?
    private let effects: EffectRunner<T>
    /// Where the current episode is; `nil` until the effects have run.
    private var slot: Observable<Episode<T>>?
    /// The episode before that.
    private var draft: Episode<T>
    /// What the effects have put in the default's place.
    private var loaded: Result<T, any Error>?
    private var content: ThrowingComputed<LoadState<T>>?
    private var cache: ResultCache<T>
    private var keeper: Reaction?
    /// The last result that it settled on, and the number of that.
    private var lastSettled: (result: Result<T, any Error>, stamp: UInt64)?
    private let captured: (T?) -> CapturedAtom

    init<Node: RecoilAsyncNode>(
        _ node: Node, isAtom: Bool, cache policy: CachePolicy, effects: [AtomEffect<T>], in store: RecoilStore
    ) where Node.T == T {
        compute = { try await node.getValue($0) }
        replacement = store.overriding(node)
        keepPrevious = node.keepPrevious
        isolation = .of(node._isolation)
        cache = ResultCache(capacity: isAtom ? 0 : policy.capacity)
        self.effects = EffectRunner(replacement == nil ? effects : [])
        draft = Self.episode(replacement, .initial)
        captured = { value in
            CapturedAtom(key: node.key, isAsynchronous: true) { store in
                guard let instance = store.instance(for: node) as? AsyncInstance<T> else { return }
                instance.restore(value)
            }
        }
        super.init(node, kind: .other, isAtom: isAtom, in: store.table)
        content = ThrowingComputed(named: key.name, equals: LoadState.equality(equality)) { [weak self] in
            guard let self else { throw CancellationError() }
            return try self.evaluate()
        }
    }

    /// The episode that begins without anybody's setting a value.
    private static func episode(_ replacement: (() throws -> T)?, _ origin: Origin) -> Episode<T> {
        guard let replacement else { return Episode(.loading, origin: origin) }
        return Episode(.assigned(Result { try untracked(replacement) }), origin: origin)
    }

    /// The current episode. Tracked.
    private var episode: Episode<T> { slot?.value ?? draft }

    override func prepare(for trigger: AtomEffectTrigger) {
        effects.run(for: self, trigger)
        if case .assigned(let result) = draft.kind, !draft.origin.isDefault {
            loaded = result
            draft = Episode(draft.kind, origin: .initial)
        }
        // Now, so that a roll-back has something to go back to.
        slot = Observable(draft, named: "\(key.name), episode")
        effects.installHandlers(for: self)
    }

    override func followEffects() { effects.installHandlers(for: self) }

    // MARK: - The content

    override func state() throws -> LoadState<T> {
        guard let content else { return LoadState(.failure(CancellationError())) }
        // An effect that looks at its own atom does not start the load that it may make needless.
        guard slot != nil else { return state(of: draft) ?? LoadState(loading: nil, latest: nil) }
        do {
            return try content.value
        } catch let cycle as CycleError {
            throw cycle
        } catch {
            return LoadState(.failure(error))
        }
    }

    override var contentVersion: UInt64 { content?.version ?? 0 }

    override var settledStamp: UInt64? {
        guard let state = try? untracked({ try state() }), state.settled != nil else { return nil }
        return lastSettled?.stamp
    }

    override var dependencies: [_AnyNodeInstance] {
        untracked { episode.run?.dependencies.map(\.instance) } ?? []
    }

    /// Runs in `content`: tracked, under the lock.
    private func evaluate() throws -> LoadState<T> {
        let episode = episode
        let state = try state(of: episode) ?? evaluate(try run(of: episode))
        if case .ended = episode.kind { return state }
        if let settled = state.settled { noteSettled(settled) }
        return state
    }

    /// The content of an episode that needs no run; `nil` of others.
    private func state(of episode: Episode<T>) -> LoadState<T>? {
        switch episode.kind {
        case .ended: LoadState(.failure(CancellationError()), latest: episode.previous)
        case .assigned(let result): LoadState(result, latest: episode.previous)
        case .loading: nil
        }
    }

    /// The run that counts, with everything that it has read tracked.
    private func run(of episode: Episode<T>) throws -> Run<T> {
        if let run = episode.run, try !run.inputsHaveChanged() { return run }
        let old = episode.run
        let ignoresCache = old == nil && episode.isReload
        if !ignoresCache, let (result, dependencies) = try cache.lookUp() {
            let run = Run(in: self, previous: nil, keepsData: false, dependencies, result)
            episode.run = run
            _ = try run.inputsHaveChanged()
            retire(old)
            return run
        }
        let run = Run(
            in: self, previous: old?.latest ?? episode.previous,
            keepsData: keepPrevious || (old == nil && episode.keepsData))
        run.takeOver(from: old ?? episode.predecessor)
        episode.predecessor = nil
        episode.run = run
        _ = try run.inputsHaveChanged()
        retire(old)
        run.start(on: isolation?.actor, episode.load.map(computing) ?? compute)
        return run
    }

    /// Computes what an effect has put in the default's place.
    private func computing(
        _ load: @escaping @Sendable () async throws -> T?
    ) -> @Sendable (StateGetter) async throws -> T {
        let compute = compute
        return { accessor in
            if let value = try await load() { return value }
            return try await compute(accessor)
        }
    }

    private func evaluate(_ run: Run<T>) throws -> LoadState<T> {
        guard let result = run.outcome.value else {
            return LoadState(loading: run.keepsData ? run.previous : nil, latest: run.previous)
        }
        var state = LoadState(result, latest: run.previous)
        // What it has waited for may come to another end now. (What had not settled when the run ended, it did without.)
        for dependency in run.dependencies where dependency.kind == .awaited && dependency.stamp != nil {
            let (isLoading, _) = try dependency.instance.summary()
            guard isLoading else { continue }
            state = LoadState(
                loading: keepPrevious || dependency.instance.hasData ? state.data : nil, latest: state.latestData)
            break
        }
        return state
    }

    override var hasData: Bool { (try? untracked { try state().data }) != nil }

    private func noteSettled(_ result: Result<T, any Error>) {
        switch (lastSettled?.result, result) {
        case (.success(let old), .success(let new)) where equality(old, new): return
        case (.failure(let old), .failure(let new)) where isSameError(old, new): return
        default: lastSettled = (result, (lastSettled?.stamp ?? 0) + 1)
        }
    }

    // MARK: - Runs

    /// Whether a run is the one that counts.
    func isCurrent(_ run: Run<T>) -> Bool { ending == nil && untracked { episode.run === run } }

    private var hasPendingRun: Bool {
        untracked {
            guard ending == nil, let run = episode.run else { return false }
            return run.outcome.value == nil
        }
    }

    /// Cancels the task of a run that was replaced, unless a roll-back has put the run back.
    private func retire(_ run: Run<T>?) {
        guard let run, untracked({ run.outcome.value == nil }) else { return }
        run.graph.whenFree { [weak self] in
            let isBack = run.graph.withLock { self?.isCurrent(run) ?? false }
            if !isBack { run.cancel() }
        }
    }

    /// A run begins, in a task of its own. Returns false if it is no longer wanted.
    ///
    /// - Parameter isolation: The actor on which the task runs, if any: what the run reads may have been created there.
    func begin(_ run: Run<T>, isolation: isolated (any Actor)?) -> Bool {
        guard isCurrent(run) else { return false }
        if keeper == nil {
            keeper = detached {
                autorun(named: "\(key.name), keeper", isolation: isolation) { [weak self] in
                    _ = try? self?.content?.value
                    self?.dismissKeeperIfIdle()
                }
            }
            // It may have found nothing to keep already.
            dismissKeeperIfIdle()
        }
        return isCurrent(run)
    }

    private func dismissKeeperIfIdle() {
        guard let keeper, !hasPendingRun else { return }
        self.keeper = nil
        keeper.cancel()
    }

    /// A run has come to its end.
    func finish(_ run: Run<T>, _ result: Result<T, any Error>) {
        // An input may have changed that nobody has followed up yet.
        _ = try? untracked { try content?.value }
        guard isCurrent(run), run.outcome.value == nil else { return }
        if case .success = result { cache.insert(run.dependencies, result) }
        run.outcome.value = result
        run.letGo()
    }

    // MARK: - Intervening

    private func begin(_ episode: Episode<T>) {
        guard let slot else {
            draft = episode
            return
        }
        let old = untracked { slot.value.run }
        // What it has read may be wanted again at once.
        if case .loading = episode.kind { episode.predecessor = old }
        slot.value = episode
        retire(old)
    }

    override func assign(_ value: T, origin: Origin) {
        begin(Episode(.assigned(.success(value)), origin: origin))
    }

    override var isSetByEffects: Bool { loaded != nil }

    override func initialize(_ value: T) {
        guard !isSetByEffects else { return }
        if let load = untracked({ episode.load }) {
            begin(Episode(.loading, origin: .initial, load: { try await load() ?? value }))
        } else {
            assign(value, origin: .set)
        }
    }

    override func load(_ load: @escaping @Sendable () async throws -> T?) -> (() -> Void)? {
        begin(Episode(.loading, origin: .initial, load: load))
        // Its run ends with the node.
        return nil
    }

    override func reset() {
        cache.removeAll()
        begin(Self.episode(replacement, .reset))
    }

    override func reload() {
        guard replacement == nil else { return begin(Self.episode(replacement, .reset)) }
        cache.removeAll()
        let before = try? untracked { try state() }
        // Where there are no data now, the last ones may be of other inputs.
        let keepsData = before?.data != nil
        begin(
            Episode(
                .loading, origin: .initial, previous: before?.latestData, isReload: true, keepsData: keepsData))
    }

    override func followSetting(
        by effect: Int, named name: String, _ handler: @escaping (T, T?, Bool) -> Void
    ) -> Reaction? {
        let values = equality
        let rule = Equality<(data: T?, origin: Origin)> { old, new in
            guard let old = old.data, let new = new.data else { return old.data == nil && new.data == nil }
            return values(old, new)
        }
        return reaction(named: name, equals: rule, isolation: nil) { [weak self] in
            guard let self else { return (data: nil, origin: .initial) }
            return (data: try? self.state().settled?.get(), origin: self.episode.origin)
        } onChange: { new, old in
            guard let value = new.data, new.origin != .initial, new.origin != .restore, new.origin != .effect(effect)
            else { return }
            handler(value, old.data, new.origin == .reset)
        }
    }

    // MARK: - Snapshots

    override func capture() -> CapturedAtom? {
        guard isAtom else { return nil }
        let episode = untracked { self.episode }
        switch episode.kind {
        case .assigned(let result): return captured(try? result.get())
        case .loading:
            let outcome = untracked { episode.run?.outcome.value }
            return captured(try? outcome?.get())
        case .ended: return captured(nil)
        }
    }

    private func restore(_ value: T?) {
        if let value {
            if let data = try? untracked({ try state().settled?.get() }), equality(data, value) { return }
            assign(value, origin: .restore)
        } else {
            restoreDefault()
        }
    }

    override func restoreDefault() {
        let episode = untracked { self.episode }
        if let loaded {
            guard episode.origin != .initial else { return }
            begin(Episode(.assigned(loaded), origin: .restore))
        } else if case .assigned = episode.kind, !episode.origin.isDefault {
            begin(Self.episode(replacement, .restore))
        }
    }

    // MARK: - The end

    override func dismantle() -> [() -> Void] {
        let episode = untracked { self.episode }
        let run = episode.run
        // The last data stay, for effects that have not saved them yet.
        var last = run?.latest ?? episode.previous
        if case .assigned(.success(let value)) = episode.kind { last = value }
        let end = Episode(.ended, origin: .reset, previous: last)
        if let slot { slot.value = end } else { draft = end }
        cache.removeAll()
        let keeper = keeper
        self.keeper = nil
        return [{ run?.cancel() }, { keeper?.cancel() }] + effects.end()
    }

    override var flushes: [() throws -> Void] { effects.flushes }
}

/// What lies between two interventions from outside.
final class Episode<T: Sendable> {
    enum Kind {
        case assigned(Result<T, any Error>)
        case loading
        case ended
    }

    let kind: Kind
    let origin: Origin
    /// The last data of the episode before, if they are still worth showing.
    let previous: T?
    /// Whether it began because somebody wanted the same once more.
    let isReload: Bool
    /// Whether `previous` is shown as present data until there is an outcome or an input changes.
    let keepsData: Bool
    /// What an effect wants to be loaded in the default's place, unless it returns `nil`.
    let load: (@Sendable () async throws -> T?)?
    /// The run that counts. Only of an episode that is loading.
    var run: Run<T>?
    /// The last run of the episode before, until there is one of this.
    var predecessor: Run<T>?

    init(
        _ kind: Kind, origin: Origin, previous: T? = nil, isReload: Bool = false, keepsData: Bool = false,
        load: (@Sendable () async throws -> T?)? = nil
    ) {
        self.kind = kind
        self.origin = origin
        self.previous = previous
        self.isReload = isReload
        self.keepsData = keepsData
        self.load = load
    }
}
