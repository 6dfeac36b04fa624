// The instance of an atom whose value is available immediately: a source of the graph that contains the value.
//
//     AtomInstance<T>        the value: reading and writing
//     └─ DefinedAtom<Node>   the node: its default, and what a snapshot restores
//
// It begins with its default. Then its effects run, which may replace the default; no other code can read a value until
// then. After that it takes part in transactions and roll-backs as an `Observable` does.

import Reactive

@_fixed_layout @usableFromInline
class AtomInstance<T: Sendable>: _NodeInstance<T> {
    /// A value or the error of the default, and its origin.
    @frozen @usableFromInline
    struct Cell {
        @usableFromInline var result: Result<T, any Error>
        @usableFromInline var origin: Origin
        /// The number of the load that may still replace it; 0 for none.
        @usableFromInline var pendingLoad: Int32

        @inlinable
        init(_ result: Result<T, any Error>, origin: Origin, pendingLoad: Int32 = 0) {
            self.result = result
            self.origin = origin
            self.pendingLoad = pendingLoad
        }
    }

    @usableFromInline
    enum Phase: UInt8 {
        /// The default is being computed. There is no value.
        case beginning
        /// The effects are running. Nothing follows the value.
        case preparing
        case ready
    }

    @exclusivity(unchecked) @usableFromInline final var cell: Cell
    @exclusivity(unchecked) @usableFromInline final var phase = Phase.beginning
    /// The state of the effects, if there are any.
    @exclusivity(unchecked) @usableFromInline final var effects: AtomEffects<T>?

    @inlinable
    init(
        key: NodeKey, definition: _NodeDefinition, retention: Retention, nodeType: Any.Type, effects: [AtomEffect<T>],
        in table: InstanceTable
    ) {
        cell = Cell(.failure(AtomPlaceholder.ofDefault), origin: .initial)
        // No test sees this never hold: without effects, there is nothing to run.
        self.effects = effects.isEmpty ? nil : AtomEffects(effects)
        super.init(
            key: key, definition: definition, retention: retention, nodeType: nodeType, kind: .atom, isAtom: true,
            in: table)
    }

    // MARK: - Beginning

    /// Stores the default, and runs the effects.
    @inlinable
    final func begin(with value: Result<T, any Error>, for trigger: AtomEffectTrigger) {
        cell.result = value
        // No test sees this never hold: without effects, there is nothing to run.
        if effects == nil { phase = .ready } else { runEffects(for: trigger) }
    }

    @usableFromInline @inline(never)
    final func runEffects(for trigger: AtomEffectTrigger) {
        phase = .preparing
        effects?.runner.run(for: self, trigger)
        if !cell.origin.isDefault { effects?.loaded = cell.result }
        cell.origin = .initial
        phase = .ready
        followEffects()
    }

    override final func followEffects() { effects?.runner.installHandlers(for: self) }

    /// Computes the default.
    func makeDefault() -> Result<T, any Error> { .failure(AtomPlaceholder.ofDefault) }

    override final func defaultValue(of definition: _NodeDefinition) -> Any? {
        try? definition.closure(as: DefaultClosure<T>.self).call()
    }

    // MARK: - Reading

    /// Returns the value. The caller has recorded the read.
    @inlinable @inline(__always)
    final func current() throws -> T {
        if case .success(let value) = cell.result { return value }
        throw failure()
    }

    /// Returns the reason why there is no value.
    @usableFromInline
    final func failure() -> any Error {
        if case .failure(let error) = cell.result, phase != .beginning { return error }
        // The default has read its own atom.
        return RecoilError.circular(.init(path: [key.name, key.name]))
    }

    override final func value() throws -> T {
        noteObserver()
        return try current()
    }

    /// Returns the content. Effects that read their own atom do not count as its readers.
    override final func state() throws -> LoadState<T> {
        guard phase == .ready, let copy = effects?.copy(for: self) else { return LoadState(Result { try value() }) }
        return LoadState(copy.value.result)
    }

    /// Returns the value or the error. The caller has recorded the read.
    override final func outcome() -> Result<T, any Error>? { cell.result }

    override final var contentVersion: UInt64 { version }

    // MARK: - Writing

    @inlinable
    final func areSame(_ old: Cell, _ new: Cell) -> Bool {
        guard case .success(let oldValue) = old.result, case .success(let newValue) = new.result,
            old.pendingLoad == new.pendingLoad
        else { return false }
        return rules.equality(oldValue, newValue)
    }

    @inlinable
    final func write(_ new: Cell) {
        enter()
        writeAndLeave(new)
    }

    /// Writes, and ends one `enter`.
    @inlinable
    final func writeAndLeave(_ new: Cell) {
        guard phase == .ready else {
            let old = cell
            cell = new
            withExtendedLifetime(old) { leave() }
            return
        }
        checkWrite()
        let old = cell
        if untracked({ areSame(old, new) }) { return leave() }
        if needsLogEntry() { log(old) }
        cell = new
        if let effects { effects.note(new) }
        // The old value is destroyed last, outside the lock: its deinitialiser may run any code.
        withExtendedLifetime(old) { noteChangeAndLeave() }
    }

    @usableFromInline
    override final func assign(_ value: T, origin: Origin) { write(Cell(.success(value), origin: origin)) }

    override final func reset() { write(Cell(makeDefault(), origin: .reset)) }

    override final var isSetByEffects: Bool { effects?.loaded != nil }

    @usableFromInline
    override final func initialize(_ value: T) {
        guard !isSetByEffects else { return }
        write(Cell(.success(value), origin: .set, pendingLoad: cell.pendingLoad))
    }

    /// Changes the value in place, without copying it, and always notifies. Returns false if there is no value. In a
    /// transaction.
    @inlinable
    final func mutate<E: Error>(_ body: (inout T) throws(E) -> Void) throws(E) -> Bool {
        guard phase == .ready, case .success(var value) = cell.result else { return false }
        checkWrite()
        // A copy would make the value shared, and the mutation would copy it: only if a roll-back needs the copy.
        if needsLogEntry(), mayRollBack { log(cell) }
        // With a placeholder in the cell, the value has no other owner.
        cell = Cell(.failure(AtomPlaceholder(beingUpdated: key)), origin: .set)
        noteChange()
        defer {
            cell = Cell(.success(value), origin: .set)
            if let effects { effects.note(cell) }
            noteChange()
        }
        try body(&value)
        return true
    }

    @usableFromInline final var mayRollBack: Bool { graph.mayRollBack }

    override final func exchangeState(withLogged state: UnsafeMutableRawPointer) {
        swap(&cell, &state.assumingMemoryBound(to: Cell.self).pointee)
    }

    override final func equalsState(logged state: UnsafeMutableRawPointer) -> Bool {
        areSame(cell, state.assumingMemoryBound(to: Cell.self).pointee)
    }

    override final func discardState(logged state: UnsafeMutableRawPointer) {
        release(later: state.assumingMemoryBound(to: Cell.self).move())
    }

    // MARK: - Loading in an effect

    override final func load(_ load: @escaping @Sendable () async throws -> T?) -> (() -> Void)? {
        guard let effects else { return nil }
        effects.loads += 1
        let number = effects.loads
        cell.pendingLoad = number
        let reference = InstanceReference(self)
        let task = Task {
            let result: Result<T?, any Error>
            do { result = .success(try await load()) } catch { result = .failure(error) }
            reference.graph.withLock { reference.instance?.finish(number, result) }
        }
        return { task.cancel() }
    }

    /// Ends a load that an effect has started. A value that was set meanwhile stays.
    private func finish(_ load: Int32, _ result: Result<T?, any Error>) {
        guard ending == nil, cell.pendingLoad == load else { return }
        switch result {
        case .success(nil): return
        case .success(let value?): effects?.loaded = .success(value)
        case .failure(let error): effects?.loaded = .failure(error)
        }
        restoreLoaded(as: .initial)
    }

    private func restoreLoaded(as origin: Origin) {
        if let loaded = effects?.loaded { write(Cell(loaded, origin: origin)) }
    }

    override final func reload() {
        if phase == .ready, case .failure = cell.result { write(Cell(makeDefault(), origin: .reset)) }
    }

    /// The rule by which two cells count as the same, for observers of a copy.
    final var rule: Equality<Cell> {
        let equality = equality
        return Equality { old, new in
            guard case .success(let oldValue) = old.result, case .success(let newValue) = new.result else {
                return false
            }
            return equality(oldValue, newValue)
        }
    }

    override final func followSetting(
        by effect: Int, named name: String, _ handler: @escaping (T, T?, Bool) -> Void
    ) -> Reaction? {
        guard let effects else { return nil }
        let copy = effects.copy(for: self)
        return reaction(named: name, equals: rule, isolation: nil) {
            copy.value
        } onChange: { new, old in
            guard new.origin != .initial, new.origin != .restore, new.origin != .effect(effect),
                case .success(let value) = new.result
            else { return }
            handler(value, try? old.result.get(), new.origin == .reset)
        }
    }

    // MARK: - Snapshots

    /// Restores a value of a snapshot.
    final func restore(_ result: Result<T, any Error>) { write(Cell(result, origin: .restore)) }

    override final func restoreDefault() {
        guard phase == .ready else { return }
        let origin = cell.origin
        if isSetByEffects {
            if origin != .initial { restoreLoaded(as: .restore) }
        } else if !origin.isDefault {
            write(Cell(makeDefault(), origin: .restore))
        }
    }

    override final func dismantle() -> [() -> Void] { effects?.runner.end() ?? [] }

    override final var flushes: [() throws -> Void] { effects?.runner.flushes ?? [] }
}

/// The instance of an atom of a type.
@_fixed_layout @usableFromInline
final class DefinedAtom<Node: SyncAtomNode>: AtomInstance<Node.T> {
    @usableFromInline let atom: Node
    /// The override of the default.
    @usableFromInline let replacement: (() throws -> Node.T)?

    @inlinable
    init(_ node: borrowing Node, in store: borrowing RecoilStore) {
        atom = node._unretained
        replacement = store.overriding(node)
        // Uses the parameter, because reading a part of a property copies all of the property.
        super.init(
            key: node.key.unretained, definition: node._definition, retention: node.retention, nodeType: Node.self,
            effects: replacement == nil ? node.effects : [], in: store.table)
    }

    /// Stores the default, and runs the effects. The instance is in the store already.
    @inlinable
    func begin(for trigger: AtomEffectTrigger) { begin(with: computeDefault(), for: trigger) }

    @inlinable
    func computeDefault() -> Result<Node.T, any Error> {
        do {
            if let replacement { return .success(try untracked { try replacement() }) }
            return .success(try untracked { try atom.getValue() })
        } catch {
            return .failure(naming(error))
        }
    }

    override func makeDefault() -> Result<Node.T, any Error> { computeDefault() }

    override func capture() -> CapturedAtom? {
        guard phase != .beginning else { return nil }
        let (atom, result) = (atom, cell.result)
        return CapturedAtom(key: key) { store in
            (store.instance(for: atom) as? AtomInstance<Node.T>)?.restore(result)
        }
    }
}

/// The state that an atom needs for its effects.
@usableFromInline
final class AtomEffects<T: Sendable> {
    let runner: EffectRunner<T>
    /// The value or error that the effects have set instead of the default.
    var loaded: Result<T, any Error>?
    /// The number of loads that the effects have started.
    var loads: Int32 = 0
    /// The observable that effects follow: a copy of the atom's cell, created when they first read it.
    ///
    /// If they read the atom itself, it would always have observers, and its end would be a change for them.
    private var copy: Observable<AtomInstance<T>.Cell>?

    @usableFromInline
    init(_ effects: [AtomEffect<T>]) { runner = EffectRunner(effects) }

    func copy(for atom: AtomInstance<T>) -> Observable<AtomInstance<T>.Cell> {
        if let copy { return copy }
        let copy = Observable(atom.cell, equals: atom.rule, named: atom.key.name)
        self.copy = copy
        return copy
    }

    /// Records a write of the atom.
    @usableFromInline
    func note(_ cell: AtomInstance<T>.Cell) { copy?.value = cell }
}

/// A stand-in for the value of an atom that has none at the moment.
@usableFromInline
struct AtomPlaceholder: Error, CustomStringConvertible {
    let key: NodeKey?

    /// Creates the placeholder of an atom whose value is being changed in place.
    @usableFromInline
    init(beingUpdated key: NodeKey) { self.key = key }

    private init() { key = nil }

    /// The placeholder of an atom whose default is being computed. No reader gets it.
    @usableFromInline static let ofDefault: any Error = AtomPlaceholder()

    @usableFromInline
    var description: String {
        "\(key?.name ?? "the atom") was read inside its own update; use the closure's parameter instead"
    }
}
