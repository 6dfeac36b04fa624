// Mutations of the contents of a dictionary or set. All of them are called under the lock, after `checkMutation`.

import Reactive

extension _KeyedSource {
    // MARK: - One entry

    /// Replaces the value of a row, and returns the previous one.
    @inlinable @inline(__always)
    final func replace(_ row: Row, of key: Key, _ hash: Int, by newValue: consuming Value) -> Value {
        let node = keyNode(key, hash)
        keepTable()
        node?.keep(table.value(at: row))
        var value = newValue
        table.exchange(row, with: &value)
        stageLog.note(row, .updated, count: table.count)
        noteChange()
        node?.noteChange()
        return value
    }

    /// Inserts an entry for a key that has none.
    @inlinable
    final func insert(_ key: Key, _ value: consuming Value, _ hash: Int) {
        let node = keyNode(key, hash)
        keepTable()
        keepKeys()
        node?.keep(nil)
        let row = table.insert(key, value, hash: hash)
        stageLog.note(row, .renewed, count: table.count)
        noteChange()
        noteChangeOfKeys()
        node?.noteChange()
    }

    /// Removes and returns the entry of a row.
    @inlinable
    final func remove(_ row: Row, of key: Key, _ hash: Int) -> KeyedEntry<Key, Value> {
        let node = keyNode(key, hash)
        keepTable()
        keepKeys()
        node?.keep(table.value(at: row))
        let entry = table.remove(row, hash: hash)
        stageLog.note(row, .gone, count: table.count)
        noteChange()
        noteChangeOfKeys()
        node?.noteChange()
        return entry
    }

    /// Keeps the keys, if the end of a transaction may have to compare with them.
    @inlinable @inline(__always)
    final func keepKeys() {
        countNode?._withUnsafeGuaranteedRef { $0.keep() }
        membershipNode?._withUnsafeGuaranteedRef { $0.keep() }
    }

    /// Notes that the set of keys has changed.
    @inlinable @inline(__always)
    final func noteChangeOfKeys() {
        countNode?._withUnsafeGuaranteedRef { $0.noteChange() }
        membershipNode?._withUnsafeGuaranteedRef { $0.noteChange() }
    }

    // MARK: - All entries

    /// Removes all entries, and returns the previous table.
    @usableFromInline
    final func removeEverything() -> KeyedTable<Key, Value> {
        let present = presentKeyNodes()
        keepTable()
        keepKeys()
        for (node, row) in present { node.keep(table.value(at: row)) }
        var removed = table.emptied
        swap(&table, &removed)
        stageLog.noteAll()
        noteChange()
        noteChangeOfKeys()
        for (node, _) in present { node.noteChange() }
        return removed
    }

    /// Returns the nodes of the keys that the collection contains, with their rows.
    private final func presentKeyNodes() -> [(EntryNode<Key, Value>, Row)] {
        while true {
            let nodes = keyNodes
            var present: [(EntryNode<Key, Value>, Row)] = []
            nodes.forEach { node in
                let node = unsafeDowncast(node, to: EntryNode<Key, Value>.self)
                if let row = find(node.key, node.hash) { present.append((node, row)) }
            }
            // An `==` of the keys may run evaluations that create or remove nodes of this collection.
            if keyNodes.version == nodes.version { return present }
        }
    }

    // MARK: - In place

    /// Whether copying a value is cheap, and so is comparing it, if it can be compared.
    @inlinable @inline(__always)
    // No test sees this boundary: any bound near it would serve.
    static var isCheapToCompare: Bool { _isPOD(Value.self) && MemoryLayout<Value>.size <= 64 }

    /// Whether this thread is in a transaction that can still be rolled back.
    @usableFromInline
    final var mayRollBack: Bool { graphHandle.mayRollBack }

    /// Takes the lock, and takes the value of a key out of the table so that it can be mutated in place.
    ///
    /// In an observer, this counts as a read only if the value is plain bits, as with an `Observable`.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - mayRemove: Whether the mutation may remove the value.
    @inlinable
    final func beginModification(of key: Key, mayRemove: Bool) -> KeyedModification<Key, Value> {
        let hash = hash(of: key)
        enter()
        checkMutation()
        if _isPOD(Value.self) { noteRead(of: key, hash) }
        var change = KeyedModification<Key, Value>(hash: hash, row: find(key, hash), node: keyNode(key, hash))
        // A copy would share the value's storage, so the mutation would copy that. Only a roll-back justifies it, or
        // that the transaction log has a copy.
        change.isKept = _isPOD(Value.self) || mayRollBack || isLogged
        if let row = change.row {
            if change.isKept {
                keepTable()
                // No test sees this always hold: it only saves copies of the table.
                if mayRemove { keepKeys() }
                change.node?.keep(table.value(at: row))
            }
            let entry = table.takeEntry(of: row)
            change.key = entry.key
            change.value = entry.value
            if Self.isCheapToCompare { change.before = change.value }
        }
        return change
    }

    /// Makes other accesses stop the program, until `endModification`.
    @inlinable @inline(__always)
    final func beginYield() {
        isModified = true
        beginModifying()
    }

    /// Stores the value that was mutated in place, and leaves the lock that `beginModification` has entered.
    @inlinable
    final func endModification(_ change: inout KeyedModification<Key, Value>, of key: Key) {
        let newValue = change.value.take()
        var isUnchanged = false
        // The entry is not in the table, so the comparison must not use the collection either.
        // No test sees this always hold: otherwise there is no value from before.
        if Self.isCheapToCompare, let before = change.before, let newValue {
            isUnchanged = untracked { areEqual(before, newValue) }
        }
        endModifying()
        isModified = false
        switch (change.row, newValue) {
        case (nil, nil): break
        case (nil, let value?): insert(key, value, change.hash)
        case (let row?, nil): removeTaken(row, change)
        case (let row?, let value?):
            table.putEntry(KeyedEntry(key: change.key.take().unsafelyUnwrapped, value: value), into: row)
            if isUnchanged { break }
            stageLog.note(row, .updated, count: table.count)
            noteChange()
            change.node?.noteChange()
        }
        leave()
    }

    /// Removes a row whose entry was taken out. The key is released when the modification ends.
    @inlinable
    final func removeTaken(_ row: Row, _ change: KeyedModification<Key, Value>) {
        table.removeTakenEntry(of: row, hash: change.hash)
        stageLog.note(row, .gone, count: table.count)
        noteChange()
        noteChangeOfKeys()
        change.node?.noteChange()
    }
}

/// A mutation in place of one value.
@frozen @usableFromInline
struct KeyedModification<Key: Hashable, Value> {
    @usableFromInline let hash: Int
    /// The row of the key, if the collection had the key.
    @usableFromInline let row: Row?
    @usableFromInline let node: EntryNode<Key, Value>?
    /// The key that the table had.
    @usableFromInline var key: Key?
    @usableFromInline var value: Value?
    /// The previous value, if comparing is cheap.
    @usableFromInline var before: Value?
    /// Whether the previous state has been kept for the transaction log.
    @usableFromInline var isKept = false

    @inlinable
    init(hash: Int, row: Row?, node: EntryNode<Key, Value>?) {
        self.hash = hash
        self.row = row
        self.node = node
    }
}

// MARK: - Calls

// Each of these methods takes the lock itself. It releases removed entries after unlocking.

extension _KeyedSource {
    /// Removes and returns the entry of a key, if there is one.
    @inlinable
    final func removeEntry(of key: Key) -> KeyedEntry<Key, Value>? {
        let hash = hash(of: key)
        enter()
        checkMutation()
        let removed = find(key, hash).map { remove($0, of: key, hash) }
        leave()
        return removed
    }

    /// Removes and returns the entry at a position.
    @inlinable
    final func removeEntry(at index: KeyedIndex) -> KeyedEntry<Key, Value> {
        enter()
        checkMutation()
        if !table.hasEntry(at: index) { stopForIndex() }
        let row = Row(index.row)
        let removed = remove(row, of: table.key(at: row), hash(ofKeyAt: row))
        leave()
        return removed
    }

    /// Removes and returns the first entry, if there is one.
    @inlinable
    final func popFirstEntry() -> KeyedEntry<Key, Value>? {
        enter()
        checkMutation()
        let removed = table.occupied.first(from: 0).map { row in
            remove(Row(row), of: table.key(at: Row(row)), hash(ofKeyAt: Row(row)))
        }
        leave()
        return removed
    }

    /// Removes all entries.
    @usableFromInline
    final func removeAllEntries() {
        enter()
        checkMutation()
        let removed = table.count == 0 ? nil : removeEverything()
        leave()
        // No test sees this left out: only optimised code would release them earlier.
        withExtendedLifetime(removed) {}
    }

    /// Removes the entries for which a predicate returns `true`.
    @inlinable
    final func removeEntries(where shouldBeRemoved: (Key, Value) throws -> Bool) rethrows {
        var removed: ContiguousArray<KeyedEntry<Key, Value>> = []
        enter()
        do {
            defer { leave() }
            checkMutation()
            var rows: ContiguousArray<(row: Row, hash: Int)> = []
            try lookingUp {
                try untracked {
                    var iterator = KeyedRows(table)
                    while let row = iterator.next() {
                        let key = table.key(at: row)
                        if try shouldBeRemoved(key, table.value(at: row)) { rows.append((row, Table.hash(of: key))) }
                    }
                }
            }
            // No test sees this left out: it only saves allocations.
            removed.reserveCapacity(rows.count)
            for (row, hash) in rows { removed.append(remove(row, of: table.key(at: row), hash)) }
        }
        // No test sees this left out: only optimised code would release them earlier.
        withExtendedLifetime(removed) {}
    }
}
