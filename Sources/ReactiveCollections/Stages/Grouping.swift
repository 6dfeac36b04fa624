// The groups of a view that callers keep.

import Reactive

/// A group of a view with a key.
@usableFromInline
@_fixed_layout
final class GroupNode<Key: Hashable>: GroupStage {
    @usableFromInline let key: Key
    @usableFromInline let hash: Int

    @inlinable
    init(_ key: Key, _ hash: Int, of grouping: Grouping<Key>, upstream: Ordering) {
        self.key = key
        self.hash = hash
        super.init(of: grouping.view, routing: grouping.keys.routing, upstream: upstream)
    }

    @usableFromInline
    override func withLinks(_ body: (inout GroupLinks, Int, UInt32) -> Void) {
        let view = unsafeDowncast(view, to: View<GroupedState<Key>>.self)
        guard let group = view.state.find(key, hash) else { return body(&view.state.links, 0, 0) }
        let record = view.state[group]
        body(&view.state.links, Int(record.count), record.head)
    }
}

/// The groups of a view that callers keep, by key. Guarded by the graph's lock. A roll-back does not restore this
/// table: a node belongs to a key, whether the view has that group or not.
@usableFromInline
@_fixed_layout
final class Grouping<Key: Hashable> {
    /// A weak reference to a node.
    // An object, since copies of a weak reference are slow.
    @usableFromInline
    @_fixed_layout
    final class Entry {
        @usableFromInline let hash: Int
        @exclusivity(unchecked) @usableFromInline weak var node: GroupNode<Key>?

        @inlinable
        init(hash: Int, node: GroupNode<Key>) {
            self.hash = hash
            self.node = node
        }
    }

    @usableFromInline let keys = ViewKeys<Key>()
    @exclusivity(unchecked) @usableFromInline final var entries: ContiguousArray<Entry> = []
    @exclusivity(unchecked) @usableFromInline final var index = RowIndex()
    /// The number of entries at which the entries of released nodes are removed.
    @exclusivity(unchecked) @usableFromInline final var limit = 16
    /// The nodes that the evaluation in progress has changed.
    @exclusivity(unchecked) @usableFromInline final var touched: ContiguousArray<GroupNode<Key>> = []

    @inlinable
    init() {}

    @inlinable
    final var view: View<GroupedState<Key>> {
        unsafeDowncast(keys.routing.view, to: View<GroupedState<Key>>.self)
    }

    /// Whether no caller keeps a group.
    @inlinable @inline(__always)
    final var isEmpty: Bool { entries.isEmpty }

    /// Returns the node of a key, if a caller keeps it.
    ///
    /// - Complexity: O(1).
    @inlinable
    final func find(_ key: Key, _ hash: Int) -> GroupNode<Key>? {
        // No test sees this never hold: a search finds nothing.
        if entries.isEmpty { return nil }
        // A copy: an `==` of the keys may read other groups.
        let (index, entries) = (index, entries)
        var found: GroupNode<Key>?
        _ = ViewKeys<Key>.comparing {
            index.find(hash: hash) {
                guard let node = entries[Int($0)].node, node.key == key else { return false }
                found = node
                // No test sees this: no other node has the key.
                return true
            }
        }
        return found
    }

    /// Returns the node of a key; creates it if there is none.
    ///
    /// - Complexity: O(1), amortised.
    @inlinable
    final func node(_ key: Key, _ hash: Int, upstream: Ordering) -> GroupNode<Key> {
        if let node = find(key, hash) { return node }
        if entries.count >= limit { removeReleased() }
        let node = GroupNode(key, hash, of: self, upstream: upstream)
        index.insert(hash: hash, row: Row(entries.count))
        entries.append(Entry(hash: hash, node: node))
        return node
    }

    @usableFromInline
    final func removeReleased() {
        entries.removeAll { $0.node == nil }
        limit = max(16, 2 * entries.count)
        index = RowIndex(minimumCapacity: entries.count)
        for (row, entry) in entries.enumerated() { index.insert(hash: entry.hash, row: Row(row)) }
    }

    // MARK: - In the view's evaluation

    /// Returns the node of a key, if a caller keeps it, for a change. The observers of the node are marked at the end.
    @inlinable @inline(__always)
    final func touch(_ key: Key, _ hash: Int) -> GroupNode<Key>? {
        // No test sees this never hold: a search finds nothing.
        isEmpty ? nil : touchExisting(key, hash)
    }

    @inlinable @inline(never)
    final func touchExisting(_ key: Key, _ hash: Int) -> GroupNode<Key>? {
        // Most groups have no entry. The hash alone shows that.
        // No test sees this always hold: a comparison of keys shows the same.
        guard index.find(hash: hash, where: { _ in true }) != nil, let node = find(key, hash) else { return nil }
        touch(node)
        return node
    }

    @inlinable @inline(__always)
    final func touch(_ node: GroupNode<Key>) {
        // No test sees this always hold: marking a node again has no effect.
        guard !node.isTouched else { return }
        // No test sees this: as above.
        node.isTouched = true
        touched.append(node)
    }

    /// Calls `body` with all nodes and marks them as changed.
    @inlinable
    final func touchAll(_ body: (GroupNode<Key>) -> Void) {
        for entry in entries {
            guard let node = entry.node else { continue }
            touch(node)
            body(node)
        }
    }

    /// Marks the observers of the nodes that have changed.
    @inlinable @inline(__always)
    final func markTouched() {
        // No test sees this always hold: without nodes, none is touched.
        if !isEmpty { markTouchedNodes() }
    }

    @inlinable @inline(never)
    final func markTouchedNodes() {
        for node in touched { node.mark() }
        // No test sees this: it only saves allocations, and marking a node again has no effect.
        touched.removeAll(keepingCapacity: true)
    }
}
