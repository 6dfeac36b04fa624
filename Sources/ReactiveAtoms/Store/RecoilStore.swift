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
    public static let shared = RecoilStore(in: Hosting.inDefaultGraph { Place() })

    private(set) var instances: [NodeKey: _AnyNodeInstance] = [:]
    var nodeOverrides: [NodeKey: Any] = [:]
    var typeOverrides: [ObjectIdentifier: Any] = [:]
    /// Runs no effects: the private store of a snapshot.
    var isPassive = false
    private var serials: UInt64 = 0

    /// Stands for the graph that the store and all that it keeps belong to.
    let place: Place

    /// Creates an empty store. It belongs to the graph that is the thread's own (see `IndependentGraph`), with all that it will ever keep.
    public init() { place = Place() }

    private init(in place: Place) { self.place = place }

    /// Creates an empty store that belongs to the same graph as another.
    package convenience init(beside store: RecoilStore) { self.init(in: store.place) }

    /// Creates a store and sets some nodes before anybody reads them.
    ///
    /// - Parameter initializeState: Sets nodes, in one transaction.
    public convenience init(initializeState: (StateAccessor) -> Void) {
        self.init()
        transaction { initializeState(StateAccessor(self)) }
    }

    deinit {
        let instances = Array(instances.values)
        place.holdingItsGraphOnceFree {
            // All of them first, so that their lists are empty before the first is freed.
            let rest = instances.flatMap { $0.end(as: .released) }
            // What cleans up may look at the last value.
            Hosting.whenUnlocked { withExtendedLifetime(instances) { for action in rest { action() } } }
        }
    }

    /// How many nodes it holds something of.
    package var instanceCount: Int { holdingGraph { instances.count } }

    // MARK: - Its graph

    /// Runs `body` with the store's graph locked, tracked as the caller is.
    func holdingGraph<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R { try place.holdingItsGraph(body) }

    /// Runs `body` with the store's graph locked and untracked.
    func withGraphLocked<R>(_ body: () -> R) -> R { place.holdingItsGraph { untracked(body) } }

    /// Runs `body` as one change of the store's graph.
    func inTransaction<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        try place.holdingItsGraph { () throws(E) in try Reactive.inTransaction(body) }
    }

    /// Numbers instances. Under the lock.
    func makeSerial() -> UInt64 {
        serials += 1
        return serials
    }

    // MARK: - Instances

    /// What it keeps of a node, made on first use. Under the lock.
    func instance<Node: RecoilNode>(for node: Node) -> _NodeInstance<Node.T> {
        let key = node.key
        if let existing = instances[key] {
            // The type is part of the key.
            return unsafeDowncast(existing, to: _NodeInstance<Node.T>.self)
        }
        let instance = node._makeInstance(in: self)
        instances[key] = instance
        instance.prepare()
        if !CurrentThread.isTracking { instance.expireLater() }
        return instance
    }

    /// Takes an instance out, and tells its observers. Under the lock.
    func end(_ instance: _AnyNodeInstance, as ending: _AnyNodeInstance.Ending) {
        guard instances[instance.key] === instance else { return }
        instances[instance.key] = nil
        // A transaction that fails takes back that its observers were told, but not the end.
        let announcement = CurrentThread.mayRollBack ? Observable(false, named: "\(instance.key.name), end") : nil
        let rest = inTransaction {
            announcement?.value = true
            return instance.end(as: ending)
        }
        Hosting.whenUnlocked {
            if let announcement, untracked({ !announcement.value }) {
                instance.place.inItsTransaction { instance.noteReplacedContent() }
            }
            // What cleans up may look at the last value.
            withExtendedLifetime(instance) { for action in rest { action() } }
        }
    }

    // MARK: - Finishing

    /// Finishes what effects have begun: what ``AtomEffect/persist(to:encoder:decoder:schedule:onError:)`` has not saved yet is on the disk when
    /// this returns. For the end of a program, which does not wait for it.
    ///
    /// - Throws: The first error, after all have been tried. In a transaction or a tracked closure nothing is saved, and that is the error.
    public func flush() throws {
        let flushes = holdingGraph { instances.values.sorted { $0.serial < $1.serial }.flatMap(\.flushes) }
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
        holdingGraph {
            if let instance = instances[node.key] { end(instance, as: .released) }
        }
    }

    /// Lets go of all nodes that nobody observes and that need not be kept as long as the store.
    ///
    /// Not taken back when a transaction fails.
    public func purge() {
        inTransaction {
            for instance in instances.values where instance.mayBePurged { end(instance, as: .released) }
        }
    }
}
