// The instance of an asynchronous node: a loader, and the type of the value.

import Reactive

final class AsyncInstance<T: Sendable>: _NodeInstance<T> {
    /// Computes the value. Called on the actor of the node, if there is one.
    typealias Compute = nonisolated(nonsending) @Sendable (StateGetter) async throws -> T

    private let ownLoader: Loader
    /// `nil` if there are none.
    private let effects: EffectRunner<T>?
    private let captured: (T?) -> CapturedAtom

    init<Node: RecoilAsyncNode>(
        _ node: Node, isAtom: Bool, cache policy: CachePolicy, effects: [AtomEffect<T>], in store: RecoilStore,
        compute: @escaping Compute
    ) where Node.T == T {
        let name = node.key.name
        let replacement = store.overriding(node)
        // No test sees this always hold: without effects, there is nothing to run.
        self.effects = replacement == nil && !effects.isEmpty ? EffectRunner(effects) : nil
        captured = { value in
            CapturedAtom(key: node.key) { store in
                store.instance(for: node).loader?.restore(value.map(LoadedValue.init))
            }
        }
        let equality = store.table.rules(for: T.self).equality
        let plan = Loader.Plan(
            name: name, compute: { LoadedValue(try await compute($0)) },
            replacement: replacement.map { replacement in { LoadedValue(try replacement()) } },
            keepsPrevious: node.keepPrevious,
            cacheCapacity: policy.capacity,
            isolation: .of(node._isolation),
            equality: Equality { old, new in equality(Self.value(of: old), Self.value(of: new)) })
        ownLoader = Loader(plan, in: store.graph)
        super.init(
            key: node.key, definition: node._definition, retention: node.retention, nodeType: Node.self, kind: .other,
            isAtom: isAtom, in: store.table)
        ownLoader.instance = self
    }

    /// Returns the value, whose type only this class knows.
    private static func value(of loaded: AnyLoadedValue) -> T {
        unsafeDowncast(loaded, to: LoadedValue<T>.self).value
    }

    override var loader: Loader? { ownLoader }

    override func prepare(for trigger: AtomEffectTrigger) {
        effects?.run(for: self, trigger)
        ownLoader.open()
        effects?.installHandlers(for: self)
    }

    override func followEffects() { effects?.installHandlers(for: self) }

    // MARK: - The content

    override func state() throws -> LoadState<T> {
        try ownLoader.state().map(Self.value)
    }

    override func outcome() throws -> Result<T, any Error>? { try ownLoader.state().outcome?.map(Self.value) }

    override func follow() throws { _ = try ownLoader.state() }

    override func summary() throws -> (isLoading: Bool, error: (any Error)?) {
        let state = try ownLoader.state()
        return (state.isLoading, state.error)
    }

    override var contentVersion: UInt64 { ownLoader.content.version }

    override var outcomeStamp: UInt64? { ownLoader.outcomeStamp }

    override var dependencies: [_AnyNodeInstance] { ownLoader.dependencies }

    // MARK: - Intervening

    @usableFromInline
    override func assign(_ value: T, origin: Origin) { ownLoader.assign(LoadedValue(value), origin: origin) }

    override var isSetByEffects: Bool { ownLoader.isSetByEffects }

    @usableFromInline
    override func initialize(_ value: T) { ownLoader.initialize(LoadedValue(value)) }

    override func load(_ load: @escaping @Sendable () async throws -> T?) -> (() -> Void)? {
        ownLoader.load { try await load().map(LoadedValue.init) }
        // `nil`: the run of the load ends with the node.
        return nil
    }

    override func reset() { ownLoader.reset() }

    override func reload() { ownLoader.reload() }

    override func restoreDefault() { ownLoader.restoreDefault() }

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
            return (data: try? self.outcome()?.get(), origin: self.ownLoader.origin)
        } onChange: { new, old in
            guard let value = new.data, new.origin != .initial, new.origin != .restore, new.origin != .effect(effect)
            else { return }
            handler(value, old.data, new.origin == .reset)
        }
    }

    // MARK: - Snapshots and the end

    override func capture() -> CapturedAtom? {
        isAtom ? captured(ownLoader.captured.map(Self.value)) : nil
    }

    override func dismantle() -> [() -> Void] { ownLoader.dismantle() + (effects?.end() ?? []) }

    override var flushes: [() throws -> Void] { effects?.flushes ?? [] }
}
