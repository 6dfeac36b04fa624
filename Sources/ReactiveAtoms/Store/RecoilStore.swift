// The store: an instance of each node that it has used. Reading and writing are in the files beside this one.

import Reactive

/// A container of the values of nodes.
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
/// - Reading in an `autorun`, a `computed` or a render subscribes, as reading an observable does. The writes of one
///   `transaction` are one change.
/// - A store may be used from any thread, with the guarantees of the core: transactions are serialisable, and no
///   tracked run or transaction sees half of another's writes.
/// - A store belongs to the graph that it was created in. So does everything that it creates later and elsewhere.
///   Stores in several `IndependentGraph`s work in parallel.
/// - When the store ends, its runs are cancelled and the clean-ups of its effects run. Code that still reads its nodes
///   then gets a `CancellationError`.
public final class RecoilStore: @unchecked Sendable {
    // Sendable because everything is guarded by the graph's lock.

    /// The shared store of the process. Scopes use it by default.
    public static let shared = RecoilStore(in: .default)

    /// The instances of the nodes.
    @usableFromInline let table: InstanceTable
    @exclusivity(unchecked) var nodeOverrides: [NodeKey: Any] = [:]
    @exclusivity(unchecked) var typeOverrides: [ObjectIdentifier: Any] = [:]
    /// Whether it runs no effects: the private store of a snapshot.
    var isPassive = false
    /// The instances of nodes that stored properties have created.
    @exclusivity(unchecked) private var nodesOfLifetimes = LifetimeLists()
    /// The number of nodes of owners, and the number at which to look for owners that have been released.
    private var ownedNodes = (count: 0, limit: 32)
    /// Whether it is being initialised: values set by effects stay, and effects follow only later writes.
    @exclusivity(unchecked) @usableFromInline private(set) var isInitializing = false

    /// The graph of the store and everything that it keeps. Objects that threads and tasks create for the store are
    /// created in this graph.
    var graph: GraphHandle { table.graph }

    /// Creates an empty store. The store and everything that it will ever keep belong to the thread's current graph
    /// (see `IndependentGraph`).
    public convenience init() { self.init(in: .current) }

    private init(in graph: GraphHandle) {
        table = graph.run { InstanceTable(in: graph) }
        table.store = self
    }

    /// Creates an empty store that belongs to the same graph as another.
    package convenience init(beside store: RecoilStore) { self.init(in: store.graph) }

    /// Creates a store and sets some nodes before anything reads them.
    ///
    /// Effects win: an atom that its effects have set, such as a persisted atom, keeps that value. `onSet` is not
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

    /// Runs an effect of an atom. Its writes are ordinary writes, even while the store is being initialised.
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
            // All of them first, so that none retains another when the first is freed.
            let rest = instances.flatMap { $0.end(as: .released) }
            // Clean-ups may read the last value.
            graph.whenFree { withExtendedLifetime(instances) { for action in rest { action() } } }
        }
    }

    /// The number of nodes that it has instances of.
    package var instanceCount: Int { graph.withLock { table.count } }

    // MARK: - Instances

    /// Returns the instance of a node, created on first use. Under the lock.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - trigger: The kind of the first use.
    @inlinable @inline(__always)
    func instance<Node: RecoilNode>(
        for node: Node, trigger: AtomEffectTrigger = .get
    ) -> _NodeInstance<Node.T> {
        guard let existing = table.find(instanceOf: node) else { return makeInstance(for: node, trigger) }
        return existing._withUnsafeGuaranteedRef { $0.instance(for: node) }
    }

    /// Creates the instance of a node. Under the lock.
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

    /// Adds a new instance, before any user code runs for it.
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

    /// Releases the nodes that a stored property has created. Under the lock.
    func releaseNodes(of lifetime: UInt64) {
        for instance in nodesOfLifetimes.instances(of: lifetime) { end(instance, as: .released) }
    }

    /// Counts a node of an owner. Each time the number has doubled, nodes without observers whose owners have been
    /// released are released. Under the lock.
    private func noteOwnedNode() {
        ownedNodes.count += 1
        guard ownedNodes.count > ownedNodes.limit else { return }
        ownedNodes.limit = .max
        // The node may have been created during an evaluation.
        graph.whenFree { [weak self] in self?.graph.withLock { self?.releaseOrphans() } }
    }

    private func releaseOrphans() {
        let owned = table.instances.compactMap { instance in instance.key.owner.map { (instance, $0) } }
        let orphans = owned.filter { $0.1.owner == nil }
        ownedNodes.count = owned.count - orphans.count
        ownedNodes.limit = max(32, 2 * ownedNodes.count)
        for (instance, _) in orphans where !instance.isObserved { end(instance, as: .released) }
    }

    /// Removes an instance, and notifies its observers. Under the lock.
    func end(_ instance: _AnyNodeInstance, as ending: _AnyNodeInstance.Ending) {
        guard table.remove(instance) else { return }
        if instance.key.origin.number != 0 { nodesOfLifetimes.remove(instance) }
        let rest = instance.end(as: ending)
        // A transaction that fails rolls back the notification of the observers, but not the end.
        let mayRollBack = graph.mayRollBack
        guard mayRollBack || !rest.isEmpty else { return }
        graph.whenFree {
            if mayRollBack {
                instance.graph.withLock {
                    instance.loader?.repeatEnd()
                    instance.noteReplacedContent()
                }
            }
            // Clean-ups may read the last value.
            withExtendedLifetime(instance) { for action in rest { action() } }
        }
    }

    // MARK: - Finishing

    /// Finishes the pending work of effects. When it returns,
    /// ``AtomEffect/persist(to:encoder:decoder:schedule:isolation:onError:)`` has saved everything. Call it at the end
    /// of a program, which does not wait for pending saves.
    ///
    /// - Throws: The first error, after all effects have been tried. In a transaction or a tracked closure, it saves
    ///   nothing and throws.
    public func flush() throws {
        let flushes = graph.withLock { table.instancesInOrder.flatMap(\.flushes) }
        var first: (any Error)?
        for flush in flushes {
            do { try flush() } catch { first = first ?? error }
        }
        if let first { throw first }
    }

    // MARK: - Letting go

    /// Releases a node: its value, its run, its effects. Observers then find the node as on first use.
    ///
    /// A transaction that fails does not roll it back.
    ///
    /// - Parameter node: The node.
    public func release<Node: RecoilNode>(_ node: Node) {
        graph.withLock {
            if let instance = table.instance(for: node.key) { end(instance, as: .released) }
        }
    }

    /// Releases all nodes without observers, except those that are kept as long as the store.
    ///
    /// A transaction that fails does not roll it back.
    public func purge() {
        graph.inTransaction {
            for instance in table.instances where instance.mayBePurged { end(instance, as: .released) }
        }
    }
}
