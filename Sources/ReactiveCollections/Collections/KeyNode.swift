// The nodes of the keys of a collection that are observed.
//
// A key that an observer has read has a node, whether or not the collection contains the key. The node exists as long
// as it has edges. When the last edge is removed, the node is removed from the table under the graph's lock, and
// released after the lock is. So a collection without observed keys has no nodes, and pays one test for each write.
//
//     edge of an observer ──▶ node of the key ──▶ the collection
//                               ▲
//     the collection's table ───┘ (unretained)
//
// The table does not retain a node. Its edges do; before the first edge exists, the code that creates the node does.

import Reactive

/// The node of one key. Subclasses know the collection, and compare and release the state that they have logged.
@usableFromInline
@_fixed_layout
class KeyNode<Key: Hashable>: _StoredSource {
    @usableFromInline final let key: Key
    /// The hash of the key, by which the table finds the node.
    @usableFromInline final let hash: Int
    /// The number of the node in its table. Guarded by the graph's lock.
    @exclusivity(unchecked) @usableFromInline final var number: Row = 0

    /// Creates the node of a key. It has the graph and the name of the collection.
    @inlinable
    init(_ key: Key, hash: Int, beside collection: _Node) {
        self.key = key
        self.hash = hash
        super.init(beside: collection, isCounted: true)
    }
}

/// The nodes of a collection's keys, by key. Guarded by the graph's lock. A roll-back does not restore them.
@frozen @usableFromInline
struct KeyNodes<Key: Hashable> {
    /// An index from keys to the numbers of their nodes; `nil` if there are no nodes.
    @usableFromInline var index: RowIndex?
    @usableFromInline var nodes: ContiguousArray<Unmanaged<KeyNode<Key>>?> = []
    @usableFromInline var numbers = RowNumbers()
    @usableFromInline var count = 0
    /// The number of insertions and removals of nodes so far.
    @usableFromInline var version = 0

    @inlinable
    init() {}

    /// Whether no key has a node.
    @inlinable @inline(__always)
    var isEmpty: Bool { count == 0 }

    /// Returns the node of a key, if it has one. Calls `==` of the keys.
    ///
    /// - Complexity: O(1).
    @inlinable
    func find(_ key: Key, hash: Int) -> KeyNode<Key>? {
        guard let index else { return nil }
        let number = index.find(hash: hash) { number in
            nodes[Int(number)].unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.key == key }
        }
        guard let number else { return nil }
        return nodes[Int(number)].unsafelyUnwrapped.takeUnretainedValue()
    }

    /// Inserts a node whose key has none. The caller keeps the node alive until it has an edge.
    ///
    /// - Complexity: O(1), amortised.
    @inlinable
    mutating func insert(_ node: KeyNode<Key>) {
        let number = numbers.take()
        node.number = number
        if Int(number) == nodes.count { nodes.append(nil) }
        nodes[Int(number)] = Unmanaged.passUnretained(node)
        if index == nil { index = RowIndex() }
        index!.insert(hash: node.hash, row: number)
        count += 1
        version += 1
    }

    /// Removes a node that has lost its last edge. Runs no user code.
    ///
    /// - Complexity: O(1), amortised.
    @inlinable
    mutating func remove(_ node: KeyNode<Key>) {
        index!.remove(hash: node.hash, row: node.number)
        nodes[Int(node.number)] = nil
        numbers.release(node.number)
        count -= 1
        if count == 0 { (index, nodes) = (nil, []) }
        version += 1
    }

    /// Calls `body` with each node. `body` must not insert or remove nodes.
    ///
    /// - Complexity: O(N) in the highest number of nodes since the table was last empty.
    @inlinable
    func forEach(_ body: (KeyNode<Key>) -> Void) {
        for node in nodes { node?._withUnsafeGuaranteedRef(body) }
    }
}
