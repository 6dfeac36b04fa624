// The least and the greatest element. State: a key for each row, and a tournament tree of the rows.

import Reactive

extension LiveArray {
    /// Returns the least element by a key, as a `Computed` that is kept up to date. If several are equal, returns the
    /// first.
    ///
    /// ```swift
    /// let next = todos.live.min(by: \.due)
    /// ```
    ///
    /// - Parameters:
    ///   - key: Returns the key of an element, such as a key path. Tracked. Runs once for each element that is inserted
    ///     or changes, and again when an observable that it has read changes.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `key` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Returns: The element; `nil` if there is none. Its readers run when the element changes or a different one
    ///   replaces it.
    /// - Complexity: O(log N) comparisons for each change.
    @inlinable
    public func min<Key: Comparable>(
        by key: @escaping (Element) -> Key, named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Computed<Element?> {
        winner(
            key: confined(key, to: isolation), precedes: { $0 < $1 }, isTracked: true, named: name, fileID: fileID,
            line: line)
    }

    /// Returns the greatest element by a key, as a `Computed` that is kept up to date. If several are equal, returns
    /// the first.
    ///
    /// - Parameters:
    ///   - key: Returns the key of an element, such as a key path. Tracked. Runs once for each element that is inserted
    ///     or changes, and again when an observable that it has read changes.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that `key` belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Returns: The element; `nil` if there is none. Its readers run when the element changes or a different one
    ///   replaces it.
    /// - Complexity: O(log N) comparisons for each change.
    @inlinable
    public func max<Key: Comparable>(
        by key: @escaping (Element) -> Key, named name: String? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Computed<Element?> {
        winner(
            key: confined(key, to: isolation), precedes: { $1 < $0 }, isTracked: true, named: name, fileID: fileID,
            line: line)
    }

    /// Returns the least element by a comparison, as a `Computed` that is kept up to date. If several are equal,
    /// returns the first.
    ///
    /// - Parameters:
    ///   - areInIncreasingOrder: Whether one element is less than the other. Not tracked: the compared values must
    ///     change only with the element. Runs O(log N) times for each change.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that the closure belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Returns: The element; `nil` if there is none. Its readers run when the element changes or a different one
    ///   replaces it.
    /// - Complexity: O(log N) comparisons for each change.
    @inlinable
    public func min(
        by areInIncreasingOrder: @escaping (Element, Element) -> Bool, named name: String? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Computed<Element?> {
        winner(
            // No test sees this: a key that is the element itself reads nothing.
            key: { $0 }, precedes: confined(areInIncreasingOrder, to: isolation), isTracked: false, named: name,
            fileID: fileID, line: line)
    }

    /// Returns the greatest element by a comparison, as a `Computed` that is kept up to date. If several are equal,
    /// returns the first.
    ///
    /// - Parameters:
    ///   - areInIncreasingOrder: Whether one element is less than the other. Not tracked: the compared values must
    ///     change only with the element. Runs O(log N) times for each change.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - isolation: The actor that the closure belongs to, by default the caller's; `nil` if it may run anywhere.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Returns: The element; `nil` if there is none. Its readers run when the element changes or a different one
    ///   replaces it.
    /// - Complexity: O(log N) comparisons for each change.
    @inlinable
    public func max(
        by areInIncreasingOrder: @escaping (Element, Element) -> Bool, named name: String? = nil,
        isolation: isolated (any Actor)? = #isolation, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Computed<Element?> {
        let areInIncreasingOrder = confined(areInIncreasingOrder, to: isolation)
        return winner(
            // No test sees this: a key that is the element itself reads nothing.
            key: { $0 }, precedes: { areInIncreasingOrder($1, $0) }, isTracked: false, named: name, fileID: fileID,
            line: line)
    }

    /// The first element that no other element precedes.
    @inlinable
    func winner<Key>(
        key: @escaping (Element) -> Key, precedes: @escaping (Key, Key) -> Bool, isTracked: Bool, named name: String?,
        fileID: StaticString, line: UInt
    ) -> Computed<Element?> {
        let view = winnerView(
            key: key, precedes: precedes, isTracked: isTracked, named: name, fileID: fileID, line: line)
        let element = element
        return stage.withLock {
            Computed(named: name, equals: .automatic, isolation: nil, fileID: fileID, line: line) {
                view.read { view.state.tree.total.map(element) }
            }
        }
    }

    @inlinable
    func winnerView<Key>(
        key: @escaping (Element) -> Key, precedes: @escaping (Key, Key) -> Bool, isTracked: Bool, named name: String?,
        fileID: StaticString, line: UInt
    ) -> View<WinnerState<Key>> {
        View(
            // No test sees this: an order of its own would stay empty.
            beside: stage.node, hasOwnOrder: false, named: name, fileID: fileID, line: line, state: WinnerState()
        ) { [self] view in
            /// The winner of two rows; if they are equal, the one that comes first in the stage above.
            func better(_ a: Row, _ b: Row) -> Row {
                let keyA = view.state.keys[Int(a)].unsafelyUnwrapped
                let keyB = view.state.keys[Int(b)].unsafelyUnwrapped
                return untracked {
                    if precedes(keyA, keyB) { return a }
                    if precedes(keyB, keyA) { return b }
                    return ordering.comesBefore(a, b) ? a : b
                }
            }
            func evaluate(_ row: Row, _ element: Element) -> Key {
                // No test sees this always hold: a key that is the element itself reads nothing.
                isTracked ? view.evaluate(row) { key(element) } : key(element)
            }
            func buildTree() {
                let keys = view.state.keys
                let rows = (0..<Row(keys.count)).lazy.map { keys[Int($0)] == nil ? nil : $0 }
                view.state.tree = SummaryTree(rows, combine: better)
            }
            view.follow(stage, log) {
                view.discard(view.state)
                var keys = RowFiller<Key?>(vacant: nil)
                forEachRow { row, element in
                    keys.set(evaluate(row, element), at: row)
                    return true
                }
                view.state.keys = keys.finish()
                buildTree()
            } update: { changes in
                let before = view.state.tree.total
                var hasChanged = false
                for change in changes {
                    let row = change.row
                    let isGone = !ordering.contains(row)
                    // No test sees this always hold: a row that has left counts as updated.
                    if !isGone, change.reasons == .moved { continue }
                    // No test sees this always hold: the closure's next run records its dependencies again.
                    if isGone { view.forget(row) }
                    let new = isGone ? nil : evaluate(row, element(row))
                    if let old = view.state.keys.take(row) { view.discard(old) }
                    if let new { view.state.keys.set(new, at: row) }
                    if row == before, change.reasons != .flipped { hasChanged = true }
                }
                // No test sees this always hold: the whole tree has the same winner.
                if changes.isReordered {
                    buildTree()
                } else {
                    let keys = view.state.keys
                    view.state.tree.set(
                        changes.lazy.map { ($0.row, keys.value(at: $0.row) == nil ? nil : $0.row) }, combine: better)
                }
                if hasChanged || view.state.tree.total != before { view.hasChanged = true }
            }
        }
    }
}

extension LiveArray where Element: Comparable {
    /// Returns the least element, as a `Computed` that is kept up to date. If several are equal, returns the first.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Returns: The element; `nil` if there is none.
    /// - Complexity: O(log N) comparisons for each change.
    @inlinable
    public func min(
        named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Computed<Element?> {
        // No test sees this: a key that is the element itself reads nothing.
        winner(key: { $0 }, precedes: { $0 < $1 }, isTracked: false, named: name, fileID: fileID, line: line)
    }

    /// Returns the greatest element, as a `Computed` that is kept up to date. If several are equal, returns the first.
    ///
    /// - Parameters:
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Returns: The element; `nil` if there is none.
    /// - Complexity: O(log N) comparisons for each change.
    @inlinable
    public func max(
        named name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Computed<Element?> {
        // No test sees this: a key that is the element itself reads nothing.
        winner(key: { $0 }, precedes: { $1 < $0 }, isTracked: false, named: name, fileID: fileID, line: line)
    }
}

/// The keys of the rows and the tree of winners.
@frozen @usableFromInline
struct WinnerState<Key> {
    @usableFromInline var keys = Chunked<Key?>()
    /// The winner of each group of 16 rows, and of each group of 16 winners.
    @usableFromInline var tree = SummaryTree<Row>()

    @inlinable
    init() {}
}
