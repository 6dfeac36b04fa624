// The rows of a stage that followers must examine again.
//
// A stage is a collection or a view. Each of its elements has a *row*: a number that stays the same while the element
// stays. The stage appends an entry to its log whenever something about a row changes. A follower keeps its position in
// the log, its cursor. It compares the current state of each row in the log with its own state for that row. So entries
// may repeat, and their order has no meaning.
//
// The log is bounded. When it is full, its entries become stamps: for each row, the time of its last change. A follower
// whose cursor is older than the entries reads all stamps, in O(N), and gets exactly the same information: a view must
// not run a closure again for an element that stayed, however old its cursor is.
//
//     time    ── stamps ──│── entries ──│ end
//                    cursor of a follower: reads the rows that are stamped later, and all entries

import Reactive

/// The stable number of an element in a stage.
@usableFromInline typealias Row = UInt32

/// A row to examine again, and the reasons.
@frozen @usableFromInline
struct RowChange: Comparable, BitwiseCopyable {
    /// The row in the high bits, and eight bits of reasons.
    @usableFromInline var bits: UInt64

    @inlinable @inline(__always)
    init(_ row: Row, _ reasons: Reasons) { bits = UInt64(row) << 8 | UInt64(reasons.rawValue) }

    @inlinable @inline(__always)
    var row: Row { Row(truncatingIfNeeded: bits >> 8) }

    @inlinable @inline(__always)
    var reasons: Reasons { Reasons(rawValue: UInt8(truncatingIfNeeded: bits)) }

    @inlinable @inline(__always)
    static func < (a: RowChange, b: RowChange) -> Bool {
        // No test sees this boundary: changes with the same bits are the same.
        a.bits < b.bits
    }

    /// The possible changes of a row.
    @frozen @usableFromInline
    struct Reasons: OptionSet, BitwiseCopyable {
        @usableFromInline let rawValue: UInt8

        @inlinable @inline(__always)
        init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The row has the same element as before, with a new value.
        @inlinable static var updated: Reasons { Reasons(rawValue: 1) }
        /// The row has left. This needs no bit of its own: the stage no longer has the row.
        @inlinable static var gone: Reasons { updated }
        /// The element has a different position.
        @inlinable static var moved: Reasons { Reasons(rawValue: 2) }
        /// The row is new, or belongs to a different element than before.
        @inlinable static var renewed: Reasons { Reasons(rawValue: 4) }
        /// An observable changed that the closure of a view has read for this row. Never in a log.
        @inlinable static var flipped: Reasons { Reasons(rawValue: 8) }
    }
}

/// The log of a stage.
@frozen @usableFromInline
struct RowLog {
    // Chunked, so that the transaction log can keep a copy. A roll-back restores the earlier log, also after entries
    // have become stamps or have been removed.
    @usableFromInline var entries = Chunked<RowChange>()
    /// The time of the first entry. Times count entries.
    @usableFromInline var start = 1
    /// The time at which all rows were replaced. A follower with an older cursor builds its state from all rows.
    @usableFromInline var resetTime = 0
    /// The time at which all rows may have moved.
    @usableFromInline var reorderTime = 0
    /// The times of changes that are no longer entries, by row.
    @usableFromInline var stamps = Chunked<Stamp>()
    /// The offset that is subtracted from times in stamps.
    @usableFromInline var stampOffset = 0

    /// The times of the last changes of a row; 0 stands for never.
    @frozen @usableFromInline
    struct Stamp: BitwiseCopyable {
        /// The time of the last change of the element, and whether it became a different element.
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

    /// Turns all entries into stamps.
    @usableFromInline @inline(never)
    mutating func stampEntries() {
        if end - stampOffset > Int(UInt32.max) {
            // After four thousand million changes every follower rebuilds its state, once.
            reset()
            return
        }
        var time = UInt32(start - stampOffset)
        entries.forEach { entry in
            let row = Int(entry.row)
            // No test sees this always hold: appending a negative number of stamps appends none.
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

    /// Notes that all rows were replaced.
    @usableFromInline
    mutating func reset() {
        start = end + 1
        resetTime = start
        stampOffset = start - 1
        entries = Chunked()
        stamps = Chunked()
    }

    /// Notes that all rows may have moved.
    @usableFromInline
    mutating func reorder() {
        stampEntries()
        start += 1
        reorderTime = start
    }

    /// The rows that changed since a cursor, each once, in the order of their numbers; `nil` if all rows were replaced.
    @inlinable @inline(__always)
    func changes(since cursor: Int) -> RowChanges? {
        // No test sees this boundary: all stamps are older than the first entry.
        if cursor < start { return oldChanges(since: cursor) }
        // No test sees this: the call below finds the same changes.
        let count = end - cursor
        // No test sees this never hold: as above.
        if count == 0 { return RowChanges() }
        // No test sees this never hold: as above.
        if count == 1 { return RowChanges(entries[entries.count - 1]) }
        return newChanges(since: cursor)
    }

    @usableFromInline @inline(never)
    func newChanges(since cursor: Int) -> RowChanges? {
        // A follower that was not rolled back with the log has read entries that no longer exist.
        // No test sees this boundary: a follower at the end has nothing to read.
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

/// Rows that changed, each once. A single row, the usual case, needs no allocation.
@frozen @usableFromInline
struct RowChanges: RandomAccessCollection {
    /// The only row, if there is just one.
    @usableFromInline let only: RowChange
    @usableFromInline let many: ContiguousArray<RowChange>
    @usableFromInline let endIndex: Int
    /// Whether all rows may have moved, including those that are not listed.
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
        only = rows.first ?? RowChange(0, [])
        endIndex = count
        // No test sees this always hold: the only row is the first one, too.
        // No test sees this boundary: as above.
        many = count > 1 ? rows : []
        self.isReordered = isReordered
    }

    /// Returns these rows and others.
    @usableFromInline @inline(never)
    func adding(_ others: some Sequence<RowChange>) -> RowChanges {
        RowChanges(merging: Array(self) + Array(others), isReordered: isReordered)
    }

    /// Whether a row is listed for more than a move: it has left, or its closure runs in any case.
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

    /// Whether a follower has nothing to do.
    @inlinable @inline(__always)
    var isNothing: Bool { endIndex == 0 && !isReordered }
}

/// The log of a stage, as an object that its followers keep. Guarded by the graph's lock.
@usableFromInline
final class LogBox {
    // Unchecked: the graph's lock makes accesses exclusive.
    @exclusivity(unchecked) @usableFromInline final var log = RowLog()
    /// Whether there has ever been a follower. Until then, nothing is logged.
    @exclusivity(unchecked) @usableFromInline final var isFollowed = false

    /// The cuts by roll-backs, for followers that are not rolled back.
    @exclusivity(unchecked) @usableFromInline final var cuts = LogCuts()

    /// The end of the log when the order of a set was last read.
    @exclusivity(unchecked) @usableFromInline final var lastRead = 0

    @usableFromInline
    init() {}

    /// Notes a change of a row.
    @inlinable @inline(__always)
    final func note(_ row: Row, _ reasons: RowChange.Reasons, count: Int) {
        if isFollowed { log.append(row, reasons, count: count) }
    }

    /// Notes that all rows were replaced: followers run their closures for all elements. Only for contents that are
    /// replaced as a whole.
    @inlinable
    final func noteAll() {
        if isFollowed { log.reset() }
    }

    /// Notes that all rows may have moved, without other changes.
    @inlinable
    final func noteReordered() {
        if isFollowed { log.reorder() }
    }
}
