// The first element of each key. State: the key of each row, groups of rows with equal keys, and an order of its own.

import Reactive

extension LiveArray where Element: Hashable {
    /// Returns a view of the elements without those that equal an earlier one.
    ///
    /// When the first of several equal elements leaves, the next one appears in the view. If `==` and `hash(into:)`
    /// read observables of an element, the view follows them.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Complexity: O(log N) for each change.
    @inlinable
    public func uniqued(
        named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> LiveArray<Element> {
        uniquing(named: name, fileID: fileID, line: line) {
            // No test sees this always hold: a trivial type contains no observables.
            if !_isPOD(Element.self) {
                // No test sees this: `!=` reads the same observables.
                _ = $0 == $0
            }
            return $0
        }
    }
}

extension LiveArray {
    /// Returns a view of the elements without those whose key equals that of an earlier one.
    ///
    /// ```swift
    /// let owners = todos.live.uniqued(by: \.owner)
    /// ```
    ///
    /// When the first element with a key leaves, the next one appears in the view. The view keeps the keys.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `key` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - key: Returns the key of an element. Runs once for each element that is inserted or changes, and again when
    ///     an observable that it has read changes. Kept alive by the view.
    /// - Complexity: O(log N) for each change.
    @inlinable
    public func uniqued<Key: Hashable>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, by key: @escaping (Element) -> Key
    ) -> LiveArray<Element> {
        uniquing(named: name, fileID: fileID, line: line, by: confined(key, to: isolation)).belonging(to: isolation)
    }

    /// Returns a view of the elements without those whose property equals that of an earlier one.
    ///
    /// See ``uniqued(named:isolation:fileID:line:by:)``. A key path that is written in the call is compiled as a
    /// closure, which is faster.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that the property belongs to, by default the caller's; `nil` if it may be read
    ///     anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - keyPath: The property.
    /// - Complexity: O(log N) for each change.
    @inlinable
    @_disfavoredOverload
    public func uniqued<Key: Hashable>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, by keyPath: KeyPath<Element, Key>
    ) -> LiveArray<Element> {
        uniquing(named: name, fileID: fileID, line: line, by: confined({ $0[keyPath: keyPath] }, to: isolation))
            .belonging(to: isolation)
    }

    @inlinable
    func uniquing<Key: Hashable>(
        named name: String?, fileID: StaticString, line: UInt, by key: @escaping (Element) -> Key
    ) -> LiveArray<Element> {
        let view = View(
            beside: stage.node, hasOwnOrder: true, named: name, fileID: fileID, line: line, state: UniqueState<Key>()
        ) { [self] view in
            // Computes the hash together with the key, so that observables read by `hash(into:)` are tracked too.
            func evaluate(_ row: Row, _ element: Element) -> Int {
                let (key, hash) = view.evaluate(row) {
                    let key = key(element)
                    return (key, key.hashValue)
                }
                if let old = view.state.set(key, of: row) { view.discard(old) }
                return hash
            }
            view.follow(stage, log) {
                view.discard(view.state)
                view.state = UniqueState()
                var rows: ContiguousArray<Row> = []
                // No test sees this left out: it only saves allocations.
                rows.reserveCapacity(ordering.count)
                forEachRow { row, element in
                    let hash = evaluate(row, element)
                    untracked { view.state.append(row, hash: hash) }
                    rows.append(row)
                    return true
                }
                view.showFirstRows(of: &view.state.groups, in: rows)
            } update: { changes in
                var moves = GroupMoves()
                for change in changes {
                    let row = change.row
                    guard ordering.contains(row) else {
                        view.dropKey(of: row, &moves)
                        continue
                    }
                    if change.reasons.contains(.renewed) { view.takeOut(row) }
                    if change.reasons.contains(.moved) { view.takeOutOfOrder(row) }
                    // No test sees this never hold: a row that has only moved has a key.
                    if change.reasons != .moved || !view.state.hasKey(of: row) {
                        let hash = evaluate(row, element(row))
                        _ = view.state.groups.leave(row, &moves)
                        moves.entering.append((row, hash))
                    } else if let hash = view.state.groups.leave(row, &moves) {
                        moves.entering.append((row, hash))
                    }
                }
                untracked {
                    // No test sees this always hold: grouping all rows again gives the same changes.
                    if changes.isReordered {
                        for (row, hash) in moves.entering { view.state.append(row, hash: hash) }
                        view.regroup(&view.state.groups, after: changes, like: ordering)
                    } else {
                        for (row, hash) in moves.entering { view.state.enter(row, hash: hash, like: ordering, &moves) }
                        view.showFirstRows(of: &view.state.groups, moves, after: changes, like: ordering)
                    }
                }
            }
        }
        return LiveArray(stage: StageNode(view), ordering: view.own.unsafelyUnwrapped, log: view.log, element: element)
        {
            [element] body in
            view.own.unsafelyUnwrapped.forEach { body($0, element($0)) }
        }
    }
}

/// The keys of a view of unique elements, and the groups of rows with equal keys.
@frozen @usableFromInline
struct UniqueState<Key: Hashable> {
    @usableFromInline var keys = Chunked<Key?>()
    @usableFromInline var groups = RowGroups()

    @inlinable
    init() {}

    @inlinable @inline(__always)
    func hasKey(of row: Row) -> Bool {
        Int(row) < keys.count
            // No test sees this always hold: dropping no key changes nothing.
            && keys[Int(row)] != nil
    }

    /// Sets a key; returns the one that the row had, if it had one.
    @inlinable @inline(__always)
    mutating func set(_ key: Key, of row: Row) -> Key? {
        while keys.count <= Int(row) { keys.append(nil) }
        let old = keys[Int(row)]
        keys[Int(row)] = key
        return old
    }

    /// Adds a row to the group of its key, at any position. `RowGroups.finish` must be called later.
    @inlinable
    mutating func append(_ row: Row, hash: Int) {
        let group = group(of: row, hash: hash)
        groups.append(row, to: group, hash: hash)
    }

    /// Inserts a row into the group of its key.
    @inlinable
    mutating func enter(_ row: Row, hash: Int, like ordering: Ordering, _ moves: inout GroupMoves) {
        let group = group(of: row, hash: hash)
        groups.enter(row, group, hash: hash, like: ordering, &moves)
    }

    /// The group of a row's key, if there is one.
    @inlinable
    func group(of row: Row, hash: Int) -> UInt32? {
        let key = keys[Int(row)].unsafelyUnwrapped
        return groups.index.find(hash: hash) { keys[Int(groups.first(of: $0))].unsafelyUnwrapped == key }
    }
}

extension View {
    /// Removes the key of a row that has left, and removes the row from its group and from the order.
    @inlinable
    func dropKey<Key>(of row: Row, _ moves: inout GroupMoves) where State == UniqueState<Key> {
        guard state.hasKey(of: row) else { return }
        _ = state.groups.leave(row, &moves)
        takeOut(row)
        discard(state.keys[Int(row)])
        state.keys[Int(row)] = nil
    }
}
