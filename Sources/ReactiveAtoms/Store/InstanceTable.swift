// The hash table with open addressing in which a store finds the instance of a node.
//
// A store looks up a node on each access, so a look-up takes a few comparisons: an entry contains the hash of its key,
// and different keys nearly always have different hashes. When an entry is removed, later entries fill the gap, so that
// a search ends at the first free entry. The table is a separate object, which the instances retain: a selector finds
// the nodes that it reads without a weak reference to the store.

import Reactive

/// The instances of a store. Everything but `graph` is guarded by the graph's lock.
///
/// It is a source of the graph, which nothing reads: code that is compiled into the user's modules takes the lock
/// through it.
@usableFromInline
final class InstanceTable: _StoredSource {
    private struct Entry {
        var hash: UInt64
        /// Retained; `nil` in a free entry.
        var instance: Unmanaged<_AnyNodeInstance>?
    }

    /// The graph of the store.
    let graph: GraphHandle
    weak var store: RecoilStore?
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private var entries = UnsafeMutableBufferPointer<Entry>.allocate(capacity: 8)
    /// Counts the changes that move entries.
    @exclusivity(unchecked) private var changes = 0
    /// The last number of an instance.
    @exclusivity(unchecked) private var numbers: UInt64 = 0
    /// Instances that have lost their last reader, until the graph is unlocked.
    @exclusivity(unchecked) private var unobserved: [_AnyNodeInstance] = []
    /// The rules of the type of values that was used last.
    @exclusivity(unchecked) private var lastRules: AnyObject?

    init(in graph: GraphHandle) {
        self.graph = graph
        super.init(isCounted: false)
        entries.initialize(repeating: Entry(hash: 0, instance: nil))
    }

    deinit {
        for entry in entries { entry.instance?.release() }
        entries.deallocate()
    }

    /// The name in messages of the core.
    public override var sourceName: String { "a store" }

    // MARK: - Finding

    private func index(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (entries.count - 1) }

    /// Returns the instance of a node, if there is one.
    ///
    /// May run the `==` of a parameter. If that changes the table, the search starts again.
    ///
    /// - Parameter key: The bits of the node's key, which the caller keeps alive.
    /// - Returns: The instance, not retained: it lives at least until the graph is unlocked.
    @usableFromInline
    func find(_ key: NodeKey.Bits) -> Unmanaged<_AnyNodeInstance>? {
        let hash = key.hash
        var index = index(of: hash)
        while let found = entries[index].instance {
            if entries[index].hash == hash {
                let before = changes
                if found._withUnsafeGuaranteedRef({ $0.has(key) }) { return found }
                if changes != before { return find(key) }
            }
            index = (index + 1) & (entries.count - 1)
        }
        return nil
    }

    /// Returns the instance of a node, if there is one. May run the `==` of a parameter.
    ///
    /// - Returns: The instance, not retained: it lives at least until the graph is unlocked.
    @inlinable @inline(__always)
    func find<Node: RecoilNode>(instanceOf node: Node) -> Unmanaged<_AnyNodeInstance>? {
        if Node._storesKey {
            // This does not copy the caller's node; it would copy a key.
            defer { withExtendedLifetime(node) {} }
            return find(node.key.bits)
        }
        let key = node.key
        defer { withExtendedLifetime(key) {} }
        return find(key.bits)
    }

    /// Returns the instance of a node, if there is one.
    func instance(for key: NodeKey) -> _AnyNodeInstance? {
        withExtendedLifetime(key) { find(key.bits)?.takeUnretainedValue() }
    }

    /// The instances, in no order. Later changes of the table do not change the array.
    var instances: [_AnyNodeInstance] { entries.compactMap { $0.instance?.takeUnretainedValue() } }

    /// The instances, in the order of creation.
    var instancesInOrder: [_AnyNodeInstance] { instances.sorted { $0.serial < $1.serial } }

    // MARK: - Changing

    /// Adds the instance of a node that has none.
    func insert(_ instance: _AnyNodeInstance) {
        if 4 * (count + 1) > 3 * entries.count { resize(to: 2 * entries.count) }
        put(Entry(hash: instance.key.hash, instance: .passRetained(instance)))
        count += 1
        changes += 1
    }

    /// Stores an entry at the first free index from that of its hash on.
    private func put(_ entry: Entry) {
        var index = index(of: entry.hash)
        while entries[index].instance != nil { index = (index + 1) & (entries.count - 1) }
        entries[index] = entry
    }

    private func resize(to capacity: Int) {
        let old = entries
        entries = .allocate(capacity: capacity)
        entries.initialize(repeating: Entry(hash: 0, instance: nil))
        for entry in old where entry.instance != nil { put(entry) }
        old.deallocate()
    }

    /// Removes an instance, and releases it when the graph is unlocked. Returns whether it was in the table.
    func remove(_ instance: _AnyNodeInstance) -> Bool {
        var index = index(of: instance.key.hash)
        while entries[index].instance?.toOpaque() != Unmanaged.passUnretained(instance).toOpaque() {
            if entries[index].instance == nil { return false }
            index = (index + 1) & (entries.count - 1)
        }
        // Later entries move to the gap if the search for them begins at the gap or before it.
        var hole = index
        while true {
            index = (index + 1) & (entries.count - 1)
            guard entries[index].instance != nil else { break }
            let distance = (index - self.index(of: entries[index].hash)) & (entries.count - 1)
            guard distance >= (index - hole) & (entries.count - 1) else { continue }
            entries[hole] = entries[index]
            hole = index
        }
        entries[hole].instance = nil
        count -= 1
        changes += 1
        instance.releaseReferenceLater()
        return true
    }

    /// Removes all instances, for good.
    func close() -> [_AnyNodeInstance] {
        let all = instances
        for entry in entries { entry.instance?.release() }
        entries.update(repeating: Entry(hash: 0, instance: nil))
        count = 0
        changes += 1
        return all
    }

    // MARK: - Numbers

    /// Returns a number that no instance of the store has had.
    func makeNumber() -> UInt64 {
        numbers += 1
        return numbers
    }

    // MARK: - Rules

    /// Returns the rules of a type of values.
    @inlinable
    func rules<T>(for type: T.Type) -> ValueRules<T> {
        if let rules = cachedRules(ObjectIdentifier(ValueRules<T>.self)) {
            return unsafeDowncast(rules, to: ValueRules<T>.self)
        }
        let rules = ValueRules<T>()
        cache(rules)
        return rules
    }

    @usableFromInline
    func cachedRules(_ type: ObjectIdentifier) -> AnyObject? {
        if let lastRules, ObjectIdentifier(Swift.type(of: lastRules)) == type { return lastRules }
        let rules = allRules.withLock { $0[type] }
        if let rules { lastRules = rules }
        return rules
    }

    @usableFromInline
    func cache(_ rules: AnyObject) {
        allRules.withLock { $0[ObjectIdentifier(Swift.type(of: rules))] = rules }
        lastRules = rules
    }

    // MARK: - Instances without readers

    /// Records that an instance has lost its last reader: checks it when the graph is unlocked.
    func noteUnobserved(_ instance: _AnyNodeInstance) {
        if instance.isLeaving { return }
        instance.isLeaving = true
        unobserved.append(instance)
        guard unobserved.count == 1 else { return }
        // The last edge may be removed in the middle of another operation, and reactions to it may read the node again.
        release(objectLater: UnobservedCheck(self))
    }

    /// Ends the instances that still have no readers, as one change.
    fileprivate func endUnobserved() {
        let batch = unobserved
        unobserved = []
        // The batch keeps them alive; retaining each again would take as long as most of the other work.
        for index in batch.indices {
            Unmanaged.passUnretained(batch[index])._withUnsafeGuaranteedRef { $0.isLeaving = false }
        }
        guard let store else { return }
        graph.inTransaction {
            for index in batch.indices {
                Unmanaged.passUnretained(batch[index])._withUnsafeGuaranteedRef { $0.readersWent(in: store) }
            }
        }
        withExtendedLifetime(batch) {}
    }
}

/// Checks the instances without readers when it is released: after the operation and its reactions.
private final class UnobservedCheck {
    private let table: InstanceTable

    init(_ table: InstanceTable) { self.table = table }

    deinit {
        let table = table
        table.graph.lockWhenFree { table.endUnobserved() }
    }
}

/// The rules of all types of values that stores have used: finding a rule takes longer than creating an instance.
private let allRules = Guarded<[ObjectIdentifier: AnyObject]>([:])
