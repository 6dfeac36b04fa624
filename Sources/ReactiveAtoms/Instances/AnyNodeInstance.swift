// What a store keeps of a node.
//
//     _AnyNodeInstance        identity, gate, retention
//     └─ _NodeInstance<T>     its content as a `LoadState<T>`
//        ├─ AtomInstance          an Observable                      SyncAtomNode
//        ├─ SelectorInstance      a ThrowingComputed                 SyncSelectorNode
//        └─ AsyncInstance         a Loader                         AsyncAtomNode, AsyncSelectorNode
//
// The store owns its instances; an instance knows its store weakly. Whoever reads a node where reading subscribes reads two nodes of the
// core: the instance's *gate* and its *content*. The gate serves two ends.
//
//   - The instance holds it weakly, the edges of the readers hold it strongly. So when it is freed, the last observer has gone,
//     and what is kept only while it is observed can go, too.
//   - Writing it tells the readers that the instance itself has been replaced: released, overridden, or begun anew.
//
// Everything here is guarded by the graph's lock.

import Reactive

/// The part of what a store keeps of a node that does not depend on its type. Public for the compiler's sake; not for use.
public class _AnyNodeInstance {
    /// Why an instance is no longer in its store.
    enum Ending {
        case released, replaced
    }

    final let key: NodeKey
    /// Which instance this is, of all that the store has ever had.
    final let serial: UInt64
    /// Stands for the graph of the store.
    final let graph: GraphHandle
    final let nodeType: ObjectIdentifier
    final let isAtom: Bool
    final let retention: Retention
    final private(set) weak var store: RecoilStore?
    final private(set) var ending: Ending?
    final private weak var gate: Observable<Gate>?
    /// How many tasks wait for it from outside. Waiting is no observing, but what is waited for stays.
    final private var waiters = 0
    /// Ends the instance some time after the gate has closed.
    final private var expiry: Task<Void, Never>?
    /// What the node that it was created from is defined by. The instance keeps that node's closure.
    final let definition: _NodeDefinition
    /// Compares uses of the node with that definition, from the first that differs on.
    final var scrutiny: DefinitionScrutiny?
    /// They are no longer compared: a difference was reported, or there is nothing to go by.
    final var isDefinitionSettled = false

    init<Node: RecoilNode>(_ node: Node, isAtom: Bool, in store: RecoilStore) {
        key = node.key
        serial = store.makeSerial()
        graph = store.graph
        nodeType = ObjectIdentifier(Node.self)
        retention = node.retention
        definition = node._definition
        self.isAtom = isAtom
        self.store = store
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

    /// What the last evaluation read.
    var dependencies: [_AnyNodeInstance] { [] }

    /// Brings the content up to date, and records it as read.
    ///
    /// - Throws: What the core throws of a cycle, and nothing else.
    func follow() throws {}

    /// Whether it is loading, and its error. Brings the content up to date, and records it as read.
    func summary() throws -> (isLoading: Bool, error: (any Error)?) { (false, nil) }

    /// A number that grows whenever the content changes. Valid after `follow`.
    var version: UInt64 { 0 }

    /// A number that changes whenever the content settles on something else; `nil` while it is loading. Valid after `follow`.
    var settledStamp: UInt64? { version }

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

    /// Of this node and all that it depends on.
    final private(set) lazy var activity = ThrowingComputed<Activity>(
        named: "\(key.name), activity", equals: Activity.equality
    ) { [weak self] in
        var activity = Activity()
        guard let self else { return activity }
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

    /// Tells activities that have looked at this instance that its content is no longer the one they saw.
    final private lazy var rewired: Observable<Int> = {
        isWatchedForRewiring = true
        return Observable(0, named: "\(key.name), rewired")
    }()
    final private var isWatchedForRewiring = false

    /// Tells everybody who holds on to the content that it has been replaced.
    final func noteReplacedContent() {
        untracked {
            if isWatchedForRewiring { rewired.value += 1 }
            if let gate { gate.value = gate.value }
        }
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

    // MARK: - The gate

    /// Records, where reading subscribes, that the instance is observed.
    final func noteObserver() {
        guard graph.isTracking, ending == nil else { return }
        if let gate {
            _ = gate.value
        } else {
            let gate = Observable(Gate(self), equals: .never, named: "\(key.name), gate")
            self.gate = gate
            expiry?.cancel()
            expiry = nil
            _ = gate.value
        }
    }

    /// Whether somebody observes it.
    final var isObserved: Bool { gate != nil }

    /// What keeps it observed for as long as it is held, if somebody observes it.
    final var openGate: AnyObject? { gate }

    /// Nobody observes it: it goes now, later, or not at all, as its retention says.
    final func gateClosed() {
        guard gate == nil, ending == nil, waiters == 0 else { return }
        switch retention.kind {
        case .store: break
        case .whileObserved: store?.end(self, as: .released)
        case .ttl: expireLater()
        }
    }

    /// A task begins to wait for it.
    final func beginWait() { waiters += 1 }

    /// A task waits no more.
    final func endWait() {
        waiters -= 1
        noteUse()
    }

    /// It was used from outside: the time during which nobody must observe it begins anew.
    final func noteUse() {
        if waiters == 0, ending == nil { expireLater() }
    }

    /// Begins the time during which nobody must observe it, if there is one.
    final func expireLater() {
        guard case .ttl(let wait) = retention.kind, gate == nil else { return }
        expiry?.cancel()
        let reference = InstanceReference(self)
        expiry = Task {
            guard (try? await wait()) != nil else { return }
            reference.expire()
        }
    }

    /// Whether a purge may take it.
    final var mayBePurged: Bool {
        if case .store = retention.kind { return false }
        return gate == nil && waiters == 0
    }

    /// Marks it as gone, tells everybody, and returns what is left to do once the graph is unlocked.
    final func end(as ending: Ending) -> [() -> Void] {
        self.ending = ending
        expiry?.cancel()
        expiry = nil
        let rest = dismantle()
        noteReplacedContent()
        return rest
    }
}
