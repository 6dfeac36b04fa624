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
    func changes(since cursor: Int) -> ContiguousArray<RowChange>? {
        if cursor < start { return nil }
        let count = end - cursor
        if count == 0 { return [] }
        if count == 1 { return [entries[entries.count - 1]] }
        return merged(since: cursor)
    }

    @usableFromInline @inline(never)
    func merged(since cursor: Int) -> ContiguousArray<RowChange> {
        var rows = ContiguousArray(entries[(cursor - start)...])
        rows.sort()
        var last = 0
        for index in 1..<rows.count {
            if rows[index].row == rows[last].row {
                rows[last].bits |= rows[index].bits
            } else {
                last += 1
                rows[last] = rows[index]
            }
        }
        rows.removeLast(rows.count - last - 1)
        return rows
    }
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
