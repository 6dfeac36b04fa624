// Two keyed views combined. State: rows of its own, each with the rows of its key in both stages above.

import Reactive

extension LiveDictionary {
    /// Returns a view of the keys of two views. Keys that both have get the result of a closure as their value.
    ///
    /// Results that are equal by their type's default comparison count as the same; see `Equality`.
    ///
    /// - Parameters:
    ///   - other: The other view, in the same graph.
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - equals: The comparison of two values for the same key; by default that of their type; see `Equality`.
    ///   - isolation: The actor that `combine` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - combine: Returns the value for a key from this view's value and the other's. Runs once for each key that
    ///     both have, again when one of the values changes, and again when an observable that it has read changes. Kept
    ///     alive by the view.
    /// - Complexity: O(1) for each change.
    @inlinable
    public func merging(
        _ other: LiveDictionary, named name: String? = nil, equals: Equality<Value> = .automatic,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line, uniquingKeysWith combine: @escaping (Value, Value) -> Value
    ) -> LiveDictionary {
        let combine = confined(combine, to: isolation)
        let (first, second) = (self, other)
        let keys = ViewKeys<Key>()
        let areEqual = equals.comparison
        let view = View(
            // No test sees this: an order of its own would stay empty.
            beside: stage.node, hasOwnOrder: false, named: name, fileID: fileID, line: line,
            state: MergedState<Key, Value>()
        ) { view in
            view.follow(first, second, keys, areEqual) { row in
                view.evaluate(row) {
                    let entry = view.state[row]
                    return combine(first.entries.value(entry.first &- 1), second.entries.value(entry.second &- 1))
                }
            }
        }
        view.belong(to: isolation, orThatOf: other.stage)
        keys.routing.view = view
        let value: (Row) -> Value = { row in
            let entry = view.state[row]
            if let value = entry.value { return value }
            return entry.first != 0
                ? first.entries.value(entry.first &- 1) : second.entries.value(entry.second &- 1)
        }
        let entries = KeyedEntries(
            count: { view.state.index.count }, contains: { view.state.contains($0) }, key: { view.state[$0].key },
            value: value, find: { view.state.find($0, $1) },
            forEach: { body in
                for row in 0..<view.state.entries.count {
                    guard let entry = view.state.entries[row] else { continue }
                    if !body(Row(row), entry.key, value(Row(row))) { return }
                }
            })
        return LiveDictionary(view: view, keys: keys, entries: entries)
    }
}

/// The keys of two stages.
@frozen @usableFromInline
struct MergedState<Key: Hashable, Value> {
    @frozen @usableFromInline
    struct Entry {
        @usableFromInline let key: Key
        @usableFromInline let hash: Int
        /// The rows of the key in the stages above, plus one; 0 if the stage does not have the key.
        @usableFromInline var first: UInt32 = 0
        @usableFromInline var second: UInt32 = 0
        /// The value, if both stages have the key.
        @usableFromInline var value: Value?

        @inlinable
        init(key: Key, hash: Int) {
            self.key = key
            self.hash = hash
        }
    }

    @usableFromInline var entries = Chunked<Entry?>()
    @usableFromInline var index = RowIndex()
    @usableFromInline var numbers = RowNumbers()
    /// The rows of entries by rows of the stages above, plus one.
    @usableFromInline var firstRows = Chunked<UInt32>()
    @usableFromInline var secondRows = Chunked<UInt32>()
    /// The cursor in the log of the second stage.
    @usableFromInline var secondCursor = 0

    @inlinable
    init() {}

    @inlinable @inline(__always)
    func contains(_ row: Row) -> Bool { Int(row) < entries.count && entries[Int(row)] != nil }

    @inlinable
    subscript(row: Row) -> Entry {
        @inline(__always) get { entries[Int(row)].unsafelyUnwrapped }
        @inline(__always) _modify { yield &entries[Int(row)]! }
    }

    @inlinable
    func find(_ key: Key, _ hash: Int) -> Row? {
        ViewKeys<Key>.comparing { index.find(hash: hash) { entries[Int($0)].unsafelyUnwrapped.key == key } }
    }

    /// Returns the row of a key; creates one if there is none.
    @inlinable
    mutating func row(of key: Key) -> Row {
        let hash = ViewKeys.hash(of: key)
        if let row = find(key, hash) { return row }
        let row = numbers.take()
        if Int(row) == entries.count { entries.append(nil) }
        entries[Int(row)] = Entry(key: key, hash: hash)
        index.insert(hash: hash, row: row)
        return row
    }

    /// Adds the row that a key has in the first or second stage to the key's entry. Returns the entry's row.
    @inlinable
    mutating func put(_ above: Row, isFirst: Bool, _ key: Key) -> Row {
        let row = row(of: key)
        if isFirst {
            self[row].first = above &+ 1
            Self.set(&firstRows, above, row &+ 1)
        } else {
            self[row].second = above &+ 1
            Self.set(&secondRows, above, row &+ 1)
        }
        return row
    }

    /// Removes a row of the first or second stage from its entry. Returns the entry's row.
    @inlinable
    mutating func take(_ above: Row, isFirst: Bool) -> Row? {
        let rows = isFirst ? firstRows : secondRows
        guard Int(above) < rows.count, rows[Int(above)] != 0 else { return nil }
        let row = rows[Int(above)] &- 1
        if isFirst {
            firstRows[Int(above)] = 0
            self[row].first = 0
        } else {
            secondRows[Int(above)] = 0
            self[row].second = 0
        }
        return row
    }

    @inlinable
    static func set(_ rows: inout Chunked<UInt32>, _ above: Row, _ row: UInt32) {
        while rows.count <= Int(above) { rows.append(0) }
        rows[Int(above)] = row
    }

    /// Removes an entry whose key is no longer in either stage.
    @inlinable
    mutating func remove(_ row: Row) -> Entry {
        let entry = self[row]
        entries[Int(row)] = nil
        index.remove(hash: entry.hash, row: row)
        numbers.release(row)
        if index.isEmpty { entries = Chunked() }
        return entry
    }
}

extension View {
    /// Follows two stages until there is nothing left to read.
    ///
    /// - Parameter combine: Returns the value of a row whose key is in both stages.
    @inlinable
    func follow<Key, Value>(
        _ first: LiveDictionary<Key, Value>, _ second: LiveDictionary<Key, Value>, _ keys: ViewKeys<Key>,
        _ areEqual: (Value, Value) -> Bool, combine: (Row) -> Value
    ) where State == MergedState<Key, Value> {
        for _ in 0..<100 {
            first.stage.refresh()
            second.stage.refresh()
            guard let (changes, others) = changes(of: first, second) else {
                build(first, second, keys, combine)
                continue
            }
            let flipped = takeFlippedRows()
            if changes.isNothing, others.isNothing, flipped.isEmpty { return }
            self.cursor = first.log.log.end
            state.secondCursor = second.log.log.end
            evaluateElements {
                var touched: ContiguousArray<RowChange> = flipped
                // All old rows are removed before any new row is added, so that a key finds its entry.
                takeOut(changes, isFirst: true, first.entries, &touched)
                takeOut(others, isFirst: false, second.entries, &touched)
                putIn(changes, isFirst: true, first.entries, &touched)
                putIn(others, isFirst: false, second.entries, &touched)
                // No test sees this: keyed views have no order.
                for change in RowChanges(merging: touched, isReordered: false) {
                    update(change, keys, areEqual, combine)
                }
            }
        }
        reportEndlessWrites()
    }

    /// The changed rows of both stages; `nil` if the state must be rebuilt. If the content of one stage was replaced,
    /// all its rows count as changed.
    @inlinable
    func changes<Key, Value>(
        of first: LiveDictionary<Key, Value>, _ second: LiveDictionary<Key, Value>
    ) -> (RowChanges, RowChanges)? where State == MergedState<Key, Value> {
        guard let cursor else { return nil }
        let changes = first.log.log.changes(since: cursor)
        let others = second.log.log.changes(since: state.secondCursor)
        // No test sees this never hold: all rows would count as changed, which gives the same values.
        if changes == nil, others == nil { return nil }
        return (
            changes ?? RowChanges(renewing: state.firstRows.count, first.entries.bound),
            others ?? RowChanges(renewing: state.secondRows.count, second.entries.bound)
        )
    }

    @inlinable
    func build<Key, Value>(
        _ first: LiveDictionary<Key, Value>, _ second: LiveDictionary<Key, Value>, _ keys: ViewKeys<Key>,
        _ combine: (Row) -> Value
    ) where State == MergedState<Key, Value> {
        first.log.isFollowed = true
        second.log.isFollowed = true
        forgetRows()
        discard(state)
        state = MergedState()
        cursor = first.log.log.end
        state.secondCursor = second.log.log.end
        hasChanged = true
        log.noteAll()
        keys.noteChangeOfAll()
        evaluateElements {
            first.entries.forEach { row, key, _ in
                _ = state.put(row, isFirst: true, key)
                return true
            }
            second.entries.forEach { row, key, _ in
                let entry = state.put(row, isFirst: false, key)
                if state[entry].first != 0 { state[entry].value = combine(entry) }
                return true
            }
        }
    }

    @inlinable
    func takeOut<Key, Value>(
        _ changes: RowChanges, isFirst: Bool, _ entries: KeyedEntries<Key, Value>,
        _ touched: inout ContiguousArray<RowChange>
    ) where State == MergedState<Key, Value> {
        // No test sees this always hold: rows that stay are put in again.
        for change in changes where !entries.contains(change.row) || change.reasons.contains(.renewed) {
            if let row = state.take(change.row, isFirst: isFirst) { touched.append(RowChange(row, .updated)) }
        }
    }

    @inlinable
    func putIn<Key, Value>(
        _ changes: RowChanges, isFirst: Bool, _ entries: KeyedEntries<Key, Value>,
        _ touched: inout ContiguousArray<RowChange>
    ) where State == MergedState<Key, Value> {
        for change in changes where entries.contains(change.row) {
            let isNew = state.index.count
            let row = state.put(change.row, isFirst: isFirst, entries.key(change.row))
            touched.append(RowChange(row, state.index.count == isNew ? .updated : .renewed))
        }
    }

    /// Updates the value of a row and notes the change.
    @inlinable
    func update<Key, Value>(
        _ change: RowChange, _ keys: ViewKeys<Key>, _ areEqual: (Value, Value) -> Bool, _ combine: (Row) -> Value
    ) where State == MergedState<Key, Value> {
        let row = change.row
        // No test sees this always hold: a row without an entry has no closure, and is not listed twice.
        guard state.contains(row) else { return }
        let entry = state[row]
        // No test sees this always hold: the closure's next run records its dependencies again.
        if entry.first == 0 || entry.second == 0 { forget(row) }
        if entry.first == 0, entry.second == 0 {
            let old = state.remove(row)
            note(row, .gone, count: state.index.count)
            keys.noteChange(of: old.key)
            return discard(old)
        }
        let hasBoth = entry.first != 0 && entry.second != 0
        if hasBoth {
            let value = combine(row)
            if let old = entry.value {
                if untracked({ areEqual(old, value) }) { return }
                discard(old)
            }
            state[row].value = value
        } else if let old = entry.value {
            discard(old)
            state[row].value = nil
        }
        note(row, change.reasons.contains(.renewed) ? .renewed : .updated, count: state.index.count)
        keys.noteChange(of: entry.key)
    }
}
