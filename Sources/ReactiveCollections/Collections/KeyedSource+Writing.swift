// How the contents of a dictionary or a set change. All of this is called under the lock, after `checkMutation`.

import Reactive

extension _KeyedSource {
    // MARK: - One entry

    /// Replaces the value of a row, and returns the one before.
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

    /// Keeps the keys, if a transaction may have to compare with them.
    @inlinable @inline(__always)
    final func keepKeys() {
        countNode?._withUnsafeGuaranteedRef { $0.keep() }
        membershipNode?._withUnsafeGuaranteedRef { $0.keep() }
    }

    /// Notes that there are more or fewer keys than before.
    @inlinable @inline(__always)
    final func noteChangeOfKeys() {
        countNode?._withUnsafeGuaranteedRef { $0.noteChange() }
        membershipNode?._withUnsafeGuaranteedRef { $0.noteChange() }
    }

    // MARK: - All entries

    /// Removes everything, and returns the table of before.
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

    /// The nodes of keys that the collection has, with their rows.
    private final func presentKeyNodes() -> [(EntryNode<Key, Value>, Row)] {
        while true {
            let nodes = keyNodes
            var present: [(EntryNode<Key, Value>, Row)] = []
            nodes.forEach { node in
                let node = unsafeDowncast(node, to: EntryNode<Key, Value>.self)
                if let row = find(node.key, node.hash) { present.append((node, row)) }
            }
            // An `==` of the keys may evaluate what creates and removes nodes here.
            if keyNodes.version == nodes.version { return present }
        }
    }

    // MARK: - In place

    /// Whether copying a value, and comparing it if it can be compared, costs next to nothing.
    @inlinable @inline(__always)
    static var isCheapToCompare: Bool { _isPOD(Value.self) && MemoryLayout<Value>.size <= 64 }

    /// Whether this thread is in a transaction that can still be rolled back.
    @usableFromInline
    final var mayRollBack: Bool { graphHandle.mayRollBack }

    /// Takes the lock and takes the value of a key out of the table, to be mutated in place.
    ///
    /// In an observer this counts as a read for plain values only, as for an `Observable`.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - mayRemove: Whether the mutation may leave no value behind.
    @inlinable
    final func beginModification(of key: Key, mayRemove: Bool) -> KeyedModification<Key, Value> {
        let hash = hash(of: key)
        enter()
        checkMutation()
        if _isPOD(Value.self) { noteRead(of: key, hash) }
        var change = KeyedModification<Key, Value>(hash: hash, row: find(key, hash), node: keyNode(key, hash))
        // Copying would cost the mutation its uniqueness, so that is only done where a roll-back needs it.
        change.isKept = _isPOD(Value.self) || mayRollBack
        if let row = change.row {
            if change.isKept {
                keepTable()
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

    /// Refuses other accesses until `endModification`.
    @inlinable @inline(__always)
    final func beginYield() {
        isModified = true
        beginModifying()
    }

    /// Puts a value back that was mutated in place, and undoes the `enter` of the beginning.
    @inlinable
    final func endModification(_ change: inout KeyedModification<Key, Value>, of key: Key) {
        endModifying()
        isModified = false
        switch (change.row, change.value.take()) {
        case (nil, nil): break
        case (nil, let value?): insert(key, value, change.hash)
        case (let row?, nil): removeTaken(row, change)
        case (let row?, let value?):
            if Self.isCheapToCompare, let before = change.before, areEqual(before, value) {
                table.putEntry(KeyedEntry(key: change.key.take().unsafelyUnwrapped, value: value), into: row)
                break
            }
            table.putEntry(KeyedEntry(key: change.key.take().unsafelyUnwrapped, value: value), into: row)
            stageLog.note(row, .updated, count: table.count)
            noteChange()
            change.node?.noteChange()
        }
        leave()
    }

    /// Removes a row whose entry was taken out. The key goes when the modification ends.
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
    /// The row of the key, if there is one.
    @usableFromInline let row: Row?
    @usableFromInline let node: EntryNode<Key, Value>?
    /// The key as the table has it.
    @usableFromInline var key: Key?
    @usableFromInline var value: Value?
    /// The value of before, where comparing is cheap.
    @usableFromInline var before: Value?
    /// Whether the transaction log has what was before.
    @usableFromInline var isKept = false

    @inlinable
    init(hash: Int, row: Row?, node: EntryNode<Key, Value>?) {
        self.hash = hash
        self.row = row
        self.node = node
    }
}

// MARK: - Calls

// Each of these takes the lock itself, and releases what it removed after it has unlocked.

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
            removed.reserveCapacity(rows.count)
            for (row, hash) in rows { removed.append(remove(row, of: table.key(at: row), hash)) }
        }
        withExtendedLifetime(removed) {}
    }
}
