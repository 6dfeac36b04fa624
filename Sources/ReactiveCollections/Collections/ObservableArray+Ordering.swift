// Mutations of the order. Elements keep their rows, so views keep their data of them.

import Reactive

extension ObservableArray {
    // MARK: - Single elements

    /// Exchanges two elements.
    ///
    /// - Parameters:
    ///   - i: The position of one element.
    ///   - j: The position of the other. If both are the same, nothing happens.
    /// - Complexity: O(log N).
    @inlinable
    public final func swapAt(_ i: Int, _ j: Int) {
        beginWrite()
        checkIndex(i)
        checkIndex(j)
        if i == j {
            leave()
            return
        }
        keepForRollBack()
        // No test sees this always hold: without ids, the call does nothing.
        if ids != nil { prepareIDsForNewOrder() }
        state.elements.swapAt(i, j)
        if hasRows { swapRows(Swift.min(i, j), Swift.max(i, j)) }
        endWrite(countBefore: state.elements.count)
    }

    @usableFromInline
    final func swapRows(_ i: Int, _ j: Int) {
        let (first, second) = (ordering.rows.row(at: i), ordering.rows.row(at: j))
        ordering.rows.remove(second)
        ordering.rows.remove(first)
        ordering.rows.insert(second, at: i)
        ordering.rows.insert(first, at: j)
        stageLog.note(first, .moved, count: state.elements.count)
        stageLog.note(second, .moved, count: state.elements.count)
    }

    /// Moves an element.
    ///
    /// - Parameters:
    ///   - source: The position of the element.
    ///   - destination: The new position of the element. If both are the same, nothing happens.
    /// - Complexity: O(log N).
    @inlinable
    public final func move(from source: Int, to destination: Int) {
        beginWrite()
        checkIndex(source)
        checkIndex(destination)
        if source == destination {
            leave()
            return
        }
        keepForRollBack()
        // No test sees this always hold: without ids, the call does nothing.
        if ids != nil { prepareIDsForNewOrder() }
        let element = state.elements.remove(at: source)
        state.elements.insert(element, at: destination)
        if hasRows {
            let row = ordering.rows.row(at: source)
            ordering.rows.remove(row)
            ordering.rows.insert(row, at: destination)
            stageLog.note(row, .moved, count: state.elements.count)
        }
        endWrite(countBefore: state.elements.count)
    }

    /// Moves several elements to one position, with the parameters of SwiftUI's `onMove`.
    ///
    /// - Parameters:
    ///   - source: The positions of the elements, in any order. Read untracked, before the array is locked. The
    ///     elements keep their order.
    ///   - destination: The position before which the elements are inserted, counted before the move. It is at least 0
    ///     and at most ``count``.
    /// - Complexity: O(log N) for one element, else O(N).
    @inlinable
    public final func move(fromOffsets source: some Sequence<Int>, toOffset destination: Int) {
        let moved = untracked { Array(Set(source)) }.sorted()
        enter()
        defer { leave() }
        checkWrite()
        guard let first = moved.first, let last = moved.last else { return }
        checkRange(first..<last + 1)
        checkRange(destination..<destination)
        // No test sees this never hold: it only saves building the new order.
        if first == last { return move(from: first, to: first < destination ? destination - 1 : destination) }
        reorder { elements in
            let isMoved = Set(moved)
            return (0..<destination).filter { !isMoved.contains($0) } + moved
                + (destination..<elements.count).filter { !isMoved.contains($0) }
        }
    }

    // MARK: - All elements

    /// Sorts the elements. Equal elements keep their order.
    ///
    /// - Parameter areInIncreasingOrder: Returns whether the first element comes before the second. Called untracked
    ///   and with the graph locked, before any element moves. It must not use the array.
    /// - Throws: The error that the predicate throws. The order has not changed then.
    /// - Complexity: O(N log N).
    @inlinable
    public final func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
        try reorder { elements in
            try elements.indices.sorted { try areInIncreasingOrder(elements[$0], elements[$1]) }
        }
    }

    /// Reverses the order of the elements.
    ///
    /// - Complexity: O(N).
    @inlinable
    public final func reverse() { reorder { $0.indices.reversed() } }

    /// Shuffles the elements.
    ///
    /// - Complexity: O(N).
    @inlinable
    public final func shuffle() {
        var generator = SystemRandomNumberGenerator()
        shuffle(using: &generator)
    }

    /// Shuffles the elements.
    ///
    /// - Parameter generator: The source of random numbers. Called untracked and with the graph locked. It must not use
    ///   the array.
    /// - Complexity: O(N).
    @inlinable
    public final func shuffle(using generator: inout some RandomNumberGenerator) {
        reorder { $0.indices.shuffled(using: &generator) }
    }

    /// Moves the elements that satisfy a predicate to the end. Both parts keep their order.
    ///
    /// - Parameter belongsInSecondPartition: Called for each element in order, untracked and with the graph locked,
    ///   before any element moves. It must not use the array.
    /// - Returns: The position of the first element that satisfies the predicate, or the number of elements.
    /// - Throws: The error that the predicate throws. The order has not changed then.
    /// - Complexity: O(N).
    @inlinable
    @discardableResult
    public final func partition(by belongsInSecondPartition: (Element) throws -> Bool) rethrows -> Int {
        var pivot = 0
        try reorder { elements in
            var parts: (first: [Int], second: [Int]) = ([], [])
            for index in elements.indices {
                if try belongsInSecondPartition(elements[index]) {
                    parts.second.append(index)
                } else {
                    parts.first.append(index)
                }
            }
            pivot = parts.first.count
            return parts.first + parts.second
        }
        return pivot
    }

    /// Reorders the elements. User code returns the old positions of the elements in their new order.
    @inlinable
    final func reorder(_ newOrder: ([Element]) throws -> [Int]) rethrows {
        beginWrite()
        let old = state.elements
        defer { withExtendedLifetime(old) { leave() } }
        let order = try withUserCode {
            let elements = Array(ArraySnapshot(old))
            return (try newOrder(elements), elements)
        }
        let (positions, elements) = order
        guard let first = positions.indices.first(where: { positions[$0] != $0 }),
            let last = positions.indices.last(where: { positions[$0] != $0 })
        else { return }
        keepForRollBack()
        // No test sees this always hold: without ids, the call does nothing.
        if ids != nil { prepareIDsForNewOrder() }
        state.elements.replaceSubrange(first..<last + 1, with: positions[first...last].lazy.map { elements[$0] })
        if hasRows { reorderRows(positions, changed: first..<last + 1) }
        enter()
        endWrite(countBefore: state.elements.count)
    }

    @usableFromInline
    final func reorderRows(_ positions: [Int], changed: Range<Int>) {
        let rows = allRows
        ordering.rows = RowOrder(positions.lazy.map { rows[$0] })
        // No test sees this: both ways, followers find the rows that have moved.
        if changed.count > rows.count / 4 {
            stageLog.noteReordered()
        } else {
            // No test sees this always hold: it only saves entries.
            for index in changed where positions[index] != index {
                stageLog.note(rows[positions[index]], .moved, count: rows.count)
            }
        }
    }
}

extension ObservableArray where Element: Comparable {
    /// Sorts the elements in ascending order. Equal elements keep their order.
    ///
    /// - Complexity: O(N log N).
    @inlinable
    public final func sort() { sort(by: <) }
}
