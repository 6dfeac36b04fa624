// The values of a store at one time, to read and to restore.

import Reactive

/// The value of an atom in a snapshot.
struct CapturedAtom {
    let key: NodeKey
    /// Restores the value of the atom in a store. Under the lock, in a transaction.
    let restore: (RecoilStore) -> Void
}

/// The values of a store at one time. Immutable.
///
/// ```swift
/// let before = store.snapshot()
/// store.set(count, 5)
/// store.restore(before)  // `count` is what it was
/// ```
///
/// A snapshot contains the values of atoms. The value of a selector is computed from them on demand.
public final class RecoilSnapshot: @unchecked Sendable {
    // Sendable because it is immutable except for `scratch`, which is guarded by the graph's lock.

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
    /// A private store, which evaluates selectors.
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

    /// Returns the value that a node had.
    ///
    /// - Throws: The error of the node.
    public func value<Node: RecoilSyncNode>(_ node: Node) throws -> Node.T { try store.value(node) }

    /// Returns the value that an asynchronous node had, or `nil` if there was none. Derived values are loaded again.
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
    /// Returns the current values.
    ///
    /// - Returns: A snapshot, which later changes do not affect.
    /// - Complexity: O(number of nodes that the store has instances of); values are shared, not copied.
    public func snapshot() -> RecoilSnapshot {
        graph.withUntrackedLock { RecoilSnapshot(of: self) }
    }

    /// Restores the values of a snapshot, as one change.
    ///
    /// Atoms that were first used after the snapshot and have been set are reset to their defaults. Only observers of
    /// different values are notified. Effects do not run again, and their `onSet` is not called.
    ///
    /// - Parameter snapshot: A snapshot of this store or of a different one.
    public func restore(_ snapshot: RecoilSnapshot) {
        graph.inTransaction {
            for atom in snapshot.atoms.values { atom.restore(self) }
            for instance in table.instances where instance.isAtom && snapshot.atoms[instance.key] == nil {
                instance.restoreDefault()
            }
        }
    }
}
