// The entries of a view by key in order: `keys` and `values`. State: an order, by number of the row.

import Reactive

extension LiveDictionary {
    /// A view of the keys, in the order of the entries. Its observers do not run for changes of values.
    ///
    /// The order is that of the collection's own iteration: unspecified, but a key keeps its position relative to the
    /// others.
    ///
    /// - Complexity: O(log N) for each key that comes or leaves.
    @inlinable
    public var keys: LiveArray<Key> { ordered(notesUpdates: false, entries.key) }

    /// A view of the values, in the order of ``keys``.
    ///
    /// - Complexity: O(log N) for each key that comes or leaves, O(1) for a value that changes.
    @inlinable
    public var values: LiveArray<Value> { ordered(notesUpdates: true, entries.value) }

    /// A view of the keys and values, in the order of ``keys``.
    @inlinable
    var pairs: LiveArray<(key: Key, value: Value)> {
        let entries = entries
        return ordered(notesUpdates: true) { (entries.key($0), entries.value($0)) }
    }

    @inlinable
    func ordered<Element>(notesUpdates: Bool, _ element: @escaping (Row) -> Element) -> LiveArray<Element> {
        let view = View(
            beside: stage.node, hasOwnOrder: true, named: nil, fileID: #fileID, line: #line, state: ()
        ) { [stage, log, entries] view in
            let own = view.own.unsafelyUnwrapped
            view.follow(stage, log) {
                var rows: ContiguousArray<Row> = []
                // No test sees this left out: it only saves allocations.
                rows.reserveCapacity(entries.count())
                entries.forEach { row, _, _ in
                    rows.append(row)
                    return true
                }
                own.rows = RowOrder(rows)
            } update: { changes in
                for change in changes {
                    let row = change.row
                    guard entries.contains(row) else {
                        if own.rows.contains(row) {
                            own.rows.remove(row)
                            view.note(row, .gone, count: own.rows.count)
                        }
                        continue
                    }
                    if !own.rows.contains(row) {
                        own.insertByNumber(row)
                        view.note(row, .renewed, count: own.rows.count)
                    } else if change.reasons.contains(.renewed) {
                        view.note(row, .renewed, count: own.rows.count)
                    } else if notesUpdates {
                        view.note(row, .updated, count: own.rows.count)
                    }
                }
            }
        }
        view.shareName(of: stage.node)
        return LiveArray(
            stage: StageNode(view), ordering: view.own.unsafelyUnwrapped, log: view.log, element: element
        ) { body in
            view.own.unsafelyUnwrapped.forEach { body($0, element($0)) }
        }
    }
}

extension ObservableSet {
    /// A view of the elements in the set's iteration order. Its operators create further views.
    ///
    /// - Complexity: O(1); O(N) for the first read.
    @inlinable
    public final var live: LiveArray<Element> {
        // Only for its keys: nothing reads a value.
        LiveDictionary(stage: StageNode(self), log: stageLog, entries: liveEntries) { _, _ in nil }.keys
    }
}

extension OwnOrdering {
    /// Inserts a row into an order by number.
    @usableFromInline
    final func insertByNumber(_ row: Row) {
        // No test sees this always hold: a row above all others is inserted at the end, too.
        // No test sees this boundary: the order does not have the row yet.
        if let last = rows.last, last > row {
            // No test sees this boundary: for the same reason.
            rows.insert(row, at: rows.firstPosition { $0 > row })
        } else {
            rows.append(row)
        }
    }
}
