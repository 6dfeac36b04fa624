// An iterator over the rows of a table.

/// An iterator over the rows that have an entry.
@frozen @usableFromInline
struct KeyedRows<Key: Hashable, Value> {
    @usableFromInline let table: KeyedTable<Key, Value>
    /// The index of the current word of bits.
    @usableFromInline var word = -1
    /// The bits of the current word that have not been visited.
    @usableFromInline var bits: UInt64 = 0

    @inlinable
    init(_ table: KeyedTable<Key, Value>) { self.table = table }

    /// The next row, or `nil` at the end. Complexity: O(1), amortised.
    @inlinable @inline(__always)
    mutating func next() -> Row? {
        if bits == 0, !advance() { return nil }
        let row = Row(truncatingIfNeeded: word &<< 6 | bits.trailingZeroBitCount)
        bits &= bits &- 1
        return row
    }

    @inlinable @inline(never)
    mutating func advance() -> Bool {
        guard let row = table.occupied.first(from: (word + 1) << 6) else { return false }
        word = row >> 6
        bits = table.occupied.words[word]
        return true
    }
}

extension KeyedTable {
    @inlinable
    var startIndex: KeyedIndex { occupied.first(from: 0).map { KeyedIndex(row: $0) } ?? .end }

    @inlinable
    func index(after index: KeyedIndex) -> KeyedIndex {
        require(hasEntry(at: index), "Reactive: there is no entry at the index")
        return occupied.first(from: index.row + 1).map { KeyedIndex(row: $0) } ?? .end
    }

    /// Whether there is an entry at a position.
    @inlinable
    func hasEntry(at index: KeyedIndex) -> Bool {
        // No test sees this boundary: the row behind the last one is not occupied.
        index.row < entries.count && occupied.contains(Row(index.row))
    }
}
