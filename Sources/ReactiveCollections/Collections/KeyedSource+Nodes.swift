// The additional nodes of a dictionary or set: for its keys, its count and its membership.

import Reactive

/// The node of a key of a dictionary or a set.
@usableFromInline
@_fixed_layout
final class EntryNode<Key: Hashable, Value>: KeyNode<Key> {
    @usableFromInline let collection: _KeyedSource<Key, Value>

    @inlinable
    init(_ key: Key, hash: Int, of collection: _KeyedSource<Key, Value>) {
        self.collection = collection
        super.init(key, hash: hash, beside: collection)
    }

    /// Keeps the value of the key for the transaction log. Called under the lock, before the change.
    @inlinable @inline(__always)
    func keep(_ value: @autoclosure () -> Value?) {
        if needsLogEntry() { log(value()) }
    }

    // The collection restores the value.
    @usableFromInline
    override func exchangeState(withLogged value: UnsafeMutableRawPointer) {}

    @usableFromInline
    override func equalsState(logged value: UnsafeMutableRawPointer) -> Bool {
        let logged = value.assumingMemoryBound(to: Value?.self).pointee
        let collection = collection
        guard let row = collection.find(key, hash) else { return logged == nil }
        guard let logged else { return false }
        return collection.isUnchanged(row, logged)
    }

    @usableFromInline
    override func discardState(logged value: UnsafeMutableRawPointer) {
        release(later: value.assumingMemoryBound(to: Value?.self).move())
    }

    @usableFromInline
    override func lastEdgeWasRemoved() { collection.keyNodes.remove(self) }

    #if DEBUG
    override var storingNode: _Node? { collection }
    #endif
}

/// The node of the count or the membership of a dictionary or a set.
@usableFromInline
@_fixed_layout
final class AspectNode<Key: Hashable, Value>: _StoredSource {
    @usableFromInline typealias Table = KeyedTable<Key, Value>
    @usableFromInline enum Aspect { case count, membership }

    @usableFromInline let aspect: Aspect
    @usableFromInline let collection: _KeyedSource<Key, Value>

    @inlinable
    init(_ aspect: Aspect, of collection: _KeyedSource<Key, Value>) {
        self.aspect = aspect
        self.collection = collection
        super.init(beside: collection, isCounted: true)
    }

    /// Keeps the keys for the transaction log. Called under the lock, before the change.
    @inlinable
    func keep() {
        if needsLogEntry() { log(collection.table) }
    }

    // The collection restores the keys.
    @usableFromInline
    override func exchangeState(withLogged table: UnsafeMutableRawPointer) {}

    @usableFromInline
    override func equalsState(logged table: UnsafeMutableRawPointer) -> Bool {
        let logged = table.assumingMemoryBound(to: Table.self).pointee
        let collection = collection
        switch aspect {
        case .count: return collection.table.count == logged.count
        case .membership: return collection.lookingUp { collection.hasSameKeys(collection.table, logged) }
        }
    }

    @usableFromInline
    override func discardState(logged table: UnsafeMutableRawPointer) {
        release(later: table.assumingMemoryBound(to: Table.self).move())
    }

    @usableFromInline
    override func lastEdgeWasRemoved() {
        switch aspect {
        case .count: collection.countNode = nil
        case .membership: collection.membershipNode = nil
        }
    }

    #if DEBUG
    override var storingNode: _Node? { collection }
    #endif
}

extension _KeyedSource {
    // MARK: - Reading

    /// Records a read of a key: whether the collection has it, and its value. Called under the lock.
    @inlinable @inline(__always)
    final func noteRead(of key: Key, _ hash: Int) {
        checkRead()
        if isTracked { noteTrackedRead(of: key, hash) }
    }

    @inlinable @inline(never)
    final func noteTrackedRead(of key: Key, _ hash: Int) {
        if let node = keyNode(key, hash) { return node.noteRead() }
        let node = EntryNode(key, hash: hash, of: self)
        keyNodes.insert(node)
        // From here on, an edge keeps the node alive.
        node.noteRead()
    }

    /// Records a read of the number of keys. Called under the lock.
    @inlinable @inline(__always)
    final func noteReadOfCount() {
        checkRead()
        if isTracked { noteTrackedReadOfCount() }
    }

    @inlinable @inline(never)
    final func noteTrackedReadOfCount() {
        if let countNode { return countNode.takeUnretainedValue().noteRead() }
        let node = AspectNode(.count, of: self)
        countNode = .passUnretained(node)
        node.noteRead()
    }

    /// Records a read of the set of keys. Called under the lock.
    @inlinable @inline(__always)
    final func noteReadOfMembership() {
        checkRead()
        if isTracked { noteTrackedReadOfMembership() }
    }

    @inlinable @inline(never)
    final func noteTrackedReadOfMembership() {
        if let membershipNode { return membershipNode.takeUnretainedValue().noteRead() }
        let node = AspectNode(.membership, of: self)
        membershipNode = .passUnretained(node)
        node.noteRead()
    }

    /// Records a read of the whole collection. Called under the lock.
    @inlinable @inline(__always)
    final func noteReadOfAll() { noteRead() }

    // MARK: - Finding

    /// Returns the node of a key, if it has one. Called under the lock.
    @inlinable @inline(__always)
    final func keyNode(_ key: Key, _ hash: Int) -> EntryNode<Key, Value>? {
        // No test sees this never hold: it only saves a call.
        keyNodes.isEmpty ? nil : existingKeyNode(key, hash)
    }

    @inlinable @inline(never)
    final func existingKeyNode(_ key: Key, _ hash: Int) -> EntryNode<Key, Value>? {
        // No test sees this never hold: it only saves a copy.
        if Self.hasPlainKeys {
            return keyNodes.find(key, hash: hash).map { unsafeDowncast($0, to: EntryNode<Key, Value>.self) }
        }
        // An `==` of the keys may run evaluations that create or remove nodes of this collection. So the search uses a
        // copy, and is repeated if that has happened.
        while true {
            let nodes = keyNodes
            let node = lookingUp { untracked { nodes.find(key, hash: hash) } }
            if keyNodes.version == nodes.version {
                return node.map { unsafeDowncast($0, to: EntryNode<Key, Value>.self) }
            }
        }
    }
}
