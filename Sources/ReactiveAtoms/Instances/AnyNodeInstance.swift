// What a store keeps of a node.
//
//     _AnyNodeInstance        identity, gate, retention
//     └─ _NodeInstance<T>     its content as a `LoadState<T>`
//        ├─ AtomInstance          a value in itself                  SyncAtomNode
//        ├─ SelectorInstance      a Computed                         SyncSelectorNode
//        └─ AsyncInstance         a Loader                         AsyncAtomNode, AsyncSelectorNode
//
// An instance is a source of the graph itself, and so is its content. Reading a node where reading subscribes records
// both. (An atom's instance is its content.) The instance serves two ends.
//
//   - The graph counts the edges that lead to it. When there are none, the last observer has gone, and what is kept
//     only while it is observed can go, too.
//   - It changes when the instance is replaced: released, overridden, or begun anew. So its readers look again.
//
// The store owns its instances until they end. Then readers may still hold one by their edges, until they look again.
// The content of a selector holds its instance, and the instance lets go of the content when it ends.
//
// Everything here is guarded by the graph's lock. What every store touches on each access is declared for code that is
// compiled into the user's modules, where the types are known. All that is rarely needed is in `extras`.

import Reactive

/// The part of what a store keeps of a node that does not depend on its type. Public for the compiler only; do not use it.
@_fixed_layout
public class _AnyNodeInstance: _StoredSource {
    /// Why an instance is no longer in its store.
    @usableFromInline
    enum Ending {
        case released, replaced
    }

    /// The classes that have shortcuts.
    @usableFromInline
    enum Kind: UInt8 {
        case atom, selector, other
    }

    @usableFromInline final let key: NodeKey
    /// What a use of the node is compared with. The instance keeps the closure that this is of.
    @usableFromInline final let definition: _NodeDefinition
    /// The table of the store.
    @usableFromInline final let table: InstanceTable
    /// Which instance this is, of all that the store has ever had.
    final let serial: UInt64
    final let nodeType: ObjectIdentifier
    final let retention: Retention
    /// Its neighbours among the instances of one lifetime; see LifetimeLists.swift.
    @exclusivity(unchecked) final var previousOfLifetime: Unmanaged<_AnyNodeInstance>?
    @exclusivity(unchecked) final var nextOfLifetime: Unmanaged<_AnyNodeInstance>?
    /// The last reader has gone in the operation in progress, which may find another one.
    @exclusivity(unchecked) final var isLeaving = false
    @exclusivity(unchecked) private final var someExtras: Extras?
    @usableFromInline final let kind: Kind
    final let isAtom: Bool
    @exclusivity(unchecked) final private(set) var ending: Ending?
    /// Uses are no longer compared: a difference was reported, or there is nothing to go by.
    final var isDefinitionSettled = false

    @usableFromInline
    init(
        key: NodeKey, definition: _NodeDefinition, retention: Retention, nodeType: Any.Type, kind: Kind, isAtom: Bool,
        in table: InstanceTable
    ) {
        self.key = key
        self.definition = definition
        self.table = table
        serial = table.makeNumber()
        self.nodeType = ObjectIdentifier(nodeType)
        self.retention = retention
        self.kind = kind
        self.isAtom = isAtom
        super.init(isCounted: !retention.isStore)
    }

    /// What messages of the core call it.
    public override final var sourceName: String { key.name }

    /// The graph of the store.
    final var graph: GraphHandle { table.graph }

    /// The store, unless it has ended.
    final var store: RecoilStore? { table.store }

    /// Has uses of the node not be compared any more.
    @usableFromInline
    final func settleDefinition() { isDefinitionSettled = true }

    /// Releases the instance, which may be freed by that, once the graph is unlocked.
    final func releaseLater() { release(objectLater: self) }

    /// Whether a key is its own.
    @inline(__always)
    final func has(_ other: NodeKey.Bits) -> Bool { key.isKey(of: other) }

    // MARK: - What is rarely needed

    /// What most instances do without.
    @usableFromInline
    final class Extras {
        /// How many tasks wait for the node from outside. Waiting is no observing, but what is waited for stays.
        var waiters = 0
        /// How many stand in for readers.
        var standIns = 0
        /// Ends the instance some time after the last reader has gone.
        var expiry: Task<Void, Never>?
        /// Compares uses of the node with its definition, from the first that differs on.
        var scrutiny: DefinitionScrutiny?
        /// What the node and its dependencies are busy with.
        var activity: ThrowingComputed<Activity>?
        /// Tells activities that have looked at this instance that its content is no longer the one they saw.
        var rewired: Observable<Int>?
    }

    final var extras: Extras {
        if let someExtras { return someExtras }
        let extras = Extras()
        someExtras = extras
        return extras
    }

    // MARK: - What kinds of instances differ in

    /// Runs what the user wants to run on first use. The instance is in the store already.
    func prepare(for trigger: AtomEffectTrigger) {}

    /// The value that a closure returns which was given as a default value. Only for atoms.
    func defaultValue(of definition: _NodeDefinition) -> Any? { nil }

    /// Whether effects have put something in the place of an atom's default.
    var isSetByEffects: Bool { false }

    /// Lets the effects of an atom follow its value, unless they do already.
    func followEffects() {}

    /// What the last evaluation read, or the one in progress has read.
    var dependencies: [_AnyNodeInstance] { [] }

    /// Brings the content up to date, and records it as read.
    ///
    /// - Throws: Only the core's error for a cycle.
    func follow() throws {}

    /// Whether it is loading, and its error. Brings the content up to date, and records it as read.
    func summary() throws -> (isLoading: Bool, error: (any Error)?) { (false, nil) }

    /// A number that grows whenever the content changes. Valid after `follow`.
    var contentVersion: UInt64 { 0 }

    /// A number that changes whenever the content settles on something else; `nil` while it is loading. Valid after `follow`.
    var settledStamp: UInt64? { contentVersion }

    /// Whether there are data now.
    var hasData: Bool { true }

    /// Returns a closure that tells whether the content is settled and what it is now.
    func fingerprint() -> () throws -> Bool { { false } }

    /// Starts afresh: an asynchronous node loads again, a selector computes again, a failed default is tried again.
    func reload() {}

    /// Lets go of everything; returns what is left to do once the graph is unlocked.
    func dismantle() -> [() -> Void] { [] }

    /// What finishes what its effects have begun, to be called outside the lock.
    var flushes: [() throws -> Void] { [] }

    /// What loads the value of an asynchronous node.
    var loader: Loader? { nil }

    /// What a snapshot keeps of an atom.
    func capture() -> CapturedAtom? { nil }

    /// Gives an atom its default back.
    func resetAtom() {}

    /// Gives an atom that was set its default back, without its effects' noticing.
    func restoreDefault() {}

    // MARK: - What it is busy with

    /// Of this node and all that it depends on. Tracked.
    ///
    /// - Throws: The core's error for a cycle.
    final func activity() throws -> Activity {
        guard kind == .atom else { return try watchedActivity.value }
        // It depends on nothing. And nothing that it keeps may count as its reader.
        let (isLoading, error) = try summary()
        return Activity(isLoading: isLoading, errors: error.map { [$0] } ?? [])
    }

    /// A number that grows whenever the activity changes. Valid after `activity`.
    final var activityVersion: UInt64 { kind == .atom ? contentVersion : watchedActivity.version }

    private final var watchedActivity: ThrowingComputed<Activity> {
        if let activity = extras.activity { return activity }
        let activity = ThrowingComputed<Activity>(named: "\(key.name), activity", equals: Activity.equality) {
            [weak self] in
            try self?.lookForActivity() ?? Activity()
        }
        extras.activity = activity
        return activity
    }

    private final func lookForActivity() throws -> Activity {
        var activity = Activity()
        var visited: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        var pending: [_AnyNodeInstance] = [self]
        while let next = pending.popLast() {
            _ = next.rewired.value
            let (isLoading, error) = try next.summary()
            if isLoading { activity.isLoading = true }
            if let error { activity.add(error) }
            for dependency in next.dependencies.reversed()
            where visited.insert(ObjectIdentifier(dependency)).inserted {
                pending.append(dependency)
            }
        }
        return activity
    }

    private final var rewired: Observable<Int> {
        if let rewired = extras.rewired { return rewired }
        let rewired = Observable(0, named: "\(key.name), rewired")
        extras.rewired = rewired
        return rewired
    }

    /// Tells everybody who holds on to the content that it has been replaced.
    final func noteReplacedContent() {
        if let rewired = someExtras?.rewired { untracked { rewired.value += 1 } }
        guard hasObservers || hasEdges || retention.isStore else { return }
        enter()
        noteChangeAndLeave()
    }

    /// All that this node depends on.
    final var upstream: [_AnyNodeInstance] {
        var visited: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        var found: [_AnyNodeInstance] = []
        var pending = dependencies
        while let next = pending.popLast() {
            guard visited.insert(ObjectIdentifier(next)).inserted else { continue }
            found.append(next)
            pending += next.dependencies
        }
        return found
    }

    /// The way from this node to `target` along what each depends on; `nil` if there is none.
    final func path(to target: _AnyNodeInstance) -> [_AnyNodeInstance]? {
        if self === target { return [self] }
        var cameFrom: [ObjectIdentifier: _AnyNodeInstance] = [ObjectIdentifier(self): self]
        var pending = [self]
        while let next = pending.popLast() {
            for dependency in next.dependencies where cameFrom[ObjectIdentifier(dependency)] == nil {
                cameFrom[ObjectIdentifier(dependency)] = next
                guard dependency === target else {
                    pending.append(dependency)
                    continue
                }
                var path = [target]
                while let last = path.last, last !== self, let previous = cameFrom[ObjectIdentifier(last)] {
                    path.append(previous)
                }
                return path.reversed()
            }
        }
        return nil
    }

    // MARK: - Readers

    /// Records, where reading subscribes, that the node is read.
    @inlinable @inline(__always)
    final func noteObserver() {
        if isTracked { noteTrackedRead() }
    }

    @usableFromInline
    final func noteTrackedRead() {
        guard ending == nil else { return }
        noteRead()
        if let someExtras, someExtras.expiry != nil {
            someExtras.expiry?.cancel()
            someExtras.expiry = nil
        }
    }

    /// Whether somebody observes it. Not known of what is kept as long as the store, apart from live readers.
    final var isObserved: Bool { hasObservers || hasEdges || (someExtras?.standIns ?? 0) > 0 }

    /// What keeps it observed for as long as it is held, if somebody observes it or did before the operation in
    /// progress.
    final var openGate: AnyObject? {
        !retention.isStore && ending == nil && (isObserved || isLeaving) ? ReaderStandIn(self) : nil
    }

    public override final func lastEdgeWasRemoved() {
        if ending == nil, !isObserved { table.noteUnobserved(self) }
    }

    /// The last reader has gone: it goes now, later, or not at all, as its retention says. Unless there is one again.
    final func readersWent(in store: RecoilStore) {
        guard !isObserved, ending == nil, !isAwaited else { return }
        switch retention.kind {
        case .store: break
        case .whileObserved: store.end(self, as: .released)
        case .ttl: expireLater()
        }
    }

    private final var isAwaited: Bool { (someExtras?.waiters ?? 0) > 0 }

    /// A task begins to wait for it.
    final func beginWait() { extras.waiters += 1 }

    /// A task waits no more.
    final func endWait() {
        extras.waiters -= 1
        noteUse()
    }

    /// It was used from outside: the time during which nobody must observe it begins anew.
    final func noteUse() {
        if !isAwaited, ending == nil { expireLater() }
    }

    /// Begins the time during which nobody must observe it, if there is one.
    @usableFromInline
    final func expireLater() {
        guard case .ttl(let wait) = retention.kind, !isObserved else { return }
        extras.expiry?.cancel()
        let reference = InstanceReference(self)
        extras.expiry = Task {
            guard (try? await wait()) != nil else { return }
            reference.expire()
        }
    }

    /// Whether a purge may take it.
    final var mayBePurged: Bool { !retention.isStore && !isObserved && !isAwaited }

    // MARK: - The end

    /// Whether the end is one change of one source, which needs no transaction.
    final var hasPlainEnd: Bool { kind == .selector && someExtras == nil }

    /// Marks it as gone, tells everybody, and returns what is left to do once the graph is unlocked.
    final func end(as ending: Ending) -> [() -> Void] {
        self.ending = ending
        if let expiry = someExtras?.expiry {
            someExtras?.expiry = nil
            expiry.cancel()
        }
        let rest = dismantle()
        noteReplacedContent()
        return rest
    }
}
