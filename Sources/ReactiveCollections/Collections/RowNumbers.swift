// The rows of a collection that are in use.

/// The row numbers of a collection. Free numbers are reused, the most recently released one first.
///
/// Equal histories give equal numbers. The list of free numbers is part of the value, so that a copy restores it.
@frozen @usableFromInline
struct RowNumbers {
    /// The lowest number that has never been used.
    @usableFromInline var next: Row = 0
    /// The numbers below `next` that are free.
    @usableFromInline var free = Chunked<Row>()

    @inlinable
    init() {}

    /// Returns a free number, which is in use from then on. Complexity: O(1), amortised.
    @inlinable
    mutating func take() -> Row {
        if !free.isEmpty { return free.removeLast() }
        defer { next += 1 }
        return next
    }

    /// Releases a number that is in use. Complexity: O(1), amortised.
    @inlinable
    mutating func release(_ row: Row) {
        free.append(row)
        if free.count == Int(next) { self = RowNumbers() }
    }
}

/// A set of rows as bits, with a second level that finds the next row across large gaps.
@frozen @usableFromInline
struct RowBits {
    /// A bit for each row.
    @usableFromInline var words = Chunked<UInt64>()
    /// A bit for each word that is not zero.
    @usableFromInline var groups = Chunked<UInt64>()

    @inlinable
    init() {}

    /// Whether the set contains a row. Complexity: O(1).
    @inlinable @inline(__always)
    func contains(_ row: Row) -> Bool {
        let word = Int(row >> 6)
        return word < words.count && words[word] & (1 << UInt64(row & 63)) != 0
    }

    /// Inserts a row. Complexity: O(1), amortised.
    @inlinable
    mutating func insert(_ row: Row) {
        let word = Int(row >> 6)
        while words.count <= word { words.append(0) }
        words[word] |= 1 << UInt64(row & 63)
        while groups.count <= word >> 6 { groups.append(0) }
        groups[word >> 6] |= 1 << UInt64(word & 63)
    }

    /// Removes a row that the set contains. Complexity: O(1).
    @inlinable
    mutating func remove(_ row: Row) {
        let word = Int(row >> 6)
        words[word] &= ~(1 << UInt64(row & 63))
        if words[word] == 0 { groups[word >> 6] &= ~(1 << UInt64(word & 63)) }
    }

    /// Returns the first row of the set at or after a number.
    ///
    /// - Complexity: O(1), plus one test for each gap of 4096 rows.
    @inlinable
    func first(from start: Int) -> Int? {
        var word = start >> 6
        guard word < words.count else { return nil }
        let rest = words[word] >> UInt64(start & 63)
        if rest != 0 { return start + rest.trailingZeroBitCount }
        word += 1
        var group = word >> 6
        guard group < groups.count else { return nil }
        let restOfGroup = groups[group] >> UInt64(word & 63)
        if restOfGroup != 0 {
            word += restOfGroup.trailingZeroBitCount
        } else {
            repeat { group += 1 } while group < groups.count && groups[group] == 0
            guard group < groups.count else { return nil }
            word = group << 6 + groups[group].trailingZeroBitCount
        }
        return word << 6 + words[word].trailingZeroBitCount
    }
}
