// Which rows of a stage must be looked at again.
//
// A stage is a collection or a view. Each of its elements has a *row*: a number that stays the same while the element
// stays. The stage appends an entry to its log whenever something about a row changes. A follower remembers how far it
// has read (its cursor), and compares the present state of each row in the log with what it holds for that row. So
// entries may repeat, and their order means nothing.
//
// The log is bounded. When it is full, its entries become stamps: for each row, the time of its last change. A
// follower that is behind the entries looks through the stamps, which takes O(N), and learns exactly the same: a view
// must not run a closure again for an element that stayed, however far it is behind.
//
//     time    ── stamps ──│── entries ──│ end
//                    cursor of a follower: reads the rows that are stamped later, and all entries

import Reactive

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

    /// What may have changed about a row.
    @frozen @usableFromInline
    struct Reasons: OptionSet, BitwiseCopyable {
        @usableFromInline let rawValue: UInt8

        @inlinable @inline(__always)
        init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The row has the same element as before, with a new value.
        @inlinable static var updated: Reasons { Reasons(rawValue: 1) }
        /// The row is gone. That needs no bit: the stage no longer has it.
        @inlinable static var gone: Reasons { updated }
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
    // In chunks, so that the transaction log can keep a copy: what a roll-back restores is the log as it was, also
    // after the entries have become stamps or were forgotten.
    @usableFromInline var entries = Chunked<RowChange>()
    /// The time of the first entry. Times count entries.
    @usableFromInline var start = 1
    /// The time at which all rows came anew: a follower that is behind it builds its state from all rows.
    @usableFromInline var resetTime = 0
    /// The time at which all rows may have moved.
    @usableFromInline var reorderTime = 0
    /// The times of changes that are no entries any more, by row.
    @usableFromInline var stamps = Chunked<Stamp>()
    /// What is subtracted from times in stamps.
    @usableFromInline var stampOffset = 0

    /// The last changes of a row. 0: never.
    @frozen @usableFromInline
    struct Stamp: BitwiseCopyable {
        /// The time of the last change of the element, and whether that was a new one.
        @usableFromInline var element: UInt32 = 0
        @usableFromInline var renewal: UInt32 = 0
        @usableFromInline var move: UInt32 = 0

        @inlinable
        init() {}
    }

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
        if entries.count >= 64, entries.count >= count / 8 { stampEntries() }
        entries.append(RowChange(row, reasons))
    }

    /// Makes stamps of all entries.
    @usableFromInline @inline(never)
    mutating func stampEntries() {
        if end - stampOffset > Int(UInt32.max) {
            // After four thousand million changes every follower begins anew, once.
            reset()
            return
        }
        var time = UInt32(start - stampOffset)
        entries.forEach { entry in
            let row = Int(entry.row)
            if stamps.count <= row { stamps.append(repeating: Stamp(), count: row + 1 - stamps.count) }
            let stamp = stamps.uniquePointer(to: row)
            let reasons = entry.reasons
            if reasons.contains(.updated) { stamp.pointee.element = time }
            if reasons.contains(.renewed) { stamp.pointee.renewal = time }
            if reasons.contains(.moved) { stamp.pointee.move = time }
            time &+= 1
        }
        start = end
        entries = Chunked()
    }

    /// Says that all rows have come anew.
    @usableFromInline
    mutating func reset() {
        start = end + 1
        resetTime = start
        stampOffset = start - 1
        entries = Chunked()
        stamps = Chunked()
    }

    /// Says that all rows may have moved.
    @usableFromInline
    mutating func reorder() {
        stampEntries()
        start += 1
        reorderTime = start
    }

    /// The rows that changed since a cursor, each once, in order of their numbers; `nil` if all have come anew.
    @inlinable @inline(__always)
    func changes(since cursor: Int) -> RowChanges? {
        if cursor < start { return oldChanges(since: cursor) }
        let count = end - cursor
        if count == 0 { return RowChanges() }
        if count == 1 { return RowChanges(entries[entries.count - 1]) }
        return newChanges(since: cursor)
    }

    @usableFromInline @inline(never)
    func newChanges(since cursor: Int) -> RowChanges? {
        // A follower that was not rolled back with the log has read what never was.
        guard cursor <= end else { return nil }
        return RowChanges(merging: (cursor - start..<entries.count).lazy.map { entries[$0] }, isReordered: false)
    }

    @usableFromInline @inline(never)
    func oldChanges(since cursor: Int) -> RowChanges? {
        if cursor < resetTime { return nil }
        let least = UInt32(Swift.max(cursor - stampOffset, 1))
        var changes: ContiguousArray<RowChange> = []
        entries.forEach { changes.append($0) }
        for row in 0..<stamps.count {
            let stamp = stamps[row]
            guard stamp.element >= least || stamp.renewal >= least || stamp.move >= least else { continue }
            var reasons: RowChange.Reasons = []
            if stamp.element >= least { reasons.insert(.updated) }
            if stamp.renewal >= least { reasons.insert(.renewed) }
            if stamp.move >= least { reasons.insert(.moved) }
            changes.append(RowChange(Row(row), reasons))
        }
        return RowChanges(merging: changes, isReordered: cursor < reorderTime)
    }
}

/// Rows that changed, each once. A single one, which is the usual case, takes no allocation.
@frozen @usableFromInline
struct RowChanges: RandomAccessCollection {
    /// The only row, if there is but one.
    @usableFromInline let only: RowChange
    @usableFromInline let many: ContiguousArray<RowChange>
    @usableFromInline let endIndex: Int
    /// Whether all rows may have moved, also those that are not listed.
    @usableFromInline let isReordered: Bool

    @inlinable @inline(__always)
    init() {
        only = RowChange(0, [])
        many = []
        endIndex = 0
        isReordered = false
    }

    @inlinable @inline(__always)
    init(_ only: RowChange) {
        self.only = only
        many = []
        endIndex = 1
        isReordered = false
    }

    /// Sorts the entries by row, and merges those of the same row.
    @usableFromInline @inline(never)
    init(merging entries: some Sequence<RowChange>, isReordered: Bool) {
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
        self.isReordered = isReordered
    }

    /// The rows, and others besides.
    @usableFromInline @inline(never)
    func adding(_ others: some Sequence<RowChange>) -> RowChanges {
        RowChanges(merging: Array(self) + Array(others), isReordered: isReordered)
    }

    /// Whether a row is listed for more than a move: it has gone, or its closure runs in any case.
    ///
    /// - Complexity: O(log N).
    @usableFromInline
    func renews(_ row: Row) -> Bool {
        var (low, high) = (0, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].row < row { low = middle + 1 } else { high = middle }
        }
        return low < endIndex && self[low].row == row && self[low].reasons != .moved
    }

    @inlinable @inline(__always)
    var startIndex: Int { 0 }

    @inlinable @inline(__always)
    subscript(index: Int) -> RowChange { many.isEmpty ? only : many[index] }

    /// Whether there is nothing to do for a follower.
    @inlinable @inline(__always)
    var isNothing: Bool { endIndex == 0 && !isReordered }
}

/// The log of a stage as its followers hold on to it. Guarded by the graph's lock.
@usableFromInline
final class LogBox {
    // Unchecked: the graph's lock makes accesses exclusive.
    @exclusivity(unchecked) @usableFromInline final var log = RowLog()
    /// Whether there has ever been a follower. Nothing is logged before.
    @exclusivity(unchecked) @usableFromInline final var isFollowed = false

    /// Where the log was cut by roll-backs, for followers that are not rolled back.
    @exclusivity(unchecked) @usableFromInline final var cuts = LogCuts()

    /// The end of the log when the order of a set was read last.
    @exclusivity(unchecked) @usableFromInline final var lastRead = 0

    @usableFromInline
    init() {}

    /// Notes a change of a row.
    @inlinable @inline(__always)
    final func note(_ row: Row, _ reasons: RowChange.Reasons, count: Int) {
        if isFollowed { log.append(row, reasons, count: count) }
    }

    /// Notes that the rows have nothing to do with those of before: followers run their closures for all elements.
    /// Only for contents that are replaced as a whole.
    @inlinable
    final func noteAll() {
        if isFollowed { log.reset() }
    }

    /// Notes that all rows may have moved, and are otherwise what they were.
    @inlinable
    final func noteReordered() {
        if isFollowed { log.reorder() }
    }
}
