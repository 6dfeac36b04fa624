// What a store keeps of an atom whose value is there at once: an observable.

import Reactive

final class AtomInstance<T: Sendable>: _NodeInstance<T> {
    /// A value, or the error of the default, and where it came from.
    struct Cell {
        var result: Result<T, any Error>
        var origin: Origin
        /// The number of the load that may still replace it; 0 for none.
        var pendingLoad: Int32 = 0
    }

    private let makeDefault: () throws -> T
    private let effects: EffectRunner<T>
    /// `nil` until the effects have run.
    private var content: Observable<Cell>?
    /// The value before that; `nil` while the default is being computed.
    private var draft: Cell?
    /// What the effects have put in the default's place.
    private var loaded: Result<T, any Error>?
    private var loads: Int32 = 0
    private let captured: (Result<T, any Error>) -> CapturedAtom

    init<Node: SyncAtomNode>(_ node: Node, in store: RecoilStore) where Node.T == T {
        let replacement = store.overriding(node)
        makeDefault = replacement ?? { try node.getValue() }
        effects = EffectRunner(replacement == nil ? node.effects : [], name: node.key.name)
        captured = { result in
            CapturedAtom(key: node.key, isAsynchronous: false) { store in
                guard let instance = store.instance(for: node) as? AtomInstance<T> else { return }
                instance.write(Cell(result: result, origin: .restore))
            }
        }
        super.init(node, isAtom: true, in: store)
    }

    override func prepare(for trigger: AtomEffectTrigger) {
        draft = defaultCell(.initial)
        effects.run(for: self, trigger)
        guard let draft else { return }
        if !draft.origin.isDefault { loaded = draft.result }
        let cell = Cell(result: draft.result, origin: .initial, pendingLoad: draft.pendingLoad)
        content = Observable(cell, equals: rule, named: key.name)
        self.draft = nil
        effects.installHandlers(for: self)
    }

    override func followEffects() { effects.installHandlers(for: self) }

    private func defaultCell(_ origin: Origin) -> Cell {
        Cell(result: Result { try naming { try untracked(makeDefault) } }, origin: origin)
    }

    private var rule: Equality<Cell> {
        let values = equality
        return Equality { old, new in
            guard case .success(let oldValue) = old.result, case .success(let newValue) = new.result,
                old.pendingLoad == new.pendingLoad
            else { return false }
            return values(oldValue, newValue)
        }
    }

    override func state() throws -> LoadState<T> {
        guard let cell = content?.value ?? draft else {
            // Read by its own default.
            return LoadState(.failure(RecoilError.circular(.init(path: [key.name, key.name]))))
        }
        return LoadState(cell.result)
    }

    // Shorter ways than by way of the state, for what is read most.

    override func value() throws -> T {
        guard let content else { return try state().settled?.get() ?? { throw CancellationError() }() }
        return try content.value.result.get()
    }

    override func data() throws -> T? { try? value() }

    override func follow() { content?.followSource() }

    override func settled() throws -> Result<T, any Error>? {
        guard let content else { return try state().settled }
        return content.value.result
    }

    override var version: UInt64 { content?.version ?? 0 }

    // MARK: - Writing

    private func write(_ cell: Cell) {
        if let content { content.value = cell } else { draft = cell }
    }

    override func assign(_ value: T, origin: Origin) { write(Cell(result: .success(value), origin: origin)) }

    override func reset() { write(defaultCell(.reset)) }

    override func defaultValue(of definition: _NodeDefinition) -> Any? {
        try? definition.closure(as: DefaultClosure<T>.self).call()
    }

    override var isSetByEffects: Bool { loaded != nil }

    override func initialize(_ value: T) {
        guard !isSetByEffects else { return }
        let pendingLoad = untracked { content?.value.pendingLoad } ?? 0
        write(Cell(result: .success(value), origin: .set, pendingLoad: pendingLoad))
    }

    // MARK: - Loading in an effect

    override func load(_ load: @escaping @Sendable () async throws -> T?) -> (() -> Void)? {
        loads += 1
        let number = loads
        draft?.pendingLoad = number
        let reference = InstanceReference(self)
        let task = Task {
            let result: Result<T?, any Error>
            do { result = .success(try await load()) } catch { result = .failure(error) }
            reference.graph.withLock { reference.instance?.finish(number, result) }
        }
        return { task.cancel() }
    }

    /// A load that an effect has begun is over. What was set meanwhile stays.
    private func finish(_ load: Int32, _ result: Result<T?, any Error>) {
        guard ending == nil, untracked({ content?.value.pendingLoad }) == load else { return }
        switch result {
        case .success(nil): return
        case .success(let value?): loaded = .success(value)
        case .failure(let error): loaded = .failure(error)
        }
        restoreLoaded(as: .initial)
    }

    private func restoreLoaded(as origin: Origin) {
        if let loaded { write(Cell(result: loaded, origin: origin)) }
    }

    override func reload() {
        if case .failure = untracked({ content?.value.result }) { write(defaultCell(.reset)) }
    }

    /// Changes the value in place, without copying it, and always notifies. Returns false if there is none. In a transaction.
    func mutate<E: Error>(_ body: (inout T) throws(E) -> Void) throws(E) -> Bool {
        guard let content, case .success(var value) = untracked({ content.value.result }) else { return false }
        // With a placeholder in the observable, nobody else keeps the value. Both writes are mutations in place, since those keep the value
        // they replace only where it may have to be put back.
        untracked { Self.replace(&content.value, .failure(ReadDuringUpdate(name: key.name))) }
        defer { untracked { Self.replace(&content.value, .success(value)) } }
        try body(&value)
        return true
    }

    private static func replace(_ cell: inout Cell, _ result: Result<T, any Error>) {
        cell = Cell(result: result, origin: .set)
    }

    override func followSetting(
        by effect: Int, named name: String, _ handler: @escaping (T, T?, Bool) -> Void
    ) -> Reaction? {
        guard let content else { return nil }
        return reaction(named: name, equals: rule, isolation: nil) {
            content.value
        } onChange: { new, old in
            guard new.origin != .initial, new.origin != .restore, new.origin != .effect(effect),
                case .success(let value) = new.result
            else { return }
            handler(value, try? old.result.get(), new.origin == .reset)
        }
    }

    // MARK: - Snapshots

    override func capture() -> CapturedAtom? {
        (content.map { $0.value } ?? draft).map { captured($0.result) }
    }

    override func restoreDefault() {
        guard let origin = untracked({ content?.value.origin }) else { return }
        if loaded != nil {
            if origin != .initial { restoreLoaded(as: .restore) }
        } else if !origin.isDefault {
            write(defaultCell(.restore))
        }
    }

    override func dismantle() -> [() -> Void] { effects.end() }

    override var flushes: [() throws -> Void] { effects.flushes }
}

/// Stands in for a value that is being changed in place.
private struct ReadDuringUpdate: Error, CustomStringConvertible {
    let name: String
    var description: String { "\(name) was read inside its own update; use the value that the closure is given" }
}
