// The values of a store at a time, to look at and to go back to.

import Reactive

/// The value of an atom in a snapshot.
struct CapturedAtom {
    let key: NodeKey
    let isAsynchronous: Bool
    /// Gives the atom its value in a store. Under the lock, in a transaction.
    let restore: (RecoilStore) -> Void
}

/// The values of a store at a time. Immutable.
///
/// ```swift
/// let before = store.snapshot()
/// store.set(count, 5)
/// store.restore(before)  // `count` is what it was
/// ```
///
/// It holds the values of atoms; what a selector was is computed from them again when it is asked for.
public final class RecoilSnapshot: @unchecked Sendable {
    // Sendable because it is immutable but for `scratch`, which is guarded by the graph's lock.

    /// A node in the graph of the store.
    struct Node {
        let key: NodeKey
        let isAtom: Bool
        let sources: Set<NodeKey>
    }

    let atoms: [NodeKey: CapturedAtom]
    let nodes: [Node]
    private let nodeOverrides: [NodeKey: Any]
    private let typeOverrides: [ObjectIdentifier: Any]
    private let graph: GraphHandle
    /// A store of its own, for evaluating selectors.
    private var scratch: RecoilStore?

    init(of store: RecoilStore) {
        var atoms: [NodeKey: CapturedAtom] = [:]
        var nodes: [Node] = []
        for instance in store.table.instances {
            let key = instance.key
            nodes.append(Node(key: key, isAtom: instance.isAtom, sources: Set(instance.dependencies.map(\.key))))
            if let atom = instance.capture() { atoms[key] = atom }
        }
        self.atoms = atoms
        self.nodes = nodes
        nodeOverrides = store.nodeOverrides
        typeOverrides = store.typeOverrides
        graph = store.graph
    }

    /// The value that a node had.
    ///
    /// - Throws: What the node throws.
    public func value<Node: RecoilSyncNode>(_ node: Node) throws -> Node.T { try store.value(node) }

    /// The value that a node that takes its time had, or `nil` if there was none. What is derived is loaded again.
    public func value<Node: RecoilAsyncNode>(_ node: Node) -> Node.T? { store.value(node) }

    private var store: RecoilStore {
        graph.withLock {
            if let scratch { return scratch }
            let store = RecoilStore()
            store.nodeOverrides = nodeOverrides
            store.typeOverrides = typeOverrides
            store.isPassive = true
            store.restore(self)
            scratch = store
            return store
        }
    }
}

extension RecoilStore {
    /// The values as they are now.
    ///
    /// - Returns: A snapshot, which later changes do not reach.
    /// - Complexity: O(number of nodes that the store holds something of); values are shared, not copied.
    public func snapshot() -> RecoilSnapshot {
        graph.withUntrackedLock { RecoilSnapshot(of: self) }
    }

    /// Goes back to the values of a snapshot, as one change.
    ///
    /// Atoms that have been set since they were first used after the snapshot get their defaults back. Only what differs is notified. Effects do not run: neither
    /// again, nor their `onSet`.
    ///
    /// - Parameter snapshot: The snapshot, of this store or of another.
    public func restore(_ snapshot: RecoilSnapshot) {
        graph.inTransaction {
            for atom in snapshot.atoms.values { atom.restore(self) }
            for instance in table.instances where instance.isAtom && snapshot.atoms[instance.key] == nil {
                instance.restoreDefault()
            }
        }
    }
}
