// Which rows of a stage must be looked at again.
//
// A stage is a collection or a view. Each of its elements has a *row*: a number that stays the same while the element
// stays. The stage appends an entry to its log whenever something about a row changes. A follower remembers how far it
// has read (its cursor), and compares the present state of each row in the log with what it holds for that row. So
// entries may repeat, and their order means nothing.
//
// The log is bounded. A follower whose cursor is older than the first entry builds its state anew.

/// The stable number of an element in a stage.
@usableFromInline typealias Row = UInt32

/// A row to look at again, and why.
@frozen @usableFromInline
struct RowChange: Comparable, BitwiseCopyable {
    /// The row, above eight bits of reasons.
    @usableFromInline var bits: UInt64

    @inlinable @inline(__always)
    init(_ row: Row, _ reasons: Reasons) { bits = UInt64(row) << 8 | UInt64(reasons.rawValue) }

    @inlinable @inline(__always)
    var row: Row { Row(truncatingIfNeeded: bits >> 8) }

    @inlinable @inline(__always)
    var reasons: Reasons { Reasons(rawValue: UInt8(truncatingIfNeeded: bits)) }

    @inlinable @inline(__always)
    static func < (a: RowChange, b: RowChange) -> Bool { a.bits < b.bits }

    /// What may have changed about a row. That it is gone needs no bit: the stage no longer has it.
    @frozen @usableFromInline
    struct Reasons: OptionSet, BitwiseCopyable {
        @usableFromInline let rawValue: UInt8

        @inlinable @inline(__always)
        init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The row has the same element as before, with a new value.
        @inlinable static var updated: Reasons { Reasons(rawValue: 1) }
        /// The element stands somewhere else among the others.
        @inlinable static var moved: Reasons { Reasons(rawValue: 2) }
        /// The row has come, or belongs to a different element than before.
        @inlinable static var renewed: Reasons { Reasons(rawValue: 4) }
        /// An observable changed that the closure of a view has read for this row. Never in a log.
        @inlinable static var flipped: Reasons { Reasons(rawValue: 8) }
    }
}

/// The log of a stage.
@frozen @usableFromInline
struct RowLog {
    @usableFromInline var entries: ContiguousArray<RowChange> = []
    /// The number of entries that were dropped from the front: the cursor of the first entry.
    @usableFromInline var start = 0

    @inlinable
    init() {}

    /// The cursor of a follower that has read everything.
    @inlinable @inline(__always)
    var end: Int { start + entries.count }

    /// Appends an entry.
    ///
    /// - Parameter count: The number of rows of the stage, which bounds the log.
    @inlinable @inline(__always)
    mutating func append(_ row: Row, _ reasons: RowChange.Reasons, count: Int) {
        if entries.count >= 64, entries.count >= count / 8 { forget() }
        entries.append(RowChange(row, reasons))
    }

    /// Says that everything may have changed: every follower builds its state anew.
    @usableFromInline
    mutating func forget() {
        // One more than there were entries, so that a cursor at the end is behind the log as well.
        start = end + 1
        entries.removeAll(keepingCapacity: true)
    }

    /// The rows that changed since a cursor, each once, in order of their numbers; `nil` if the log no longer knows.
    @inlinable @inline(__always)
    func changes(since cursor: Int) -> RowChanges? {
        if cursor < start { return nil }
        let count = end - cursor
        if count == 0 { return RowChanges() }
        if count == 1 { return RowChanges(entries[entries.count - 1]) }
        return RowChanges(merging: entries[(cursor - start)...])
    }
}

/// Rows that changed, each once. A single one, which is the usual case, takes no allocation.
@frozen @usableFromInline
struct RowChanges: RandomAccessCollection {
    /// The only row, if there is but one.
    @usableFromInline let only: RowChange
    @usableFromInline let many: ContiguousArray<RowChange>
    @usableFromInline let endIndex: Int

    @inlinable @inline(__always)
    init() {
        only = RowChange(0, [])
        many = []
        endIndex = 0
    }

    @inlinable @inline(__always)
    init(_ only: RowChange) {
        self.only = only
        many = []
        endIndex = 1
    }

    /// Sorts the entries by row, and merges those of the same row.
    @usableFromInline @inline(never)
    init(merging entries: some Sequence<RowChange>) {
        var rows = ContiguousArray(entries)
        rows.sort()
        var count = 0
        for entry in rows {
            if count > 0, rows[count - 1].row == entry.row {
                rows[count - 1].bits |= entry.bits
            } else {
                rows[count] = entry
                count += 1
            }
        }
        rows.removeLast(rows.count - count)
        only = rows.first ?? RowChange(0, [])
        endIndex = count
        many = count > 1 ? rows : []
    }

    /// The rows, and others besides.
    @usableFromInline @inline(never)
    func adding(_ others: some Sequence<RowChange>) -> RowChanges {
        RowChanges(merging: Array(self) + Array(others))
    }

    @inlinable @inline(__always)
    var startIndex: Int { 0 }

    @inlinable @inline(__always)
    subscript(index: Int) -> RowChange { many.isEmpty ? only : many[index] }
}

/// The log of a stage as its followers hold on to it. Guarded by the graph's lock.
@usableFromInline
final class LogBox {
    // Unchecked: the graph's lock makes the accesses exclusive.
    @exclusivity(unchecked) @usableFromInline final var log = RowLog()
    /// Whether there has ever been a follower. Nothing is logged before.
    @exclusivity(unchecked) @usableFromInline final var isFollowed = false

    @inlinable
    init() {}

    /// Notes a change of a row.
    @inlinable @inline(__always)
    final func note(_ row: Row, _ reasons: RowChange.Reasons, count: Int) {
        if isFollowed { log.append(row, reasons, count: count) }
    }

    /// Notes that everything may have changed.
    @inlinable
    final func noteAll() {
        if isFollowed { log.forget() }
    }
}
