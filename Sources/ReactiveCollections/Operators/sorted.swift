// The elements in the order of a key. State: the key of each row, and an order of its own.

import Reactive

extension LiveArray {
    /// Returns a view of the elements in ascending order of a key.
    ///
    /// ```swift
    /// let next = todos.live.sorted(by: \.due)
    /// ```
    ///
    /// Elements with equal keys are in the order of this view. The view keeps the keys.
    ///
    /// - Parameters:
    ///   - name: What diagnostics call the view. Without one: the file and line that created it.
    ///   - isolation: The actor that `key` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    ///   - key: Returns the key of an element. Runs once for each element that comes or changes, and again when an
    ///     observable changes that it has read. Kept as long as the view.
    /// - Complexity: O(log N) for each change.
    @inlinable
    public func sorted<Key: Comparable>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, by key: @escaping (Element) -> Key
    ) -> LiveArray<Element> {
        sorting(
            named: name, fileID: fileID, line: line, by: confined(key, to: isolation),
            areInIncreasingOrder: { $0 < $1 }
        ).belonging(to: isolation)
    }

    /// Returns a view of the elements in ascending order of a property.
    ///
    /// See the overload of `sorted(by:)` that takes a closure. A key path that is written in the call is compiled as a closure,
    /// which is faster.
    ///
    /// - Parameters:
    ///   - name: What diagnostics call the view. Without one: the file and line that created it.
    ///   - isolation: The actor that the property belongs to, by default the caller's; `nil` if it may be read anywhere.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    ///   - keyPath: The property.
    /// - Complexity: O(log N) for each change.
    @inlinable
    @_disfavoredOverload
    public func sorted<Key: Comparable>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, by keyPath: KeyPath<Element, Key>
    ) -> LiveArray<Element> {
        sorting(
            named: name, fileID: fileID, line: line, by: confined({ $0[keyPath: keyPath] }, to: isolation),
            areInIncreasingOrder: { $0 < $1 }
        ).belonging(to: isolation)
    }

    /// Returns a view of the elements in an order of their keys.
    ///
    /// ```swift
    /// let newest = articles.live.sorted(by: \.date, >)
    /// ```
    ///
    /// Elements of which neither key comes first are in the order of this view. The view keeps the keys.
    ///
    /// - Parameters:
    ///   - name: What diagnostics call the view. Without one: the file and line that created it.
    ///   - isolation: The actor that the closures belong to, by default the caller's; `nil` if they may run anywhere.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    ///   - key: Returns the key of an element. Runs once for each element that comes or changes, and again when an
    ///     observable changes that it has read. Kept as long as the view.
    ///   - areInIncreasingOrder: Whether the first key comes before the second; a strict weak ordering. Runs untracked:
    ///     it must depend on the keys alone. Kept as long as the view.
    /// - Complexity: O(log N) for each change.
    @inlinable
    public func sorted<Key>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, by key: @escaping (Element) -> Key,
        _ areInIncreasingOrder: @escaping (Key, Key) -> Bool
    ) -> LiveArray<Element> {
        sorting(
            named: name, fileID: fileID, line: line, by: confined(key, to: isolation),
            areInIncreasingOrder: confined(areInIncreasingOrder, to: isolation)
        ).belonging(to: isolation)
    }

    /// Returns a view of the elements in an order of a property.
    ///
    /// See ``sorted(named:isolation:fileID:line:by:_:)``. A key path that is written in the call is compiled as a
    /// closure, which is faster.
    ///
    /// - Parameters:
    ///   - name: What diagnostics call the view. Without one: the file and line that created it.
    ///   - isolation: The actor that the property and the predicate belong to, by default the caller's; `nil` if they may
    ///     be used anywhere.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    ///   - keyPath: The property.
    ///   - areInIncreasingOrder: Whether the first key comes before the second; a strict weak ordering. Runs untracked:
    ///     it must depend on the keys alone. Kept as long as the view.
    /// - Complexity: O(log N) for each change.
    @inlinable
    @_disfavoredOverload
    public func sorted<Key>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, by keyPath: KeyPath<Element, Key>,
        _ areInIncreasingOrder: @escaping (Key, Key) -> Bool
    ) -> LiveArray<Element> {
        sorting(
            named: name, fileID: fileID, line: line, by: confined({ $0[keyPath: keyPath] }, to: isolation),
            areInIncreasingOrder: confined(areInIncreasingOrder, to: isolation)
        ).belonging(to: isolation)
    }

    /// Returns a view of the elements in the order of a predicate.
    ///
    /// ```swift
    /// let next = todos.live.sorted { ($0.due, $0.title) < ($1.due, $1.title) }
    /// ```
    ///
    /// Elements of which neither comes first are in the order of this view. The view keeps the elements.
    ///
    /// To find out what the order of an element depends on, the view compares the element with itself, tracked. When an
    /// observable changes that this comparison has read, the element gets its new position. Other comparisons are
    /// untracked.
    ///
    /// - Parameters:
    ///   - name: What diagnostics call the view. Without one: the file and line that created it.
    ///   - isolation: The actor that the predicate belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    ///   - areInIncreasingOrder: Whether the first element comes before the second; a strict weak ordering. Kept as long
    ///     as the view.
    /// - Complexity: O(log N) comparisons for each change.
    @inlinable
    public func sorted(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, by areInIncreasingOrder: @escaping (Element, Element) -> Bool
    ) -> LiveArray<Element> {
        let areInIncreasingOrder = confined(areInIncreasingOrder, to: isolation)
        return sorting(
            named: name, fileID: fileID, line: line,
            by: {
                _ = areInIncreasingOrder($0, $0)
                return $0
            },
            areInIncreasingOrder: areInIncreasingOrder
        ).belonging(to: isolation)
    }
}

extension LiveArray {
    @inlinable
    func sorting<Key>(
        named name: String?, fileID: StaticString, line: UInt, by key: @escaping (Element) -> Key,
        areInIncreasingOrder: @escaping (Key, Key) -> Bool
    ) -> LiveArray<Element> {
        let view = View(
            beside: stage.node, hasOwnOrder: true, named: name, fileID: fileID, line: line, state: SortedState<Key>()
        ) { [self] view in
            let own = view.own.unsafelyUnwrapped
            view.follow(stage, log) {
                view.discard(view.state)
                view.state = SortedState()
                var entries: ContiguousArray<SortedState<Key>.Entry> = []
                entries.reserveCapacity(ordering.count)
                forEachRow { row, element in
                    let key = view.evaluate(row) { key(element) }
                    _ = view.state.set(key, of: row)
                    entries.append(SortedState.Entry(key: key, row: row))
                    return true
                }
                untracked { entries.sort { areInIncreasingOrder($0.key, $1.key) } }
                own.rows = RowOrder(entries.lazy.map(\.row))
            } update: { changes in
                for change in changes {
                    let row = change.row
                    guard ordering.contains(row) else {
                        view.dropKey(of: row)
                        continue
                    }
                    if change.reasons.contains(.renewed) { view.takeOut(row) }
                    guard change.reasons != .moved || !view.state.hasKey(of: row) else { continue }
                    let key = view.evaluate(row) { key(element(row)) }
                    if let old = view.state.set(key, of: row) { view.discard(old) }
                }
                untracked {
                    // A copy, so that reading a key takes no reference.
                    let state = view.state
                    if changes.count == 1, !changes.isReordered {
                        return view.place(changes.only, in: state, like: ordering, by: areInIncreasingOrder)
                    }
                    view.place(
                        changes, like: ordering, where: { state.hasKey(of: $0) },
                        by: { [ordering] in state.precedes($0, $1, by: areInIncreasingOrder, else: ordering) })
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

/// The keys of a sorted view.
@frozen @usableFromInline
struct SortedState<Key> {
    @usableFromInline var keys = Chunked<Key?>()

    @inlinable
    init() {}

    /// A row with its key, for sorting all rows at once.
    @frozen @usableFromInline
    struct Entry {
        @usableFromInline let key: Key
        @usableFromInline let row: Row

        @inlinable @inline(__always)
        init(key: Key, row: Row) {
            self.key = key
            self.row = row
        }
    }

    @inlinable @inline(__always)
    func hasKey(of row: Row) -> Bool { Int(row) < keys.count && keys[Int(row)] != nil }

    /// Sets a key; returns the one that the row had, if it had one.
    @inlinable @inline(__always)
    mutating func set(_ key: Key, of row: Row) -> Key? {
        while keys.count <= Int(row) { keys.append(nil) }
        let old = keys[Int(row)]
        keys[Int(row)] = key
        return old
    }

    /// Whether a row comes before another one: by their keys, else in the order of the stage above.
    @inlinable @inline(__always)
    func precedes(
        _ a: Row, _ b: Row, by areInIncreasingOrder: (Key, Key) -> Bool, else ordering: Ordering
    ) -> Bool {
        let (first, second) = (keys[Int(a)].unsafelyUnwrapped, keys[Int(b)].unsafelyUnwrapped)
        if areInIncreasingOrder(first, second) { return true }
        if areInIncreasingOrder(second, first) { return false }
        return ordering.comesBefore(a, b)
    }
}

extension View {
    /// Puts the only changed row where it belongs, and notes what followers have to know.
    @inlinable
    func place<Key>(
        _ change: RowChange, in state: SortedState<Key>, like ordering: Ordering,
        by areInIncreasingOrder: (Key, Key) -> Bool
    ) where State == SortedState<Key> {
        let (own, row) = (own.unsafelyUnwrapped, change.row)
        guard state.hasKey(of: row) else { return }
        if own.rows.contains(row) {
            own.rows.remove(row) { before, after in
                if let before, !state.precedes(before, row, by: areInIncreasingOrder, else: ordering) { return false }
                if let after, !state.precedes(row, after, by: areInIncreasingOrder, else: ordering) { return false }
                return true
            }
            if own.rows.contains(row) { return notePlaced(change, hasStayed: true) }
        }
        let key = state.keys[Int(row)].unsafelyUnwrapped
        own.rows.insert(row) { other in
            let otherKey = state.keys[Int(other)].unsafelyUnwrapped
            if areInIncreasingOrder(key, otherKey) { return true }
            return !areInIncreasingOrder(otherKey, key) && ordering.comesBefore(row, other)
        }
        notePlaced(change, hasStayed: false)
    }

    /// Forgets the key of a row that has gone, and takes the row out of the order.
    @inlinable
    func dropKey<Key>(of row: Row) where State == SortedState<Key> {
        guard state.hasKey(of: row) else { return }
        takeOut(row)
        discard(state.keys[Int(row)])
        state.keys[Int(row)] = nil
        note(row, [], count: own.unsafelyUnwrapped.count)
    }
}
