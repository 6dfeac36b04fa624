// The instance of a node: everything that a store keeps of the node.
//
//     _AnyNodeInstance        identity, gate, retention
//     └─ _NodeInstance<T>     its content as a `LoadState<T>`
//        ├─ AtomInstance          a value in itself                  SyncAtomNode
//        ├─ SelectorInstance      a Computed                         SyncSelectorNode
//        └─ AsyncInstance         a Loader                         AsyncAtomNode, AsyncSelectorNode
//
// An instance is a source of the graph itself, and so is its content. A tracked read of a node records both. (An atom's
// instance is its content.) The instance serves two purposes.
//
// - The graph counts the edges that lead to it. When there are none, the last observer has gone, and a node that is
//   kept only while it is observed can be released.
// - It changes when it is replaced: released, overridden, or started anew. So its readers run again.
//
// The store owns its instances until they end. After that, the edges of readers may still retain an instance until the
// readers run again. The content of a selector retains its instance, and the instance releases the content when it
// ends.
//
// Everything here is guarded by the graph's lock. Members that every store uses on each access are declared for code
// that is compiled into the user's modules, where the types are known. Rarely used data are in `details`.

import Reactive

/// The part of an instance that does not depend on the type of the value. Public for the compiler only; do not use it.
@_fixed_layout
public class _AnyNodeInstance: _StoredSource {
    /// The reason why an instance is no longer in its store.
    @usableFromInline
    enum Ending {
        case released, replaced
    }

    /// The classes of instances for which reads have a short path.
    @usableFromInline
    enum Kind: UInt8 {
        case atom, selector, other
    }

    @usableFromInline final let key: NodeKey
    /// The definition that each use of the node is compared with. The instance retains the closure of this definition.
    @usableFromInline final let definition: _NodeDefinition
    /// The table of the store.
    @usableFromInline final let table: InstanceTable
    /// The number of the instance among all that the store has ever had.
    final let serial: UInt64
    final let nodeType: ObjectIdentifier
    final let retention: Retention
    /// Its neighbours among the instances of one lifetime; see LifetimeLists.swift.
    @exclusivity(unchecked) final var previousOfLifetime: Unmanaged<_AnyNodeInstance>?
    @exclusivity(unchecked) final var nextOfLifetime: Unmanaged<_AnyNodeInstance>?
    /// Whether the current operation has removed its last reader. The operation may still add a reader.
    @exclusivity(unchecked) final var isLeaving = false
    @exclusivity(unchecked) private final var existingDetails: Details?
    @usableFromInline final let kind: Kind
    final let isAtom: Bool
    @exclusivity(unchecked) final private(set) var ending: Ending?
    /// Whether uses are no longer compared: a difference was reported, or there is nothing to compare.
    final var isDefinitionAccepted = false

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

    /// The name in messages of the core.
    public override final var sourceName: String { key.name }

    /// The graph of the store.
    final var graph: GraphHandle { table.graph }

    /// The store, unless it has ended.
    final var store: RecoilStore? { table.store }

    /// Stops the comparison of uses of the node.
    @usableFromInline
    final func acceptDefinition() { isDefinitionAccepted = true }

    /// Returns whether a key is that of this instance.
    @inline(__always)
    final func has(_ other: NodeKey.Bits) -> Bool { key.isKey(of: other) }

    // MARK: - What is rarely needed

    /// Data that most instances do not need.
    @usableFromInline
    final class Details {
        /// The number of tasks that wait for the node from outside. They are no observers, but keep the node from being
        /// released.
        var waiters = 0
        /// The number of stand-ins for readers.
        var standIns = 0
        /// Ends the instance some time after it has lost its last reader.
        var expiry: Task<Void, Never>?
        /// Compares uses of the node with its definition, from the first different use on.
        var comparison: DefinitionComparison?
        /// The activity of the node and its dependencies.
        var activity: ThrowingComputed<Activity>?
        /// Notifies activities that have read this instance that its content has been replaced.
        var rewired: Observable<Int>?
    }

    final var details: Details {
        if let existingDetails { return existingDetails }
        let details = Details()
        existingDetails = details
        return details
    }

    // MARK: - What kinds of instances differ in

    /// The message of a function that each kind of instances must override.
    final var missing: String { "internal inconsistency: \(key.name) has no content" }

    /// Runs the user code of the first use. The instance is in the store already.
    func prepare(for trigger: AtomEffectTrigger) {}

    /// Returns the value that a closure of a default returns. Only for atoms.
    func defaultValue(of definition: _NodeDefinition) -> Any? { nil }

    /// Whether effects have replaced an atom's default.
    var isSetByEffects: Bool { false }

    /// Makes the effects of an atom follow its value, unless they do already.
    func followEffects() {}

    /// The nodes that the last evaluation has read, or the current one has read so far.
    var dependencies: [_AnyNodeInstance] { [] }

    /// Brings the content up to date, and records it as read. Does nothing for an atom that is its own content.
    ///
    /// - Throws: Only the core's error for a cycle.
    func follow() throws {}

    /// Returns whether it is loading, and its error. Brings the content up to date, and records it as read.
    func summary() throws -> (isLoading: Bool, error: (any Error)?) { fatalError(missing) }

    /// A number that grows whenever the content changes. Valid after `follow`.
    var contentVersion: UInt64 { 0 }

    /// A number that changes whenever the outcome of the content changes; `nil` while it is loading. Valid after
    /// `follow`.
    var outcomeStamp: UInt64? { contentVersion }

    /// Returns a closure that compares the outcome now with the outcome at this time.
    func fingerprint() -> () throws -> Bool { fatalError(missing) }

    /// Starts anew: an asynchronous node loads again, a selector computes again, a failed default is computed again.
    func reload() {}

    /// Releases everything; returns the closures to call when the graph is unlocked.
    func dismantle() -> [() -> Void] { [] }

    /// The closures that finish the pending work of its effects, to be called outside the lock.
    var flushes: [() throws -> Void] { [] }

    /// The loader of an asynchronous node.
    var loader: Loader? { nil }

    /// Returns the value of an atom for a snapshot.
    func capture() -> CapturedAtom? { nil }

    /// Resets an atom to its default.
    func resetAtom() {}

    /// Restores the default of an atom that was set, without calling the handlers of its effects.
    func restoreDefault() {}

    // MARK: - What it is busy with

    /// Returns the activity of this node and all its dependencies. Tracked.
    ///
    /// - Throws: The core's error for a cycle.
    final func activity() throws -> Activity {
        guard kind == .atom else { return try watchedActivity.value }
        // An atom has no dependencies, and an object that it retains must not count as its reader.
        let (isLoading, error) = try summary()
        return Activity(isLoading: isLoading, errors: error.map { [$0] } ?? [])
    }

    /// A number that grows whenever the activity changes. Valid after `activity`.
    // No test sees this never hold: where it counts, the version of the content counts too.
    final var activityVersion: UInt64 { kind == .atom ? contentVersion : watchedActivity.version }

    private final var watchedActivity: ThrowingComputed<Activity> {
        if let activity = details.activity { return activity }
        let activity = ThrowingComputed<Activity>(named: "\(key.name), activity", equals: Activity.equality) {
            [weak self] in
            try self?.computeActivity() ?? Activity()
        }
        details.activity = activity
        return activity
    }

    private final func computeActivity() throws -> Activity {
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
        if let rewired = details.rewired { return rewired }
        let rewired = Observable(0, named: "\(key.name), rewired")
        details.rewired = rewired
        return rewired
    }

    /// Notifies all readers of the content that it has been replaced.
    final func noteReplacedContent() {
        if let rewired = existingDetails?.rewired { untracked { rewired.value += 1 } }
        // No test sees this always hold: without readers, there is nobody to notify.
        guard hasEdges || retention.isStore else { return }
        enter()
        noteChangeAndLeave()
    }

    /// All direct and indirect dependencies of this node.
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

    /// Returns the path from this node to `target` along dependencies; `nil` if there is none.
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

    /// Records a read of the node, where reads are tracked.
    @inlinable @inline(__always)
    final func noteObserver() {
        if isTracked { noteTrackedRead() }
    }

    @usableFromInline
    final func noteTrackedRead() {
        guard ending == nil else { return }
        noteRead()
        if let existingDetails {
            existingDetails.expiry?.cancel()
            // No test sees this left out: cancelling a task again does nothing.
            existingDetails.expiry = nil
        }
    }

    /// Whether it has observers. For nodes that are kept as long as the store, only live readers count.
    final var isObserved: Bool { hasObservers || hasEdges || (existingDetails?.standIns ?? 0) > 0 }

    /// A stand-in that keeps it observed, if the store would release it without observers.
    final var openGate: AnyObject? {
        // No test sees this always hold: only the node of a freed owner is kept longer, which is released at any time.
        guard !retention.isStore else { return nil }
        return ending == nil ? ReaderStandIn(self) : nil
    }

    public override final func lastEdgeWasRemoved() {
        // No test sees this always hold: `readersWent` checks both again.
        if ending == nil, !isObserved { table.noteUnobserved(self) }
    }

    /// Releases it after its last reader has gone: now, later, or not at all, depending on its retention. Does nothing
    /// if it has a reader again.
    final func readersWent(in store: RecoilStore) {
        guard !isObserved, ending == nil, !isAwaited else { return }
        switch retention.kind {
        case .store: break
        case .whileObserved: store.end(self, as: .released)
        case .ttl: expireLater()
        }
    }

    private final var isAwaited: Bool { (existingDetails?.waiters ?? 0) > 0 }

    /// Records that a task starts to wait for it.
    final func beginWait() { details.waiters += 1 }

    /// Records that a task has stopped waiting.
    final func endWait() {
        details.waiters -= 1
        noteUse()
    }

    /// Records a use from outside: the time without observers starts again.
    final func noteUse() {
        guard ending == nil else { return }
        // No test sees this always hold: the end of the time releases no awaited node.
        if !isAwaited { expireLater() }
    }

    /// Starts the time after which it is released without observers, if its retention has one.
    @usableFromInline
    final func expireLater() {
        // No test sees this always hold: the end of the time releases no observed node.
        guard case .ttl(let wait) = retention.kind, !isObserved else { return }
        details.expiry?.cancel()
        let reference = InstanceReference(self)
        details.expiry = Task {
            guard (try? await wait()) != nil else { return }
            reference.expire()
        }
    }

    /// Whether a purge may release it.
    final var mayBePurged: Bool { !retention.isStore && !isObserved && !isAwaited }

    // MARK: - The end

    /// Marks it as ended, notifies its readers, and returns the closures to call when the graph is unlocked.
    final func end(as ending: Ending) -> [() -> Void] {
        self.ending = ending
        if let expiry = existingDetails?.expiry {
            // No test sees this left out: cancelling a task again does nothing.
            existingDetails?.expiry = nil
            expiry.cancel()
        }
        let rest = dismantle()
        noteReplacedContent()
        return rest
    }
}
