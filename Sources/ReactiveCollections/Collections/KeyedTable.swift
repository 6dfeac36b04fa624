// The contents of a dictionary or set: a value that is cheap to copy.
//
// The entry of a key is stored in a row, which stays the same while the collection has the key. The index maps a key to
// its row. A free row has no entry, and no bit in `occupied`. Iteration follows these bits, so its time depends on the
// number of entries, not on the highest row. The order of iteration is that of the rows. Equal histories give equal
// orders.

/// An entry of a dictionary. In a set, the value is `Void`.
@frozen @usableFromInline
struct KeyedEntry<Key, Value> {
    @usableFromInline var key: Key
    @usableFromInline var value: Value

    @inlinable @inline(__always)
    init(key: Key, value: Value) {
        self.key = key
        self.value = value
    }
}

/// The entries of a dictionary or a set.
@frozen @usableFromInline
struct KeyedTable<Key: Hashable, Value> {
    @usableFromInline typealias Entry = KeyedEntry<Key, Value>

    /// An index from keys to rows; `nil` if there are no rows.
    @usableFromInline var index: RowIndex?
    /// The entries by row.
    @usableFromInline var entries = Chunked<Entry?>()
    /// The rows that have an entry.
    @usableFromInline var occupied = RowBits()
    @usableFromInline var numbers = RowNumbers()
    /// The number of entries.
    @usableFromInline var count = 0
    /// The order in which the entries are encoded; `nil` for the order of the rows. See KeyedTable+Order.swift.
    @usableFromInline var order: EncodingOrder?

    @inlinable
    init() {}

    /// Returns the hash of a key. Calls `hash(into:)` of the key.
    @inlinable @inline(__always)
    static func hash(of key: Key) -> Int { key._rawHashValue(seed: 0) }

    // MARK: - Reading

    /// Returns the row of a key. Calls `==` of the keys.
    ///
    /// - Complexity: O(1).
    @inlinable @inline(__always)
    func find(_ key: Key, hash: Int) -> Row? {
        guard let index else { return nil }
        return index.find(hash: hash) { row in
            entries.pointer(to: Int(row)).pointee.unsafelyUnwrapped.key == key
        }
    }

    /// Whether a row has an entry.
    @inlinable @inline(__always)
    func contains(_ row: Row) -> Bool { occupied.contains(row) }

    /// The entry of a row that has one.
    @inlinable
    subscript(row: Row) -> Entry {
        @inline(__always) get { entries[Int(row)].unsafelyUnwrapped }
    }

    /// The value of a row that has an entry.
    @inlinable @inline(__always)
    func value(at row: Row) -> Value {
        // No test sees this left out: only optimised code would release the table earlier.
        defer { _fixLifetime(self) }
        return entries.pointer(to: Int(row)).pointee.unsafelyUnwrapped.value
    }

    /// The key of a row that has an entry.
    @inlinable @inline(__always)
    func key(at row: Row) -> Key {
        // No test sees this left out: only optimised code would release the table earlier.
        defer { _fixLifetime(self) }
        return entries.pointer(to: Int(row)).pointee.unsafelyUnwrapped.key
    }

    /// Calls `body` with the rows in order, until it returns `false`.
    ///
    /// - Complexity: O(N).
    @inlinable
    func forEachRow(while body: (Row) -> Bool) {
        var word = 0
        while let row = occupied.first(from: word << 6) {
            // No test sees this left out: then each word of a gap is visited.
            word = row >> 6
            var bits = occupied.words[word]
            while bits != 0 {
                guard body(Row(truncatingIfNeeded: word << 6 | bits.trailingZeroBitCount)) else { return }
                bits &= bits - 1
            }
            word += 1
        }
    }

    // MARK: - Writing

    /// Reserves memory for a number of entries.
    @inlinable
    mutating func reserveCapacity(_ minimumCapacity: Int) {
        // No test sees this: how much memory is reserved changes no result.
        if minimumCapacity == 0 { return }
        if index == nil { index = RowIndex(minimumCapacity: minimumCapacity) }
        // No test sees this left out: it only saves that the index grows later.
        index!.reserveCapacity(minimumCapacity)
    }

    /// Inserts an entry for a key that has none. Runs no user code.
    ///
    /// - Complexity: O(1), amortised.
    @inlinable
    mutating func insert(_ key: Key, _ value: Value, hash: Int) -> Row {
        let row = numbers.take()
        if Int(row) < entries.count {
            entries[Int(row)] = Entry(key: key, value: value)
        } else {
            entries.append(Entry(key: key, value: value))
        }
        if index == nil { index = RowIndex() }
        index!.insert(hash: hash, row: row)
        occupied.insert(row)
        // No test sees this always hold: the call then does nothing.
        if order != nil { EncodingOrder.append(row, to: &order) }
        count += 1
        return row
    }

    /// Removes and returns the entry of a row that has one. Runs no user code.
    ///
    /// - Complexity: O(1), amortised.
    @inlinable
    mutating func remove(_ row: Row, hash: Int) -> Entry {
        let entry = takeEntry(of: row)
        removeTakenEntry(of: row, hash: hash)
        return entry
    }

    /// Exchanges the value of a row that has an entry.
    @inlinable @inline(__always)
    mutating func exchange(_ row: Row, with value: inout Value) {
        let entry = entries.uniquePointer(to: Int(row))
        swap(&entry.pointee!.value, &value)
        // No test sees this left out: only optimised code would release the table earlier.
        _fixLifetime(self)
    }

    // MARK: - Mutating in place

    /// Takes the entry out of a row. The caller must store an entry again or remove the row.
    @inlinable
    mutating func takeEntry(of row: Row) -> Entry { entries[Int(row)].take().unsafelyUnwrapped }

    /// Stores the entry of a row whose entry was taken out.
    @inlinable
    mutating func putEntry(_ entry: consuming Entry, into row: Row) { entries[Int(row)] = entry }

    /// Removes a row whose entry was taken out.
    @inlinable
    mutating func removeTakenEntry(of row: Row, hash: Int) {
        index!.remove(hash: hash, row: row)
        occupied.remove(row)
        numbers.release(row)
        // No test sees this always hold: the call then does nothing.
        if order != nil { EncodingOrder.remove(row, from: &order) }
        count -= 1
        // No test sees this never hold: it only frees memory.
        // No test sees this left out: as above.
        if count == 0 { self = emptied }
    }

    /// The table without its entries.
    @inlinable
    var emptied: KeyedTable {
        var table = KeyedTable()
        if let order { table.order = order.emptied }
        return table
    }

    // MARK: - Comparing

    /// Whether both tables have the same keys, with values for which `areEqual` returns `true`.
    ///
    /// Calls `==` and `hash(into:)` of keys.
    ///
    /// - Complexity: O(number of rows written since) if one is a copy of the other, else O(N).
    @inlinable
    func isEqual(to other: KeyedTable, by areEqual: (Value, Value) -> Bool) -> Bool {
        guard count == other.count else { return false }
        // The counts are equal, so it is enough to check that the other table has each key of this one.
        return entries.forEachRange(differingFrom: other.entries) { rows in
            for row in rows {
                guard let entry = entries[row] else { continue }
                // No test sees this never hold: it only saves a search.
                if row < other.entries.count, let same = other.entries[row], same.key == entry.key {
                    if areEqual(same.value, entry.value) { continue }
                    return false
                }
                guard let row = other.find(entry.key, hash: Self.hash(of: entry.key)),
                    areEqual(other.value(at: row), entry.value)
                else { return false }
            }
            return true
        }
    }
}

extension KeyedTable: @unchecked Sendable where Key: Sendable, Value: Sendable {
    // A value: its shared parts are never written.
}
