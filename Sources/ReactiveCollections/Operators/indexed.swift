// Elements by a unique key. State: `GroupedState`, and for each key the first of its elements.

import Reactive

extension LiveArray {
    /// Returns a view of the elements by a unique key.
    ///
    /// If several elements have the same key, the view reports an issue, once. The first of them in order is the value;
    /// when it leaves, the next one is.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `key` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - key: Returns the key of an element. Runs once for each element that is inserted or changes, and again when
    ///     an observable that it has read changes. Kept alive by the view.
    /// - Complexity: O(1) for each change; O(D log N) where D elements have the same key.
    @inlinable
    public func indexed<Key: Hashable>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, by key: @escaping (Element) -> Key
    ) -> LiveDictionary<Key, Element> {
        let keyOf = confined(key, to: isolation)
        let leaders = Leaders<Key>(upstream: ordering)
        let view = View(
            // No test sees this: an order of its own would stay empty.
            beside: stage.node, hasOwnOrder: false, named: name, fileID: fileID, line: line, state: GroupedState<Key>()
        ) { [self] view in
            view.follow(stage, log) {
                view.discard(view.state)
                view.state = GroupedState()
                leaders.keys.noteChangeOfAll()
                var links = RowFiller(vacant: GroupLinks.Link())
                forEachRow { row, element in
                    let key = view.evaluateFirst(row) { keyOf(element) }
                    let group = view.state.insert(row, key: key, ViewKeys.hash(of: key), in: &links)
                    if view.state[group].count == 1 {
                        view.state[group].leader = row &+ 1
                    } else {
                        leaders.reportDuplicate(key, in: view)
                    }
                    return true
                }
                view.state.links.links = links.finish()
            } update: { changes in
                for change in changes { leaders.takeOut(change, of: view) }
                // No test sees this always hold: the first elements are found again.
                if changes.isReordered { leaders.reorder(view) }
                for change in changes where ordering.contains(change.row) {
                    let row = change.row
                    if change.reasons == .moved { continue }
                    leaders.putIn(change, view.evaluate(row) { keyOf(element(row)) }, of: view)
                }
                leaders.finish(view)
            }
        }
        view.belong(to: isolation)
        leaders.keys.routing.view = view
        let value: (Row) -> Element = { [element] in element(view.state[$0].leader &- 1) }
        let entries = KeyedEntries(
            count: { view.state.count }, contains: { view.state.contains($0) }, key: { view.state[$0].key },
            value: value, find: { view.state.find($0, $1) },
            forEach: { body in view.state.forEach { body($0, $1.key, value($0)) } })
        return LiveDictionary(view: view, keys: leaders.keys, entries: entries)
    }
}

/// The first element of each key. Guarded by the graph's lock.
@usableFromInline
@_fixed_layout
final class Leaders<Key: Hashable> {
    @usableFromInline typealias Indexed = View<GroupedState<Key>>

    @usableFromInline let keys = ViewKeys<Key>()
    @usableFromInline let upstream: Ordering
    // Unchecked here and below: the graph's lock makes accesses exclusive.
    @exclusivity(unchecked) private final var hasReported = false
    /// The groups whose first element may be a different one.
    @exclusivity(unchecked) @usableFromInline final var doubtful: ContiguousArray<Row> = []

    @inlinable
    init(upstream: Ordering) { self.upstream = upstream }

    /// Reports the first duplicate.
    @usableFromInline
    final func reportDuplicate(_ key: Key, in view: Indexed) {
        guard !hasReported else { return }
        hasReported = true
        Hosting.report(
            .misuse,
            """
            \(view.displayName) is indexed by a key that several elements have: \(key). It contains only the first of \
            them. If several elements may have the same key, use `grouped(by:)`.
            """, site: view.displayName)
    }

    /// Removes a changed row if it has left or belongs to a different element.
    @inlinable
    final func takeOut(_ change: RowChange, of view: Indexed) {
        let row = change.row
        guard let group = view.state.links.group(of: row) else { return }
        if !upstream.contains(row) || change.reasons.contains(.renewed) {
            remove(row, from: group, of: view)
            view.forget(row)
            // No test sees this always hold: the first element is found again.
            // No test sees this boundary: for the same reason.
        } else if change.reasons.contains(.moved), view.state[group].count > 1 {
            doubt(group, of: view)
        }
    }

    /// Puts a changed row under its key.
    @inlinable
    final func putIn(_ change: RowChange, _ key: Key, of view: Indexed) {
        let row = change.row
        if let group = view.state.links.group(of: row) {
            if ViewKeys<Key>.comparing({ view.state.has(group, key) }) {
                if change.reasons.contains(.updated) { noteChange(of: row, in: group, of: view) }
                return
            }
            remove(row, from: group, of: view)
        }
        let group = view.state.insert(row, key: key, ViewKeys.hash(of: key))
        if view.state[group].count == 1 {
            view.state[group].leader = row &+ 1
            view.note(group, .renewed, count: view.state.count)
            keys.noteChange(of: key)
        } else {
            doubt(group, of: view)
            reportDuplicate(key, in: view)
        }
    }

    @inlinable
    final func remove(_ row: Row, from group: Row, of view: Indexed) {
        view.state.remove(row, from: group)
        guard view.state[group].count == 0 else { return noteChange(of: row, in: group, of: view) }
        let record = view.state.removeGroup(group)
        view.note(group, .gone, count: view.state.count)
        keys.noteChange(of: record.key)
        view.discard(record)
    }

    /// Notes that an element has changed or left. If it was the first, the value has changed.
    @inlinable
    final func noteChange(of row: Row, in group: Row, of view: Indexed) {
        // No test sees this always hold: the first element is found again.
        if view.state[group].leader == row &+ 1 { doubt(group, of: view) }
        if view.state[group].formerLeader == row &+ 1 { view.state[group].formerLeader = 0 }
    }

    /// Notes that the first element of a key may be a different one.
    @inlinable
    final func doubt(_ group: Row, of view: Indexed) {
        let leader = view.state[group].leader
        if leader == 0 { return }
        doubtful.append(group)
        view.state[group].formerLeader = leader
        view.state[group].leader = 0
    }

    /// Notes that all elements may have moved.
    @inlinable
    final func reorder(_ view: Indexed) {
        let state = view.state
        state.forEach { group, record in
            // No test sees this always hold: the first element is found again.
            // No test sees this boundary: as above.
            if record.count > 1 { doubt(group, of: view) }
            return true
        }
    }

    /// Finds the first elements of the doubtful groups.
    @inlinable @inline(__always)
    // No test sees this always hold: there is nothing to find.
    final func finish(_ view: Indexed) { if !doubtful.isEmpty { findLeaders(view) } }

    @inlinable @inline(never)
    final func findLeaders(_ view: Indexed) {
        for group in doubtful where view.state.contains(group) {
            let record = view.state[group]
            // No test sees this always hold: the group is a new one, which has been reported.
            guard record.leader == 0 else { continue }
            var leader: Row?
            view.state.links.forEach(from: record.head) { row in
                if leader.map({ upstream.precedes(row, $0) }) ?? true { leader = row }
            }
            let new = leader.unsafelyUnwrapped &+ 1
            view.state[group].leader = new
            if new == record.formerLeader { continue }
            view.note(group, .updated, count: view.state.count)
            keys.noteChange(of: record.key)
        }
        // No test sees this: each group has a first element now, so the list would only grow.
        doubtful.removeAll(keepingCapacity: true)
    }
}
