// Elements by a key. State: `GroupedState`. Groups that a caller keeps have a `GroupStage`.

import Reactive

extension LiveArray {
    /// Returns a view of the elements by a key: for each key a view of the elements that have it, in order.
    ///
    /// ```swift
    /// let byOwner = todos.live.grouped(by: { $0.owner })
    /// autorun { print(byOwner["Anne"]?.count ?? 0) }
    /// ```
    ///
    /// - A group belongs to the view while it has elements. If you keep a group, it becomes empty when its last element
    ///   leaves, and gets elements again when the key comes back. There is one ``LiveArray`` for each key while you
    ///   keep it.
    /// - Readers of a group depend on its elements alone. Readers of a key depend on whether the group exists. So a
    ///   change of an element affects the readers of at most two groups.
    /// - A group only counts its elements until code reads them in order or derives a view from the group. From then on
    ///   it keeps an order.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `key` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - key: Returns the key of an element. Runs once for each element that is inserted or changes, and again when
    ///     an observable that it has read changes. Kept alive by the view.
    /// - Complexity: O(1) for each change; O(log N) for a group that has an order.
    @inlinable
    public func grouped<Key: Hashable>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, by key: @escaping (Element) -> Key
    ) -> LiveDictionary<Key, LiveArray<Element>> {
        let keyOf = confined(key, to: isolation)
        let grouping = Grouping<Key>()
        let view = View(
            // No test sees this: an order of its own would stay empty.
            beside: stage.node, hasOwnOrder: false, named: name, fileID: fileID, line: line, state: GroupedState<Key>()
        ) { [self] view in
            view.follow(stage, log) {
                view.discard(view.state)
                view.state = GroupedState()
                var links = RowFiller(vacant: GroupLinks.Link())
                forEachRow { row, element in
                    let key = view.evaluateFirst(row) { keyOf(element) }
                    _ = view.state.insert(row, key: key, ViewKeys.hash(of: key), in: &links)
                    return true
                }
                view.state.links.links = links.finish()
                view.finishBuilding(grouping)
            } update: { changes in
                // Removes all elements that have left or moved before it inserts any: positions are looked up only
                // among elements that are in order.
                for change in changes { view.takeOut(change, grouping, like: ordering) }
                if changes.isReordered { grouping.touchAll { $0.reorder() } }
                for change in changes where ordering.contains(change.row) {
                    let row = change.row
                    if change.reasons == .moved {
                        view.putBack(row, grouping)
                    } else {
                        view.putIn(change, view.evaluate(row) { keyOf(element(row)) }, grouping)
                    }
                }
                grouping.markTouched()
            }
        }
        view.belong(to: isolation)
        grouping.keys.routing.view = view
        let group = groups(of: grouping)
        let node = StageNode(view)
        let entries = KeyedEntries(
            count: { view.state.count }, contains: { view.state.contains($0) }, key: { view.state[$0].key },
            value: { group(view.state[$0].key, view.state[$0].hash) }, find: { view.state.find($0, $1) },
            forEach: { body in
                let state = view.state
                state.forEach { body($0, $1.key, group($1.key, $1.hash)) }
            })
        return LiveDictionary<Key, LiveArray<Element>>(stage: node, log: view.log, entries: entries) { key, hash in
            node.refreshUntracked()
            let exists = view.state.find(key, hash) != nil
            guard node.isTracked else { return exists ? group(key, hash) : nil }
            // The node keeps the group, so that the reader's next run gets the same object.
            let node = grouping.keys.noteRead(of: key, hash)
            guard exists else { return nil }
            // No test sees this never hold: the group's own node finds the same object.
            if let live = node.value { return unsafeDowncast(live, to: LiveArray<Element>.self) }
            let live = group(key, hash)
            node.value = live
            return live
        }
    }

    /// Returns a function that finds or creates the view of a group. The function is called under the lock.
    @inlinable
    func groups<Key>(of grouping: Grouping<Key>) -> (Key, Int) -> LiveArray<Element> {
        { [ordering, element] key, hash in
            let node = grouping.node(key, hash, upstream: ordering)
            if let live = node.live { return unsafeDowncast(live, to: LiveArray<Element>.self) }
            let order = GroupOrdering(node)
            let live = LiveArray(
                stage: StageNode(group: node), ordering: order, log: node.log,
                element: { element(node.contents.groupRows.unsafelyUnwrapped.rows[Int($0)]) },
                forEachRow: { body in
                    order.forEach { body($0, element(node.contents.groupRows.unsafelyUnwrapped.rows[Int($0)])) }
                })
            node.live = live
            return live
        }
    }
}

extension View {
    /// Marks all groups as changed after the state was built.
    @inlinable
    func finishBuilding<Key>(_ grouping: Grouping<Key>) where State == GroupedState<Key> {
        grouping.keys.noteChangeOfAll()
        grouping.touchAll { $0.reset() }
        grouping.markTouched()
    }

    /// Removes a changed row from its group if it has left or belongs to a different element; if it has moved, removes
    /// it from the group's order.
    @inlinable
    func takeOut<Key>(_ change: RowChange, _ grouping: Grouping<Key>, like ordering: Ordering)
    where State == GroupedState<Key> {
        let row = change.row
        guard let group = state.links.group(of: row) else { return }
        if !ordering.contains(row) || change.reasons.contains(.renewed) {
            remove(row, from: group, grouping)
            forget(row)
        } else if change.reasons.contains(.moved) {
            touch(group, grouping)?.takeOut(row, &state.links)
        }
    }

    /// Puts an element that has moved into the order of its group.
    @inlinable
    func putBack<Key>(_ row: Row, _ grouping: Grouping<Key>) where State == GroupedState<Key> {
        guard let group = state.links.group(of: row) else { return }
        touch(group, grouping)?.putBack(row, &state.links)
    }

    /// Puts a changed row into the group of its key.
    @inlinable
    func putIn<Key>(_ change: RowChange, _ key: Key, _ grouping: Grouping<Key>) where State == GroupedState<Key> {
        let row = change.row
        if let group = state.links.group(of: row) {
            if ViewKeys<Key>.comparing({ state.has(group, key) }) {
                guard change.reasons != .flipped, let node = touch(group, grouping) else { return }
                if change.reasons.contains(.moved) { node.putBack(row, &state.links) }
                if change.reasons.contains(.updated) { node.update(row, &state.links) }
                return
            }
            remove(row, from: group, grouping)
        }
        let hash = ViewKeys.hash(of: key)
        let group = state.insert(row, key: key, hash)
        grouping.touch(key, hash)?.insert(row, &state.links)
        guard state[group].count == 1 else { return }
        note(group, .renewed, count: state.count)
        grouping.keys.noteChange(of: key)
    }

    @inlinable
    func remove<Key>(_ row: Row, from group: Row, _ grouping: Grouping<Key>) where State == GroupedState<Key> {
        touch(group, grouping)?.remove(row, &state.links)
        state.remove(row, from: group)
        guard state[group].count == 0 else { return }
        let record = state.removeGroup(group)
        note(group, .gone, count: state.count)
        grouping.keys.noteChange(of: record.key)
        discard(record)
    }

    @inlinable @inline(__always)
    func touch<Key>(_ group: Row, _ grouping: Grouping<Key>) -> GroupNode<Key>? where State == GroupedState<Key> {
        // No test sees this never hold: a search finds no node.
        grouping.isEmpty ? nil : grouping.touchExisting(state[group].key, state[group].hash)
    }
}
