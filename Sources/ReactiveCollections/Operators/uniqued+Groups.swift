// Groups of rows with equal keys, and the view of the first row of each. The code is not generic, so it is compiled
// once.

/// Rows with equal keys.
@usableFromInline
struct RowGroups {
    /// Finds groups by the hashes of their keys.
    @usableFromInline var index = RowIndex()
    private var groups = Chunked<Group>()
    private(set) var numbers = RowNumbers()
    /// The group of each row plus one; 0 if it is in none.
    private var groupOf = Chunked<UInt32>()
    /// The rows of groups that have more than one: each group is contiguous, in the order of the stage above.
    private var members = RowOrder()
    /// The rows that are in the view.
    private var shown = RowBits()

    private struct Group {
        var first: Row
        var count: UInt32
        var hash: Int
    }

    @usableFromInline init() {}

    /// The first row of a group.
    @usableFromInline
    func first(of group: UInt32) -> Row { groups[Int(group)].first }

    /// Whether a row is the first one of its group.
    @usableFromInline
    func isFirst(_ row: Row) -> Bool {
        // No test sees this: a row that is in no group has left the view already.
        guard let group = group(of: row) else { return false }
        return groups[Int(group)].first == row
    }

    private func group(of row: Row) -> UInt32? {
        guard Int(row) < groupOf.count, groupOf[Int(row)] != 0 else { return nil }
        return groupOf[Int(row)] - 1
    }

    /// Sets whether a row is in the view; returns whether it was.
    @usableFromInline
    mutating func setShown(_ row: Row, _ isShown: Bool) -> Bool {
        let was = shown.contains(row)
        // No test sees this always hold: inserting a row again changes nothing.
        if isShown, !was { shown.insert(row) }
        if was, !isShown { shown.remove(row) }
        return was
    }

    /// Removes a row from its group. Returns the hash of its key; `nil` if it is in no group.
    @usableFromInline
    mutating func leave(_ row: Row, _ moves: inout GroupMoves) -> Int? {
        guard let number = group(of: row) else { return nil }
        groupOf[Int(row)] = 0
        var group = groups[Int(number)]
        group.count -= 1
        if group.count == 0 {
            index.remove(hash: group.hash, row: number)
            numbers.release(number)
        } else {
            if group.first == row {
                group.first = members.row(after: row).unsafelyUnwrapped
                moves.affected.append(group.first)
            }
            members.remove(row)
            if group.count == 1 { members.remove(group.first) }
        }
        groups[Int(number)] = group
        return group.hash
    }

    /// Inserts a row into a group, or into a new one, at its position.
    @usableFromInline
    mutating func enter(
        _ row: Row, _ number: UInt32?, hash: Int, like ordering: Ordering, _ moves: inout GroupMoves
    ) {
        guard let number else { return append(row, to: nil, hash: hash) }
        var group = groups[Int(number)]
        if group.count == 1 { members.append(group.first) }
        let start = members.position(of: group.first)
        if ordering.comesBefore(row, group.first) {
            members.insert(row, at: start)
            moves.affected.append(group.first)
            group.first = row
        } else {
            // No test sees this: a lower start gives the same position, because the row comes after the first one.
            var (low, high) = (start + 1, start + Int(group.count))
            while low < high {
                // Most rows are inserted at the end.
                // No test sees this: any row in between would serve.
                let middle = high == start + Int(group.count) ? high - 1 : (low + high) / 2
                if ordering.comesBefore(row, members.row(at: middle)) { high = middle } else { low = middle + 1 }
            }
            members.insert(row, at: low)
        }
        group.count += 1
        groups[Int(number)] = group
        setGroup(number, of: row)
    }

    /// Adds a row to a group, or to a new one, at any position. If the group is not new, `finish` must be called later.
    @usableFromInline
    mutating func append(_ row: Row, to number: UInt32?, hash: Int) {
        if let number {
            groups[Int(number)].count += 1
            setGroup(number, of: row)
            return
        }
        let number = numbers.take()
        let group = Group(first: row, count: 1, hash: hash)
        if Int(number) < groups.count { groups[Int(number)] = group } else { groups.append(group) }
        index.insert(hash: hash, row: number)
        setGroup(number, of: row)
    }

    private mutating func setGroup(_ number: UInt32, of row: Row) {
        while groupOf.count <= Int(row) { groupOf.append(0) }
        groupOf[Int(row)] = number + 1
    }

    /// Sorts the rows of all groups.
    ///
    /// - Parameter rows: All rows that are in a group, in order.
    fileprivate mutating func finish(_ rows: ContiguousArray<Row>) {
        // For each group of several rows: its start among the members, and the number of its rows added so far.
        var (starts, sizes) = (ContiguousArray<Int>(), ContiguousArray(repeating: 0, count: groups.count))
        // No test sees this left out: it only saves allocations.
        starts.reserveCapacity(groups.count)
        var end = 0
        for number in 0..<groups.count {
            starts.append(end)
            if groups[number].count > 1 { end += Int(groups[number].count) }
        }
        var sorted = ContiguousArray<Row>(repeating: 0, count: end)
        for row in rows {
            let number = Int(groupOf[Int(row)] - 1)
            if sizes[number] == 0 { groups[number].first = row }
            if groups[number].count > 1 { sorted[starts[number] + sizes[number]] = row }
            sizes[number] += 1
        }
        members = RowOrder(sorted)
    }

    /// All rows that are in a group. Rows that the stage above no longer has, because a closure of the view removed
    /// them, come last.
    fileprivate func rows(like ordering: Ordering) -> ContiguousArray<Row> {
        var rows: ContiguousArray<Row> = []
        // No test sees this left out: it only saves allocations.
        rows.reserveCapacity(groupOf.count)
        ordering.forEach {
            if group(of: $0) != nil { rows.append($0) }
            return true
        }
        for row in 0..<Row(groupOf.count) where groupOf[Int(row)] != 0 && !ordering.contains(row) { rows.append(row) }
        return rows
    }
}

/// The changes of groups in one update.
@frozen @usableFromInline
struct GroupMoves {
    /// Rows to insert into the group of their key, with the hash of the key.
    @usableFromInline var entering: ContiguousArray<(row: Row, hash: Int)> = []
    /// Rows, other than changed ones, that became the first of their group or ceased to be.
    @usableFromInline var affected: ContiguousArray<Row> = []

    @inlinable
    init() {}
}

extension AnyView {
    /// Removes a row from the order.
    @usableFromInline
    final func takeOutOfOrder(_ row: Row) {
        let own = own.unsafelyUnwrapped
        if own.rows.contains(row) { own.rows.remove(row) }
    }

    /// Builds the order.
    ///
    /// - Parameter rows: All rows in the order of the stage above.
    @usableFromInline
    final func showFirstRows(of groups: inout RowGroups, in rows: ContiguousArray<Row>) {
        groups.finish(rows)
        let first = rows.filter { groups.isFirst($0) }
        for row in first { _ = groups.setShown(row, true) }
        own.unsafelyUnwrapped.rows = RowOrder(first)
    }

    /// Updates the order and notes the changes for followers.
    @usableFromInline
    final func showFirstRows(
        of groups: inout RowGroups, _ moves: GroupMoves, after changes: RowChanges, like ordering: Ordering
    ) {
        // Removes all rows that are no longer in the view before it inserts any.
        for change in changes where !groups.isFirst(change.row) { takeOutOfOrder(change.row) }
        // No test sees this always hold: a row that is taken out is inserted again.
        for row in moves.affected where !groups.isFirst(row) { takeOutOfOrder(row) }
        for change in changes { show(change, of: &groups, like: ordering) }
        for row in moves.affected { show(RowChange(row, .gone), of: &groups, like: ordering) }
    }

    private final func show(_ change: RowChange, of groups: inout RowGroups, like ordering: Ordering) {
        let own = own.unsafelyUnwrapped
        let (row, reasons) = (change.row, change.reasons)
        let isShown = groups.isFirst(row) && ordering.contains(row)
        let wasShown = groups.setShown(row, isShown)
        if !isShown {
            if wasShown { note(row, .gone, count: own.count) }
        } else if !own.rows.contains(row) {
            own.insert(row, like: ordering)
            // No test sees this never hold: the other reasons do not replace this one.
            let isNew = !wasShown || reasons.contains(.renewed)
            note(row, isNew ? .renewed : reasons.subtracting(.flipped), count: own.count)
        } else if reasons.contains(.updated) {
            note(row, .updated, count: own.count)
        }
    }

    /// Finds the first rows of all groups again, because all rows may have moved, and updates the order.
    @usableFromInline
    final func regroup(_ groups: inout RowGroups, after changes: RowChanges, like ordering: Ordering) {
        let own = own.unsafelyUnwrapped
        var old: ContiguousArray<Row> = []
        own.rows.forEach { old.append($0) }
        let rows = groups.rows(like: ordering)
        groups.finish(rows)
        let new = rows.filter { groups.isFirst($0) }
        own.rows = RowOrder(new)
        var (before, after): (ContiguousArray<Row>, ContiguousArray<Row>) = ([], [])
        for row in old {
            if own.rows.contains(row) {
                before.append(row)
            } else if groups.setShown(row, false) {
                note(row, .gone, count: new.count)
            }
        }
        for change in changes {
            let row = change.row
            if own.rows.contains(row) {
                let reasons = change.reasons.subtracting(.flipped)
                if !reasons.isEmpty { note(row, reasons, count: new.count) }
            } else if groups.setShown(row, false) {
                note(row, .gone, count: new.count)
            }
        }
        let remaining = RowOrder(before)
        for row in new {
            if remaining.contains(row) { after.append(row) }
            if !groups.setShown(row, true) { note(row, .renewed, count: new.count) }
        }
        if before != after { noteReordered() }
    }
}
