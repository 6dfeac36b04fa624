/// A hash table that leads from keys to rows without keeping the keys. A value that is cheap to copy.
///
/// The caller has the key of each row elsewhere, computes the hash, and compares: `find(hash:where:)` asks whether a row
/// has the wanted key only if 32 bits of their hashes are equal. Open addressing with linear probing; at most 3/4 of the
/// buckets are used, and a removal closes its gap. The order of the buckets is that of the hashes, so growing runs
/// through memory once.
@frozen
@usableFromInline
struct RowIndex: Sendable {
    /// 0 if empty, else the hash above the row plus one. The number of buckets is a power of two.
    @usableFromInline var buckets: Chunked<UInt64>
    /// 32 less the binary logarithm of the number of buckets.
    @usableFromInline var shift: Int
    /// The number of rows.
    @usableFromInline var count: Int

    /// Creates an index with room for a number of rows.
    @inlinable
    init(minimumCapacity: Int = 0) {
        count = 0
        let bits = Self.bits(for: minimumCapacity)
        shift = 32 - bits
        buckets = Chunked(repeating: 0, count: 1 << bits)
    }

    /// The binary logarithm of the number of buckets that `count` rows need.
    @inlinable
    static func bits(for count: Int) -> Int {
        var bits = 2
        while count > 3 << (bits - 2) { bits += 1 }
        return bits
    }
}

extension RowIndex {
    @inlinable var isEmpty: Bool { count == 0 }

    @inlinable var mask: Int {
        @inline(__always) get { buckets.count &- 1 }
    }

    /// The hash bits of a bucket, where they belong in it.
    @inlinable
    @inline(__always)
    static func hashBits(_ hash: Int) -> UInt64 { UInt64(truncatingIfNeeded: hash) << 32 }

    /// The bucket that hash bits should be in.
    @inlinable
    @inline(__always)
    func home(_ hashBits: UInt64) -> Int { Int(truncatingIfNeeded: hashBits &>> UInt64(32 &+ shift)) }

    /// Returns the row with a hash for which a closure returns true.
    ///
    /// - Parameters:
    ///   - hash: The `hashValue` of the key.
    ///   - isWanted: Whether a row has the key.
    @inlinable
    @inline(__always)
    func find(hash: Int, where isWanted: (UInt32) throws -> Bool) rethrows -> UInt32? {
        let wanted = Self.hashBits(hash)
        var index = home(wanted)
        while true {
            let bucket = buckets[index]
            if bucket == 0 { return nil }
            if (bucket ^ wanted) &>> 32 == 0 {
                let row = UInt32(truncatingIfNeeded: bucket) &- 1
                if try isWanted(row) { return row }
            }
            index = (index &+ 1) & mask
        }
    }

    /// Adds a row. The caller has made sure that no other row has its key.
    @inlinable
    mutating func insert(hash: Int, row: UInt32) {
        if count >= 3 * (buckets.count / 4) { resize(for: count + 1) }
        let hashBits = Self.hashBits(hash)
        var index = home(hashBits)
        while buckets[index] != 0 { index = (index &+ 1) & mask }
        buckets[index] = hashBits | UInt64(row &+ 1)
        count &+= 1
    }

    /// Removes a row with the hash that it was inserted with.
    ///
    /// - Precondition: The index has the row.
    @usableFromInline
    mutating func remove(hash: Int, row: UInt32) {
        let bucket = Self.hashBits(hash) | UInt64(row &+ 1)
        var gap = home(bucket)
        while buckets[gap] != bucket {
            precondition(buckets[gap] != 0, "The index does not have the row")
            gap = (gap + 1) & mask
        }
        var index = gap
        while true {
            index = (index + 1) & mask
            let next = buckets[index]
            if next == 0 { break }
            // A bucket may move to the gap if the gap is not before its home.
            if (index - home(next)) & mask >= (index - gap) & mask {
                buckets[gap] = next
                gap = index
            }
        }
        buckets[gap] = 0
        count -= 1
    }

    /// Makes room for a number of rows.
    @usableFromInline
    mutating func reserveCapacity(_ capacity: Int) {
        if capacity > 3 * (buckets.count / 4) { resize(for: capacity) }
    }

    @usableFromInline
    mutating func resize(for capacity: Int) {
        let bits = Self.bits(for: capacity)
        shift = 32 - bits
        let mask = 1 << bits - 1
        var new = ContiguousArray<UInt64>(repeating: 0, count: 1 << bits)
        new.withUnsafeMutableBufferPointer { new in
            buckets.forEach { bucket in
                if bucket == 0 { return }
                var index = home(bucket)
                while new[index] != 0 { index = (index + 1) & mask }
                new[index] = bucket
            }
        }
        buckets = Chunked(new)
    }
}
