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
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `key` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - key: Returns the key of an element. Runs once for each element that is inserted or changes, and again when
    ///     an observable that it has read changes. Kept alive by the view.
    /// - Complexity: O(log N) for each change.
    @inlinable
    public func sorted<Key: Comparable>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, by key: @escaping (Element) -> Key
    ) -> LiveArray<Element> {
        sorting(
            named: name, fileID: fileID, line: line, by: confined(key, to: isolation),
            in: AscendingKeys()
        ).belonging(to: isolation)
    }

    /// Returns a view of the elements in ascending order of a property.
    ///
    /// See the overload of `sorted(by:)` that takes a closure. A key path that is written in the call is compiled as a
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
    public func sorted<Key: Comparable>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, by keyPath: KeyPath<Element, Key>
    ) -> LiveArray<Element> {
        sorting(
            named: name, fileID: fileID, line: line, by: confined({ $0[keyPath: keyPath] }, to: isolation),
            in: AscendingKeys()
        ).belonging(to: isolation)
    }

    /// Returns a view of the elements in an order of their keys.
    ///
    /// ```swift
    /// let newest = articles.live.sorted(by: \.date, >)
    /// ```
    ///
    /// Elements whose keys are not ordered by the predicate are in the order of this view. The view keeps the keys.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that the closures belong to, by default the caller's; `nil` if they may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - key: Returns the key of an element. Runs once for each element that is inserted or changes, and again when
    ///     an observable that it has read changes. Kept alive by the view.
    ///   - areInIncreasingOrder: Whether the first key comes before the second; a strict weak ordering. Runs untracked:
    ///     it must depend on the keys alone. Kept alive by the view.
    /// - Complexity: O(log N) for each change.
    @inlinable
    public func sorted<Key>(
        named name: String? = nil, isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID,
        line: UInt = #line, by key: @escaping (Element) -> Key,
        _ areInIncreasingOrder: @escaping (Key, Key) -> Bool
    ) -> LiveArray<Element> {
        sorting(
            named: name, fileID: fileID, line: line, by: confined(key, to: isolation),
            in: KeyPredicate(confined(areInIncreasingOrder, to: isolation))
        ).belonging(to: isolation)
    }

    /// Returns a view of the elements in an order of a property.
    ///
    /// See ``sorted(named:isolation:fileID:line:by:_:)``. A key path that is written in the call is compiled as a
    /// closure, which is faster.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that the property and the predicate belong to, by default the caller's; `nil` if they
    ///     may be used anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - keyPath: The property.
    ///   - areInIncreasingOrder: Whether the first key comes before the second; a strict weak ordering. Runs untracked:
    ///     it must depend on the keys alone. Kept alive by the view.
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
            in: KeyPredicate(confined(areInIncreasingOrder, to: isolation))
        ).belonging(to: isolation)
    }

    /// Returns a view of the elements in the order of a predicate.
    ///
    /// ```swift
    /// let next = todos.live.sorted { ($0.due, $0.title) < ($1.due, $1.title) }
    /// ```
    ///
    /// Elements that the predicate does not order are in the order of this view. The view keeps the elements.
    ///
    /// To find the observables that the order of an element depends on, the view compares the element with itself,
    /// tracked. When an observable that this comparison has read changes, the element gets its new position. Other
    /// comparisons are untracked.
    ///
    /// - Parameters:
    ///   - name: The name of the view in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that the predicate belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    ///   - areInIncreasingOrder: Whether the first element comes before the second; a strict weak ordering. Kept alive
    ///     by the view.
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
            in: KeyPredicate(areInIncreasingOrder)
        ).belonging(to: isolation)
    }
}

extension LiveArray {
    @inlinable
    func sorting<Key, Order: KeyOrder>(
        named name: String?, fileID: StaticString, line: UInt, by key: @escaping (Element) -> Key, in order: Order
    ) -> LiveArray<Element> where Order.Key == Key {
        let areInIncreasingOrder: (Key, Key) -> Bool = { order.precedes($0, $1) }
        let view = View(
            beside: stage.node, hasOwnOrder: true, named: name, fileID: fileID, line: line, state: SortedState<Key>()
        ) { [self] view in
            let own = view.own.unsafelyUnwrapped
            view.follow(stage, log) {
                view.discard(view.state)
                var keys = RowFiller<Key?>(vacant: nil)
                var entries: ContiguousArray<SortedState<Key>.Entry> = []
                // No test sees this left out: it only saves allocations.
                entries.reserveCapacity(ordering.count)
                forEachRow { row, element in
                    let key = view.evaluateFirst(row) { key(element) }
                    keys.set(key, at: row)
                    entries.append(SortedState.Entry(key: key, row: row))
                    return true
                }
                view.state.keys = keys.finish()
                untracked { order.sort(&entries) }
                var rows: ContiguousArray<Row> = []
                // No test sees this left out: it only saves allocations.
                rows.reserveCapacity(entries.count)
                for entry in entries { rows.append(entry.row) }
                own.rows = RowOrder(rows)
                view.state.firsts = LeafKeys(of: own.rows, in: view.state.keys)
            } update: { changes in
                for change in changes {
                    let row = change.row
                    guard ordering.contains(row) else {
                        view.dropKey(of: row)
                        continue
                    }
                    if change.reasons.contains(.renewed) { view.takeOut(row) }
                    // No test sees this never hold: a row that has only moved has a key.
                    guard change.reasons != .moved || !view.state.hasKey(of: row) else { continue }
                    let key = view.evaluate(row) { key(element(row)) }
                    if let old = view.state.set(key, of: row) {
                        view.discard(old)
                        view.state.firsts.forget(row, in: own.rows)
                    }
                }
                untracked {
                    // A local copy, so that reading a key retains nothing.
                    let keys = view.state.keys
                    // No test sees this never hold: the code below places a single row, too.
                    if changes.count == 1, !changes.isReordered {
                        return view.place(changes.only, in: keys, like: ordering, by: areInIncreasingOrder)
                    }
                    let isNewOrder = view.place(
                        changes, like: ordering, where: { keys.hasKey(of: $0) },
                        by: { [ordering] in keys.precedes($0, $1, by: areInIncreasingOrder, else: ordering) })
                    // No test sees this always hold: it only saves collecting the keys again.
                    if isNewOrder { view.state.firsts = LeafKeys(of: own.rows, in: keys) }
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

/// The order of keys. A type instead of a closure, so that sorting many keys compares them inline.
@usableFromInline
protocol KeyOrder<Key> {
    associatedtype Key

    func precedes(_ a: Key, _ b: Key) -> Bool

    /// Sorts rows by their keys. Stable.
    func sort(_ entries: inout ContiguousArray<SortedState<Key>.Entry>)
}

/// The order given by `<`.
@frozen @usableFromInline
struct AscendingKeys<Key: Comparable>: KeyOrder {
    @inlinable @inline(__always)
    init() {}

    @inlinable @inline(__always)
    func precedes(_ a: Key, _ b: Key) -> Bool { a < b }

    @inlinable
    func sort(_ entries: inout ContiguousArray<SortedState<Key>.Entry>) { entries.sort { $0.key < $1.key } }
}

/// The order given by a closure.
@frozen @usableFromInline
struct KeyPredicate<Key>: KeyOrder {
    @usableFromInline let predicate: (Key, Key) -> Bool

    @inlinable @inline(__always)
    init(_ predicate: @escaping (Key, Key) -> Bool) { self.predicate = predicate }

    @inlinable @inline(__always)
    func precedes(_ a: Key, _ b: Key) -> Bool { predicate(a, b) }

    @inlinable
    func sort(_ entries: inout ContiguousArray<SortedState<Key>.Entry>) {
        entries.sort { predicate($0.key, $1.key) }
    }
}

/// The keys of a sorted view.
@frozen @usableFromInline
struct SortedState<Key> {
    @usableFromInline var keys = Chunked<Key?>()
    @usableFromInline var firsts = LeafKeys<Key>()

    @inlinable
    init() {}

    /// A row with its key, for sorting all rows in one pass.
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
    func hasKey(of row: Row) -> Bool { keys.hasKey(of: row) }

    /// Sets a key; returns the one that the row had, if it had one.
    @inlinable @inline(__always)
    mutating func set(_ key: Key, of row: Row) -> Key? {
        while keys.count <= Int(row) { keys.append(nil) }
        let old = keys[Int(row)]
        keys[Int(row)] = key
        return old
    }
}

/// The keys of the first rows of an order's leaves, in contiguous storage.
///
/// A search compares with these first, so they stay in the processor's cache. Looking up a key by its row would miss
/// the cache each time. Used only for keys of trivial types: others would be released too late, or where releasing is
/// forbidden.
@frozen @usableFromInline
struct LeafKeys<Key> {
    @frozen @usableFromInline
    struct Entry {
        @usableFromInline let key: Key
        /// The number of the edit that made the row the first of its leaf. The key is valid as long as no later edit
        /// changed the first row.
        @usableFromInline let edit: UInt32

        @inlinable @inline(__always)
        init(key: Key, edit: UInt32) {
            self.key = key
            self.edit = edit
        }
    }

    /// The entries by leaf number.
    @usableFromInline var entries = Chunked<Entry?>()

    @inlinable
    init() {}

    /// Creates the keys of an order that has just been built.
    @inlinable
    init(of order: RowOrder, in keys: Chunked<Key?>) {
        // No test sees this always hold: keys of other types are not stored.
        // No test sees this never hold: searches store the keys, too.
        guard _isPOD(Key.self) else { return }
        // No test sees this left out: as above.
        order.forEachLeaf { _ = key(of: $0, in: keys) }
    }

    /// Returns the key of a row. For the first row of a leaf, does not access the keys of all rows.
    @inlinable @inline(__always)
    mutating func key(of candidate: RowOrder.Candidate, in keys: Chunked<Key?>) -> Key {
        let leaf = candidate.leaf
        // No test sees this always hold: it only saves accesses.
        if leaf == 0 || !_isPOD(Key.self) { return keys[Int(candidate.row)].unsafelyUnwrapped }
        // No test sees this never hold: as above.
        if Int(leaf) < entries.count, let entry = entries[Int(leaf)], entry.edit == candidate.edit { return entry.key }
        let key = keys[Int(candidate.row)].unsafelyUnwrapped
        // No test sees this left out: as above.
        set(Entry(key: key, edit: candidate.edit), of: leaf)
        return key
    }

    @inlinable @inline(never)
    // No test sees this left out: as above.
    mutating func set(_ entry: Entry, of leaf: UInt32) { entries.set(entry, at: leaf) }

    /// Removes the cached key of a row that gets a new key.
    @inlinable @inline(__always)
    mutating func forget(_ row: Row, in order: RowOrder) {
        // No test sees this always hold: there are no entries for keys of other types.
        guard _isPOD(Key.self), order.contains(row), let leaf = order.leaf(ofFirst: row) else { return }
        _ = entries.take(leaf)
    }
}

extension Chunked {
    /// Whether a row has a key.
    @inlinable @inline(__always)
    func hasKey<Key>(of row: Row) -> Bool where Element == Key? { Int(row) < count && self[Int(row)] != nil }

    /// Whether a row comes before another: by their keys; if these are equal, in the order of the stage above.
    @inlinable @inline(__always)
    func precedes<Key>(
        _ a: Row, _ b: Row, by areInIncreasingOrder: (Key, Key) -> Bool, else ordering: Ordering
    ) -> Bool where Element == Key? {
        let (first, second) = (self[Int(a)].unsafelyUnwrapped, self[Int(b)].unsafelyUnwrapped)
        if areInIncreasingOrder(first, second) { return true }
        if areInIncreasingOrder(second, first) { return false }
        return ordering.comesBefore(a, b)
    }
}

extension View {
    /// Moves the only changed row to its position and notes the change for followers.
    @inlinable
    func place<Key>(
        _ change: RowChange, in keys: Chunked<Key?>, like ordering: Ordering,
        by areInIncreasingOrder: (Key, Key) -> Bool
    ) where State == SortedState<Key> {
        let (own, row) = (own.unsafelyUnwrapped, change.row)
        guard keys.hasKey(of: row) else { return }
        if own.rows.contains(row) {
            own.rows.remove(row) { before, after in
                if let before, !keys.precedes(before, row, by: areInIncreasingOrder, else: ordering) { return false }
                if let after, !keys.precedes(row, after, by: areInIncreasingOrder, else: ordering) { return false }
                return true
            }
            if own.rows.contains(row) { return notePlaced(change, hasStayed: true) }
        }
        let key = keys[Int(row)].unsafelyUnwrapped
        // Moved out of the state, so that the closure does not change a copy.
        var firsts = LeafKeys<Key>()
        // No test sees this left out: keys would only be looked up again.
        swap(&firsts, &state.firsts)
        own.rows.insert(row) { other in
            let otherKey = firsts.key(of: other, in: keys)
            if areInIncreasingOrder(key, otherKey) { return true }
            return !areInIncreasingOrder(otherKey, key) && ordering.comesBefore(row, other.row)
        } announcing: {
            prefetch(keys.pointer(to: Int($0)))
        }
        // No test sees this left out: as above.
        swap(&firsts, &state.firsts)
        notePlaced(change, hasStayed: false)
    }

    /// Removes the key of a row that has left, and removes the row from the order.
    @inlinable
    func dropKey<Key>(of row: Row) where State == SortedState<Key> {
        guard state.hasKey(of: row) else { return }
        takeOut(row)
        discard(state.keys[Int(row)])
        state.keys[Int(row)] = nil
        note(row, .gone, count: own.unsafelyUnwrapped.count)
    }
}
