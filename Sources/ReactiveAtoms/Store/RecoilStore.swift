// The store: what there is of each node. Reading and writing are in the files beside this one.

import Reactive

/// Holds the values of nodes.
///
/// ```swift
/// let count = atom(1)
/// let double = selector { accessor in try accessor.get(count) * 2 }
/// let store = RecoilStore()
/// let shown = autorun { print(store.getOrNil(double) ?? 0) }  // prints "2"
/// store.set(count, 4)                                         // prints "8"
/// ```
///
/// - Two stores share nothing.
/// - Reading in an `autorun`, a `computed` or a render subscribes, as reading an observable does. What is written in `transaction` is one
///   change.
/// - May be used from any thread, with the guarantees of the core: transactions are serialisable, and no tracked run or transaction sees half of
///   another's writes.
/// - It belongs to the graph that it was made in, also what it makes of nodes later and elsewhere. Stores in several `IndependentGraph`s work
///   side by side.
/// - When the store ends, runs are cancelled and effects cleaned up. What still reads its nodes then gets a `CancellationError`.
public final class RecoilStore: @unchecked Sendable {
    // Sendable because everything is guarded by the graph's lock.

    /// The store of the process: the one that scopes use unless told otherwise.
    public static let shared = RecoilStore(in: .default)

    /// What there is of each node.
    @usableFromInline let table: InstanceTable
    @exclusivity(unchecked) var nodeOverrides: [NodeKey: Any] = [:]
    @exclusivity(unchecked) var typeOverrides: [ObjectIdentifier: Any] = [:]
    /// Runs no effects: the private store of a snapshot.
    var isPassive = false
    /// What the stored properties of instances have created.
    @exclusivity(unchecked) private var nodesOfLifetimes = LifetimeLists()
    /// How many nodes of owners make it worth a look for those whose owner is gone.
    private var ownedNodes = (count: 0, limit: 32)
    /// It is being initialised: what effects have set stays, and they follow later what is set.
    @exclusivity(unchecked) @usableFromInline private(set) var isInitializing = false

    /// The graph that the store and all that it keeps belong to. What is instantiated, by any thread and in tasks, goes
    /// through it.
    var graph: GraphHandle { table.graph }

    /// Creates an empty store. It belongs to the graph that is the thread's own (see `IndependentGraph`), with all that it will ever keep.
    public convenience init() { self.init(in: .current) }

    private init(in graph: GraphHandle) {
        table = graph.run { InstanceTable(in: graph) }
        table.store = self
    }

    /// Creates an empty store that belongs to the same graph as another.
    package convenience init(beside store: RecoilStore) { self.init(in: store.graph) }

    /// Creates a store and sets some nodes before anybody reads them.
    ///
    /// Effects win: an atom that its effects have set, one that is persisted say, keeps that value. `onSet` is not
    /// called, and nothing is saved.
    ///
    /// - Parameter initializeState: Sets nodes, in one transaction.
    public convenience init(initializeState: (StateAccessor) -> Void) {
        self.init()
        graph.inTransaction {
            isInitializing = true
            initializeState(StateAccessor(self))
            isInitializing = false
            for instance in table.instancesInOrder { instance.followEffects() }
        }
    }

    /// Runs an effect of an atom, which writes as at any other time, also while the store is being initialised.
    func runningEffect<R>(_ body: () -> R) -> R {
        let wasInitializing = isInitializing
        isInitializing = false
        defer { isInitializing = wasInitializing }
        return body()
    }

    deinit {
        let (graph, table) = (graph, table)
        graph.lockWhenFree {
            let instances = table.close()
            // All of them first, so that none holds another when the first is freed.
            let rest = instances.flatMap { $0.end(as: .released) }
            // What cleans up may look at the last value.
            graph.whenFree { withExtendedLifetime(instances) { for action in rest { action() } } }
        }
    }

    /// How many nodes it holds something of.
    package var instanceCount: Int { graph.withLock { table.count } }

    // MARK: - Instances

    /// What it keeps of a node, created on first use. Under the lock.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - trigger: What the first use is.
    @inlinable @inline(__always)
    func instance<Node: RecoilNode>(
        for node: Node, trigger: AtomEffectTrigger = .get
    ) -> _NodeInstance<Node.T> {
        guard let existing = table.find(instanceOf: node) else { return makeInstance(for: node, trigger) }
        return existing._withUnsafeGuaranteedRef { $0.instance(for: node) }
    }

    /// Creates what it keeps of a node. Under the lock.
    @inlinable @inline(never)
    func makeInstance<Node: RecoilNode>(for node: Node, _ trigger: AtomEffectTrigger) -> _NodeInstance<Node.T> {
        let instance = node._makeInstance(in: self, for: trigger)
        if instance.key.origin.number != 0, let lifetime = node.key.origin.lifetime { add(instance, of: lifetime) }
        noteCreation(of: instance)
        return instance
    }

    @usableFromInline
    func noteCreation(of instance: _AnyNodeInstance) {
        if !instance.isTracked { instance.expireLater() }
    }

    /// Takes in a new instance, before anything of the user's runs for it.
    @usableFromInline
    func adopt(_ instance: _AnyNodeInstance) {
        table.insert(instance)
        if instance.key.owner != nil { noteOwnedNode() }
    }

    // MARK: - Nodes of instances and owners

    @usableFromInline
    func add(_ instance: _AnyNodeInstance, of lifetime: NodeLifetime) {
        // An effect may have released it already.
        guard instance.ending == nil else { return }
        if nodesOfLifetimes.insert(instance, of: lifetime.number) { lifetime.add(self) }
    }

    /// Releases what a stored property has created. Under the lock.
    func releaseNodes(of lifetime: UInt64) {
        for instance in nodesOfLifetimes.instances(of: lifetime) { end(instance, as: .released) }
    }

    /// Counts a node of an owner. Each time that their number has doubled, those whose owners are gone are released.
    /// Under the lock.
    private func noteOwnedNode() {
        ownedNodes.count += 1
        guard ownedNodes.count > ownedNodes.limit else { return }
        ownedNodes.limit = .max
        // The node may be created in the middle of an evaluation.
        graph.whenFree { [weak self] in self?.graph.withLock { self?.releaseOrphans() } }
    }

    private func releaseOrphans() {
        let owned = table.instances.compactMap { instance in instance.key.owner.map { (instance, $0) } }
        let orphans = owned.filter { $0.1.owner == nil }
        ownedNodes.count = owned.count - orphans.count
        ownedNodes.limit = max(32, 2 * ownedNodes.count)
        for (instance, _) in orphans where !instance.isObserved { end(instance, as: .released) }
    }

    /// Takes an instance out, and tells its observers. Under the lock.
    func end(_ instance: _AnyNodeInstance, as ending: _AnyNodeInstance.Ending) {
        guard table.remove(instance) else { return }
        if instance.key.origin.number != 0 { nodesOfLifetimes.remove(instance) }
        let rest = instance.hasPlainEnd ? instance.end(as: ending) : graph.inTransaction { instance.end(as: ending) }
        // A transaction that fails takes back that the observers were told, but not the end.
        let mayRollBack = graph.mayRollBack
        guard mayRollBack || !rest.isEmpty else { return }
        graph.whenFree {
            if mayRollBack { instance.graph.withLock { instance.noteReplacedContent() } }
            // What cleans up may look at the last value.
            withExtendedLifetime(instance) { for action in rest { action() } }
        }
    }

    // MARK: - Finishing

    /// Finishes what effects have begun: what ``AtomEffect/persist(to:encoder:decoder:schedule:isolation:onError:)``
    /// has not saved yet is on the disk when this returns. For the end of a program, which does not wait for it.
    ///
    /// - Throws: The first error, after all have been tried. In a transaction or a tracked closure nothing is saved, and that is the error.
    public func flush() throws {
        let flushes = graph.withLock { table.instancesInOrder.flatMap(\.flushes) }
        var first: (any Error)?
        for flush in flushes {
            do { try flush() } catch { first = first ?? error }
        }
        if let first { throw first }
    }

    // MARK: - Letting go

    /// Lets go of a node: its value, its run, its effects. Who observes it finds it as it is on first use.
    ///
    /// Not taken back when a transaction fails.
    ///
    /// - Parameter node: The node.
    public func release<Node: RecoilNode>(_ node: Node) {
        graph.withLock {
            if let instance = table.instance(for: node.key) { end(instance, as: .released) }
        }
    }

    /// Lets go of all nodes that nobody observes and that need not be kept as long as the store.
    ///
    /// Not taken back when a transaction fails.
    public func purge() {
        graph.inTransaction {
            for instance in table.instances where instance.mayBePurged { end(instance, as: .released) }
        }
    }
}
