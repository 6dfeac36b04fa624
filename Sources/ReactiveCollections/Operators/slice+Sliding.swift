// Updates the rows of a window after changes of the stage above. The code is not generic, so it is compiled once.
//
// Rows of the window that are still there and have not moved are still in order. First, changed rows that are now
// between them are inserted, so that the window has no gaps. Then the window grows or shrinks at both ends until it
// covers the required positions. A change elsewhere costs two comparisons.

extension View where State == WindowState {
    /// Updates the window and notes the changes for followers.
    ///
    /// - Parameters:
    ///   - range: The positions that the window must have.
    ///   - changes: The changes of the stage above.
    ///   - ordering: The order of the stage above.
    func slide(to range: Range<Int>, after changes: RowChanges, in ordering: Ordering) {
        // No test sees this never hold: nothing below would change the window.
        if changes.isNothing, range == state.range { return }
        var edits = WindowEdits()
        takeOutChanges(changes, in: ordering, &edits)
        // No test sees this always hold: replacing all rows gives the same window.
        if changes.isReordered {
            replaceRows(by: range, of: ordering, &edits)
        } else {
            let lower = putInChanges(changes, in: ordering, &edits)
            slide(from: lower, to: range, in: ordering, &edits)
        }
        noteEdits(edits, after: changes)
        state = WindowState(range: range, total: ordering.count)
    }

    private var rows: RowOrder {
        get { own.unsafelyUnwrapped.rows }
        _modify { yield &own.unsafelyUnwrapped.rows }
    }

    /// Removes the rows that have left, have moved or are new.
    private func takeOutChanges(_ changes: RowChanges, in ordering: Ordering, _ edits: inout WindowEdits) {
        for change in changes where rows.contains(change.row) {
            guard !change.reasons.isDisjoint(with: [.moved, .renewed]) || !ordering.contains(change.row) else {
                continue
            }
            rows.remove(change.row)
            edits.takenOut.append(change.row)
        }
    }

    /// Inserts the changed rows that are between those of the window. Returns the new start position of the window.
    private func putInChanges(_ changes: RowChanges, in ordering: Ordering, _ edits: inout WindowEdits) -> Int {
        guard let first = rows.first, let last = rows.last else { return 0 }
        var (before, behind) = (0, 0)
        for change in changes where !change.reasons.isDisjoint(with: [.moved, .renewed]) {
            guard ordering.contains(change.row) else { continue }
            if ordering.precedes(change.row, first) {
                before += 1
            } else if ordering.precedes(last, change.row) {
                behind += 1
            } else {
                own.unsafelyUnwrapped.insert(change.row, like: ordering)
                edits.putIn.append(change.row)
            }
        }
        // If the window reaches an end of the stage above, only changed rows can be beyond it.
        // No test sees this never hold: it only saves a descent.
        if state.range.lowerBound == 0 { return before }
        // No test sees this never hold: it only saves a descent.
        if state.range.upperBound == state.total { return ordering.count - behind - rows.count }
        return ordering.position(of: first)
    }

    /// Moves both ends of the window.
    private func slide(from start: Int, to range: Range<Int>, in ordering: Ordering, _ edits: inout WindowEdits) {
        var (lower, upper) = (start, start + rows.count)
        // No test sees this never hold: nothing below would change the window.
        if lower == range.lowerBound, upper == range.upperBound { return }
        // Without a common row, sliding is impossible.
        // No test sees this always hold: replacing all rows gives the same window.
        if !range.overlaps(lower..<upper) { return replaceRows(by: range, of: ordering, &edits) }
        // For large distances, rebuilding costs less for each row than inserting.
        // No test sees this: any distance near it would serve.
        let distance = abs(lower - range.lowerBound) + abs(upper - range.upperBound)
        // No test sees this: for the same reason.
        if distance > (rows.count + range.count) / 8 + 4 { return replaceRows(by: range, of: ordering, &edits) }
        while lower < range.lowerBound, let row = rows.first {
            rows.remove(row)
            edits.slidOut(row)
            lower += 1
        }
        while upper > range.upperBound, let row = rows.last {
            rows.remove(row)
            edits.slidOut(row)
            upper -= 1
        }
        while lower > range.lowerBound, let row = rows.first.flatMap({ ordering.row(before: $0) }) {
            rows.insert(row, after: nil)
            edits.slidIn.append(row)
            lower -= 1
        }
        while upper < range.upperBound, let row = rows.last.flatMap({ ordering.row(after: $0) }) {
            rows.append(row)
            edits.slidIn.append(row)
            upper += 1
        }
    }

    /// Rebuilds the window.
    private func replaceRows(by range: Range<Int>, of ordering: Ordering, _ edits: inout WindowEdits) {
        let old = rows
        rows = RowOrder(ordering.rows(in: range))
        var (before, after): (ContiguousArray<Row>, ContiguousArray<Row>) = ([], [])
        old.forEach { (row: Row) -> Void in
            if rows.contains(row) { before.append(row) } else { edits.slidOut(row) }
        }
        rows.forEach { (row: Row) -> Void in
            if old.contains(row) { after.append(row) } else { edits.slidIn.append(row) }
        }
        edits.isReordered = before != after
    }

    private func noteEdits(_ edits: WindowEdits, after changes: RowChanges) {
        if edits.isReordered { noteReordered() }
        for row in edits.slidOut { note(row, .gone, count: rows.count) }
        for row in edits.takenOut where !rows.contains(row) { note(row, .gone, count: rows.count) }
        // No test sees this always hold: followers would only check more rows.
        for row in edits.putIn where rows.contains(row) { noteArrival(of: row, edits, after: changes) }
        for row in edits.slidIn { noteArrival(of: row, edits, after: changes) }
        for change in changes where change.reasons.contains(.updated) && rows.contains(change.row) {
            note(change.row, .updated, count: rows.count)
        }
    }

    private func noteArrival(of row: Row, _ edits: WindowEdits, after changes: RowChanges) {
        let isNew = !edits.takenOut.hasRow(row) || changes.change(of: row)?.reasons.contains(.renewed) == true
        note(row, isNew ? .renewed : .moved, count: rows.count)
    }
}

/// The edits of a window in one update.
private struct WindowEdits {
    /// Changed rows that were in the window, by number.
    var takenOut: ContiguousArray<Row> = []
    /// Changed rows that were inserted between those of the window, by number.
    var putIn: ContiguousArray<Row> = []
    /// Rows that were in the window and are now outside.
    private(set) var slidOut: ContiguousArray<Row> = []
    /// Rows that were outside or were removed, and are now in the window.
    var slidIn: ContiguousArray<Row> = []
    /// Whether rows that have stayed are in a different order.
    var isReordered = false

    mutating func slidOut(_ row: Row) {
        // No test sees this always hold: followers would only check more rows.
        if !putIn.hasRow(row) { slidOut.append(row) }
    }
}

extension ContiguousArray<Row> {
    /// Whether these rows, which are sorted by number, contain a row.
    fileprivate func hasRow(_ row: Row) -> Bool {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < row { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == row
    }
}

extension Ordering {
    /// The rows at some positions.
    ///
    /// - Complexity: O(log N + number of rows).
    func rows(in range: Range<Int>) -> ContiguousArray<Row> {
        var rows: ContiguousArray<Row> = []
        // No test sees this left out: it only saves allocations.
        rows.reserveCapacity(range.count)
        if range.isEmpty { return rows }
        // No test sees this never hold: it only saves a descent.
        if range.lowerBound == 0 {
            forEach {
                rows.append($0)
                return rows.count < range.count
            }
            return rows
        }
        var next: Row? = row(at: range.lowerBound)
        while rows.count < range.count, let row = next {
            rows.append(row)
            next = self.row(after: row)
        }
        return rows
    }
}
