// The state of a joined view and its updates. See `joined`.

import Reactive

/// The groups and pairs of a joined view.
@frozen @usableFromInline
struct JoinState<Key: Hashable>: FollowsTwoStages {
    @usableFromInline var secondCursor: Int?
    /// The groups by their keys.
    @usableFromInline var index = RowIndex()
    @usableFromInline var numbers = RowNumbers()
    @usableFromInline var groups = Chunked<Group?>()
    /// The group of each row plus one; 0 if it has none.
    @usableFromInline var groupOfLeft = Chunked<Row>()
    @usableFromInline var groupOfRight = Chunked<Row>()
    /// The position of each left row in its group.
    @usableFromInline var positions = Chunked<Row>()
    /// The rows of the pairs of each left row, in the order of its group's right rows.
    @usableFromInline var pairs = Chunked<ContiguousArray<Row>>()
    @usableFromInline var flat = FlatRows()

    @usableFromInline var knownRows: (first: Int, second: Int) { (groupOfLeft.count, groupOfRight.count) }

    @inlinable
    init() {}

    /// The rows of both sides that have a key.
    @frozen @usableFromInline
    struct Group {
        @usableFromInline let key: Key
        @usableFromInline let hash: Int
        /// In no order.
        @usableFromInline var lefts: ContiguousArray<Row> = []
        /// In the order of the right stage.
        @usableFromInline var rights: ContiguousArray<Row> = []

        @inlinable
        init(key: Key, hash: Int) {
            self.key = key
            self.hash = hash
        }
    }

    /// The right rows of a group.
    @inlinable
    func rights(of group: Row) -> ContiguousArray<Row> {
        groups.pointer(to: Int(group)).pointee.unsafelyUnwrapped.rights
    }

    /// The left rows of a group.
    @inlinable
    func lefts(of group: Row) -> ContiguousArray<Row> {
        groups.pointer(to: Int(group)).pointee.unsafelyUnwrapped.lefts
    }

    @inlinable
    static func group(_ groups: Chunked<Row>, _ row: Row) -> Row? {
        guard Int(row) < groups.count, groups[Int(row)] != 0 else { return nil }
        return groups[Int(row)] - 1
    }
}

/// The orders that a joined view uses.
@frozen @usableFromInline
struct JoinSides {
    @usableFromInline let left: Ordering
    @usableFromInline let right: Ordering
    @usableFromInline let own: OwnOrdering

    @inlinable
    init(left: Ordering, right: Ordering, own: OwnOrdering) {
        self.left = left
        self.right = right
        self.own = own
    }
}

extension View {
    // MARK: - Groups

    /// Returns the group of a key; creates it if there is none.
    @inlinable
    func group<Key>(for key: Key) -> Row where State == JoinState<Key> {
        untracked {
            let hash = key.hashValue
            let found = state.index.find(hash: hash) { group in
                let other = state.groups[Int(group)].unsafelyUnwrapped.key
                return other == key
            }
            if let found { return found }
            let group = state.numbers.take()
            state.groups.set(JoinState.Group(key: key, hash: hash), at: group)
            state.index.insert(hash: hash, row: group)
            return group
        }
    }

    /// Releases a group that has no rows.
    @usableFromInline
    func releaseIfEmpty<Key>(_ group: Row) where State == JoinState<Key> {
        guard let old = state.groups[Int(group)], old.lefts.isEmpty, old.rights.isEmpty else { return }
        state.index.remove(hash: old.hash, row: group)
        state.numbers.release(group)
        state.groups[Int(group)] = nil
        discard(old)
    }

    // MARK: - Building

    /// Adds a right row after all others. There are no left rows yet.
    @inlinable
    func appendRight<Key>(_ row: Row, _ key: Key) where State == JoinState<Key> {
        let group = group(for: key)
        state.groups[Int(group)]?.rights.append(row)
        state.groupOfRight.set(group + 1, at: row, filler: 0)
    }

    /// Adds a left row to a group. Returns the rows of its pairs, which are not in the order yet.
    @usableFromInline @discardableResult
    func addLeft<Key>(_ left: Row, to group: Row) -> ContiguousArray<Row> where State == JoinState<Key> {
        let rights = state.rights(of: group)
        var pairs: ContiguousArray<Row> = []
        // No test sees this left out: it only saves allocations.
        pairs.reserveCapacity(rights.count)
        for right in rights { pairs.append(state.flat.take(outer: left, inner: right)) }
        state.positions.set(Row(state.lefts(of: group).count), at: left, filler: 0)
        state.groups[Int(group)]?.lefts.append(left)
        state.groupOfLeft.set(group + 1, at: left, filler: 0)
        state.pairs.set(pairs, at: left, filler: [])
        return pairs
    }

    // MARK: - Removing rows

    /// Removes all rows that have left, have moved or belong to different elements. Then inserts the moved ones again.
    @usableFromInline
    func takeOut<Key>(
        _ lefts: RowChanges, _ rights: RowChanges, _ sides: JoinSides
    ) where State == JoinState<Key> {
        var movedLefts: ContiguousArray<Row> = []
        var movedRights: [(right: Row, group: Row, pairs: [Row: Row])] = []
        for change in lefts {
            let isGone = !sides.left.contains(change.row)
            if isGone || change.reasons.contains(.renewed) {
                forget(EitherRow.first(change.row))
                removeLeft(change.row, sides)
                // No test sees this always hold: each left row that stays has a group.
            } else if change.reasons.contains(.moved), JoinState<Key>.group(state.groupOfLeft, change.row) != nil {
                _ = state.flat.takeOutSegment(of: change.row, from: sides.own)
                movedLefts.append(change.row)
            }
        }
        for change in rights where !sides.right.contains(change.row) || change.reasons.contains(.renewed) {
            forget(EitherRow.second(change.row))
            removeRight(change.row, sides)
        }
        // Last, so that a group whose rows have only moved is not released.
        // No test sees this always hold: rows that are taken out of a sorted group are inserted at their position.
        if !rights.isReordered {
            for change in rights where change.reasons.contains(.moved) {
                guard let group = JoinState<Key>.group(state.groupOfRight, change.row) else { continue }
                movedRights.append((change.row, group, takeOutRight(change.row, of: group, sides)))
            }
        }
        if lefts.isReordered {
            state.flat.reorder(sides.own, like: sides.left)
            noteReordered()
        }
        // No test sees this always hold: groups that are in order stay as they are.
        if rights.isReordered { sortRights(sides) }
        for left in movedLefts {
            let pairs = state.pairs[Int(left)]
            state.flat.insert(pairs, into: sides.own, like: sides.left)
            for row in pairs { note(row, .moved, count: sides.own.count) }
        }
        for (right, group, pairs) in movedRights {
            insertRight(right, into: group, sides) { pairs[$0].unsafelyUnwrapped }
            for row in pairs.values { note(row, .moved, count: sides.own.count) }
        }
    }

    /// Removes a left row and its pairs.
    @usableFromInline
    func removeLeft<Key>(_ left: Row, _ sides: JoinSides) where State == JoinState<Key> {
        guard let group = JoinState<Key>.group(state.groupOfLeft, left) else { return }
        for row in state.pairs[Int(left)].reversed() { removePair(row, sides) }
        // No test sees this left out: it only frees memory.
        state.pairs[Int(left)] = []
        state.groupOfLeft[Int(left)] = 0
        let position = state.positions[Int(left)]
        if let last = state.groups[Int(group)]?.lefts.popLast(), last != left {
            state.groups[Int(group)]?.lefts[Int(position)] = last
            state.positions[Int(last)] = position
        }
        releaseIfEmpty(group)
    }

    /// Removes a right row and its pairs.
    @usableFromInline
    func removeRight<Key>(_ right: Row, _ sides: JoinSides) where State == JoinState<Key> {
        guard let group = JoinState<Key>.group(state.groupOfRight, right) else { return }
        for row in takeOutRight(right, of: group, sides).values { removePair(row, sides) }
        state.groupOfRight[Int(right)] = 0
        releaseIfEmpty(group)
    }

    @usableFromInline
    func removePair<Key>(_ row: Row, _ sides: JoinSides) where State == JoinState<Key> {
        state.flat.remove(row, from: sides.own)
        note(row, .gone, count: sides.own.count)
    }

    /// Removes a right row from its group, and its pairs from the order. Returns the pairs by left row.
    @usableFromInline
    func takeOutRight<Key>(
        _ right: Row, of group: Row, _ sides: JoinSides
    ) -> [Row: Row] where State == JoinState<Key> {
        guard let index = state.rights(of: group).firstIndex(of: right) else { return [:] }
        state.groups[Int(group)]?.rights.remove(at: index)
        var pairs: [Row: Row] = [:]
        for left in state.lefts(of: group) {
            let row = state.pairs[Int(left)].remove(at: index)
            if sides.own.contains(row) { state.flat.takeOut(row, from: sides.own) }
            pairs[left] = row
        }
        return pairs
    }

    // MARK: - Inserting rows

    /// Inserts a right row into a group, and its pairs into the order.
    ///
    /// - Parameter pair: The row of the pair with a left row.
    @usableFromInline
    func insertRight<Key>(
        _ right: Row, into group: Row, _ sides: JoinSides, pair: (Row) -> Row
    ) where State == JoinState<Key> {
        let rights = state.rights(of: group)
        var (low, high) = (0, rights.count)
        while low < high {
            let middle = (low + high) / 2
            if sides.right.comesBefore(right, rights[middle]) { high = middle } else { low = middle + 1 }
        }
        state.groups[Int(group)]?.rights.insert(right, at: low)
        for left in state.lefts(of: group) {
            let row = pair(left)
            state.pairs[Int(left)].insert(row, at: low)
            let previous = low > 0 ? state.pairs[Int(left)][low - 1] : nil
            state.flat.insert(row, after: previous, into: sides.own, like: sides.left)
        }
    }

    /// Moves a new or changed left row to the group of its key.
    @inlinable
    func replaceLeft<Key>(_ change: RowChange, key: Key, _ sides: JoinSides) where State == JoinState<Key> {
        let left = change.row
        let group = group(for: key)
        if JoinState<Key>.group(state.groupOfLeft, left) == group {
            if change.reasons.contains(.updated) { noteUpdates(state.pairs[Int(left)], sides) }
            return
        }
        removeLeft(left, sides)
        let pairs = addLeft(left, to: group)
        state.flat.insert(pairs, into: sides.own, like: sides.left)
        for row in pairs { note(row, .renewed, count: sides.own.count) }
    }

    /// Moves a new or changed right row to the group of its key.
    @inlinable
    func replaceRight<Key>(_ change: RowChange, key: Key, _ sides: JoinSides) where State == JoinState<Key> {
        let right = change.row
        let group = group(for: key)
        if JoinState<Key>.group(state.groupOfRight, right) == group {
            if change.reasons.contains(.updated) { noteUpdates(ofRight: right, in: group, sides) }
            return
        }
        removeRight(right, sides)
        state.groupOfRight.set(group + 1, at: right, filler: 0)
        insertNewRight(right, into: group, sides)
    }

    @usableFromInline
    func insertNewRight<Key>(_ right: Row, into group: Row, _ sides: JoinSides) where State == JoinState<Key> {
        var new: ContiguousArray<Row> = []
        insertRight(right, into: group, sides) { left in
            let row = state.flat.take(outer: left, inner: right)
            new.append(row)
            return row
        }
        for row in new { note(row, .renewed, count: sides.own.count) }
    }

    @usableFromInline
    func noteUpdates<Key>(_ pairs: ContiguousArray<Row>, _ sides: JoinSides) where State == JoinState<Key> {
        for row in pairs { note(row, .updated, count: sides.own.count) }
    }

    @usableFromInline
    func noteUpdates<Key>(ofRight right: Row, in group: Row, _ sides: JoinSides) where State == JoinState<Key> {
        guard let index = state.rights(of: group).firstIndex(of: right) else { return }
        for left in state.lefts(of: group) { note(state.pairs[Int(left)][index], .updated, count: sides.own.count) }
    }

    /// Sorts the right rows of all groups by their current order.
    @usableFromInline
    func sortRights<Key>(_ sides: JoinSides) where State == JoinState<Key> {
        for group in 0..<Row(state.groups.count) {
            // No test sees this always hold: a single row is in order.
            // No test sees this boundary: as above.
            guard let old = state.groups[Int(group)], old.rights.count > 1 else { continue }
            let order = old.rights.indices.sorted { sides.right.comesBefore(old.rights[$0], old.rights[$1]) }
            state.groups[Int(group)]?.rights = ContiguousArray(order.map { old.rights[$0] })
            for left in old.lefts {
                let pairs = state.pairs[Int(left)]
                let sorted = ContiguousArray(order.map { pairs[$0] })
                if pairs == sorted { continue }
                let isInOrder = state.flat.outers.contains(left)
                // No test sees this always hold: a segment that is not in the order has no rows there.
                if isInOrder { _ = state.flat.takeOutSegment(of: left, from: sides.own) }
                state.pairs[Int(left)] = sorted
                if isInOrder { state.flat.insert(sorted, into: sides.own, like: sides.left) }
                for row in sorted { note(row, .moved, count: sides.own.count) }
            }
        }
    }
}
