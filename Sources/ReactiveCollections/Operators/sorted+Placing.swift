// Moves the changed rows of a sorted view to their positions. The code is not generic, so it is compiled once.
//
// Rows that have not changed are still in order. A changed row is *pending* until it is known whether it may stay at
// its position. No row is compared with a pending one, which may be at a wrong position. A row that leaves its position
// and returns to it has not moved.

extension AnyView {
    /// Removes a row from the order, and the dependencies of its closure.
    @usableFromInline
    final func takeOut(_ row: Row) {
        let own = own.unsafelyUnwrapped
        if own.rows.contains(row) { own.rows.remove(row) }
        forget(row)
    }

    /// Moves the changed rows to their positions and notes the changes for followers. Returns whether the order was
    /// rebuilt.
    ///
    /// - Parameters:
    ///   - changes: The changes. Rows that have left or belong to a different element have already been removed.
    ///   - ordering: The order of the stage above.
    ///   - hasKey: Whether a row has a key. Rows that have left have none.
    ///   - precedes: Whether one row comes before another; both have keys.
    @usableFromInline
    final func place(
        _ changes: RowChanges, like ordering: Ordering, where hasKey: (Row) -> Bool, by precedes: (Row, Row) -> Bool
    ) -> Bool {
        let own = own.unsafelyUnwrapped
        // No test sees this never hold: both ways give the same order.
        // No test sees this boundary: as above.
        if changes.isReordered || changes.count > max(16, own.rows.count / 16) {
            placeAll(changes, like: ordering, where: hasKey, by: precedes)
            return true
        }
        // The rows that leave their positions, and the rows before them at that time.
        var removed: ContiguousArray<(row: Row, before: Row?)> = []
        for change in changes where own.rows.contains(change.row) {
            let row = change.row
            func isPending(_ other: Row) -> Bool {
                // No test sees this always hold: a changed row that has stayed has no changed neighbours.
                // No test sees this boundary: a row is not its own neighbour.
                other > row
                    && changes.change(of: other) != nil
            }
            own.rows.remove(row) { before, after in
                let followsBefore = before.map { !isPending($0) && precedes($0, row) } ?? true
                let isInPlace = followsBefore && after.map { !isPending($0) && precedes(row, $0) } ?? true
                if !isInPlace { removed.append((row, before)) }
                return isInPlace
            }
        }
        // Backwards: as long as each row comes to where it was removed, the order is as it was at that time.
        var isAsBefore = true
        for change in changes.reversed() where hasKey(change.row) {
            let row = change.row
            var hasStayed = own.rows.contains(row)
            if !hasStayed {
                own.rows.insert(row, beforeFirst: { precedes(row, $0.row) })
                if let last = removed.last, last.row == row {
                    removed.removeLast()
                    isAsBefore = isAsBefore && own.rows.row(before: row) == last.before
                    hasStayed = isAsBefore
                }
            }
            notePlaced(change, hasStayed: hasStayed)
        }
        // No test sees this: the caller would only collect keys again.
        return false
    }

    /// Notes the change of a row in the order for followers.
    @inlinable @inline(__always)
    final func notePlaced(_ change: RowChange, hasStayed: Bool) {
        let count = own.unsafelyUnwrapped.rows.count
        if !hasStayed {
            let isNew = change.reasons.contains(.renewed)
            // No test sees this never hold: the other reasons do not replace this one.
            note(change.row, isNew ? .renewed : change.reasons.union(.moved).subtracting(.flipped), count: count)
        } else if change.reasons.contains(.updated) {
            note(change.row, .updated, count: count)
        }
    }

    /// Rebuilds the order after many changes: merges the rows that have not changed with the others.
    @inline(never)
    private final func placeAll(
        _ changes: RowChanges, like ordering: Ordering, where hasKey: (Row) -> Bool, by precedes: (Row, Row) -> Bool
    ) {
        let own = own.unsafelyUnwrapped
        var old: ContiguousArray<Row> = []
        // No test sees this left out: it only saves allocations.
        old.reserveCapacity(own.count)
        own.rows.forEach { old.append($0) }
        var new: ContiguousArray<Row> = []
        // No test sees this left out: it only saves allocations.
        new.reserveCapacity(ordering.count)
        // No test sees this always hold: sorting all rows gives the same order.
        if changes.isReordered {
            ordering.forEach {
                if hasKey($0) { new.append($0) }
                return true
            }
            new.sort(by: precedes)
        } else {
            var changed = RowBits()
            for change in changes { changed.insert(change.row) }
            var placed = ContiguousArray(changes.lazy.map(\.row).filter(hasKey))
            placed.sort(by: precedes)
            var next = 0
            for row in old where !changed.contains(row) {
                while next < placed.count, precedes(placed[next], row) {
                    new.append(placed[next])
                    next += 1
                }
                new.append(row)
            }
            new.append(contentsOf: placed[next...])
        }
        let wasIn = own.rows
        own.rows = RowOrder(new)
        let isInOrder = old.isSubsequence(of: new)
        for change in changes where own.rows.contains(change.row) {
            let row = change.row
            if !wasIn.contains(row) {
                note(row, .renewed, count: new.count)
                continue
            }
            var reasons = change.reasons.intersection(.updated)
            // No test sees this always hold: all rows are reported as moved, too.
            if !isInOrder, !changes.isReordered { reasons.insert(.moved) }
            if !reasons.isEmpty { note(row, reasons, count: new.count) }
        }
        if !isInOrder {
            // No test sees this always hold: followers would only check more rows.
            if changes.isReordered { noteReordered() }
        }
    }
}

extension RandomAccessCollection<RowChange> {
    /// The change of a row. These changes are sorted by row number.
    func change(of row: Row) -> RowChange? {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = index(low, offsetBy: distance(from: low, to: high) / 2)
            if self[middle].row < row { low = index(after: middle) } else { high = middle }
        }
        return low < endIndex && self[low].row == row ? self[low] : nil
    }
}

extension ContiguousArray<Row> {
    /// Whether these rows are a subsequence of the others.
    func isSubsequence(of others: ContiguousArray<Row>) -> Bool {
        var index = 0
        for row in others where index < count && self[index] == row { index += 1 }
        return index == count
    }
}
