// Mutations of many elements. Sequences are read before the lock is taken.

import Reactive

extension ObservableArray {
    // MARK: - Replacing a range

    /// Replaces elements.
    ///
    /// Equal elements at both ends of the range stay. Only the elements between them are replaced.
    ///
    /// - Parameters:
    ///   - range: The positions of the elements to replace.
    ///   - newElements: The new elements. Read untracked, before the array is locked.
    /// - Complexity: O(K log N) for K elements that are inserted or removed, and at most O(N + K).
    @inlinable
    public final func replaceSubrange(_ range: Range<Int>, with newElements: some Collection<Element>) {
        let new = untracked { Array(newElements) }
        beginWrite()
        replaceAndLeave(range, with: new)
    }

    /// Replaces elements in a range like `2...` or `...5`; see `replaceSubrange(_:with:)` for a `Range`.
    ///
    /// - Parameters:
    ///   - range: The positions of the elements to replace.
    ///   - newElements: The new elements. Read untracked, before the array is locked.
    /// - Complexity: O(K log N) for K elements that are inserted or removed, and at most O(N + K).
    @inlinable
    public final func replaceSubrange(
        _ range: some RangeExpression<Int>, with newElements: some Collection<Element>
    ) {
        let new = untracked { Array(newElements) }
        beginWrite()
        replaceAndLeave(range.relative(to: 0..<state.elements.count), with: new)
    }

    /// Appends elements.
    ///
    /// - Parameter newElements: The elements. Read untracked, before the array is locked.
    /// - Complexity: O(log N) for each element, or O(1) for each if there are many.
    @inlinable
    public final func append(contentsOf newElements: some Sequence<Element>) {
        let new = untracked { Array(newElements) }
        beginWrite()
        replaceAndLeave(state.elements.count..<state.elements.count, with: new)
    }

    /// Appends elements; see ``append(contentsOf:)``.
    @inlinable
    public static func += (array: ObservableArray, newElements: some Sequence<Element>) {
        array.append(contentsOf: newElements)
    }

    /// Inserts elements.
    ///
    /// - Parameters:
    ///   - newElements: The elements. Read untracked, before the array is locked.
    ///   - index: The position of the first new element, at least 0 and at most ``count``.
    /// - Complexity: O(K log N) for K elements, and at most O(N + K).
    @inlinable
    public final func insert(contentsOf newElements: some Sequence<Element>, at index: Int) {
        let new = untracked { Array(newElements) }
        beginWrite()
        replaceAndLeave(index..<index, with: new)
    }

    /// Removes elements.
    ///
    /// - Parameter range: The positions of the elements.
    /// - Complexity: O(K log N) for K elements, and at most O(N).
    @inlinable
    public final func removeSubrange(_ range: Range<Int>) {
        beginWrite()
        replaceAndLeave(range, with: [])
    }

    /// Removes elements in a range like `2...` or `...5`.
    ///
    /// - Parameter range: The positions of the elements.
    /// - Complexity: O(K log N) for K elements, and at most O(N).
    @inlinable
    public final func removeSubrange(_ range: some RangeExpression<Int>) {
        beginWrite()
        replaceAndLeave(range.relative(to: 0..<state.elements.count), with: [])
    }

    /// Removes the first elements.
    ///
    /// - Parameter count: The number of elements to remove, at least 0 and at most ``count``.
    /// - Complexity: O(K log N) for K elements, and at most O(N).
    @inlinable
    public final func removeFirst(_ count: Int) {
        require(count >= 0, "Reactive: a negative number of elements cannot be removed")
        removeSubrange(0..<count)
    }

    /// Removes the last elements.
    ///
    /// - Parameter count: The number of elements to remove, at least 0 and at most ``count``.
    /// - Complexity: O(K log N) for K elements, and at most O(N).
    @inlinable
    public final func removeLast(_ count: Int) {
        require(count >= 0, "Reactive: a negative number of elements cannot be removed")
        beginWrite()
        let end = state.elements.count
        checkRange(0..<count)
        replaceAndLeave(end - count..<end, with: [])
    }

    /// Removes all elements.
    ///
    /// - Parameter keepCapacity: Has no effect. It exists so that code for plain arrays compiles.
    /// - Complexity: O(N).
    @inlinable
    public final func removeAll(keepingCapacity keepCapacity: Bool = false) {
        beginWrite()
        replaceAndLeave(0..<state.elements.count, with: [])
    }

    /// Replaces a range, and ends the write.
    @inlinable
    final func replaceAndLeave(_ wanted: Range<Int>, with wantedElements: [Element]) {
        checkRange(wanted)
        var range = wanted
        var new = wantedElements[...]
        // No test sees this always hold: otherwise nothing is trimmed.
        if !range.isEmpty, !new.isEmpty { (range, new) = withUserCode { trimmed(range, new) } }
        if range.isEmpty, new.isEmpty {
            leave()
            return
        }
        keepForRollBack()
        // Keeps the removed elements alive until the graph is unlocked.
        // No test sees this never hold: it only saves a copy of a chunk.
        let old = range.isEmpty ? nil : state.elements
        let count = state.elements.count
        // No test sees this always hold: without ids, the call does nothing.
        if ids != nil { prepareIDs(for: range, with: new) }
        if hasRows { removeRows(range) }
        state.elements.replaceSubrange(range, with: new)
        if hasRows { insertRows(new.count, at: range.lowerBound, replacesAll: range.count == count) }
        withExtendedLifetime(old) { endWrite(countBefore: count) }
    }

    /// Returns the replacement without equal elements at both ends.
    @inlinable
    final func trimmed(
        _ range: Range<Int>, _ elements: ArraySlice<Element>
    ) -> (Range<Int>, ArraySlice<Element>) {
        var (start, end) = (range.lowerBound, range.upperBound)
        var new = elements
        while start < end, let element = new.first, areEqual(state.elements[start], element) {
            start += 1
            new.removeFirst()
        }
        while start < end, let element = new.last, areEqual(state.elements[end - 1], element) {
            end -= 1
            new.removeLast()
        }
        return (start..<end, new)
    }

    // MARK: - Removing scattered elements

    /// Removes the elements that satisfy a predicate.
    ///
    /// - Parameter shouldBeRemoved: Called for each element in order, untracked and with the graph locked, before any
    ///   element is removed. It must not use the array.
    /// - Throws: The error that the predicate throws. No element has been removed then.
    /// - Complexity: O(N).
    @inlinable
    public final func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
        beginWrite()
        var removed: ContiguousArray<Int> = []
        do {
            try withUserCode {
                var position = 0
                try state.elements.forEach {
                    if try shouldBeRemoved($0) { removed.append(position) }
                    position += 1
                }
            }
        } catch {
            leave()
            throw error
        }
        removeAndLeave(at: removed)
    }

    /// Removes the elements at given positions, with the parameter of SwiftUI's `onDelete`.
    ///
    /// - Parameter offsets: The positions, in any order. Read untracked, before the array is locked.
    /// - Complexity: O(K log N) for K elements, and at most O(N).
    @inlinable
    public final func remove(atOffsets offsets: some Sequence<Int>) {
        let sorted = untracked { ContiguousArray(Set(offsets)) }.sorted()
        beginWrite()
        if let first = sorted.first, let last = sorted.last { checkRange(first..<last + 1) }
        removeAndLeave(at: ContiguousArray(sorted))
    }

    /// Removes elements at positions in ascending order, and ends the write.
    @inlinable
    final func removeAndLeave(at positions: ContiguousArray<Int>) {
        guard let first = positions.first, let last = positions.last else {
            leave()
            return
        }
        let count = state.elements.count
        // No test sees this: the other way is only slower. The positions are distinct, so it never holds by mistake.
        if last - first + 1 == positions.count { return replaceAndLeave(first..<last + 1, with: []) }
        keepForRollBack()
        let old = state.elements
        // No test sees this always hold: without ids, the call does nothing.
        if ids != nil { prepareIDs(forRemovalAt: positions) }
        if hasRows {
            for position in positions.reversed() { removeRow(at: position) }
        }
        // No test sees this: both ways have the same result.
        if positions.count > 16 + count / 64 {
            var kept = CountedTree<Element>()
            var start = 0
            for position in positions {
                old.forEach(in: start..<position) { kept.append(contentsOf: $0) }
                start = position + 1
            }
            old.forEach(in: start..<count) { kept.append(contentsOf: $0) }
            state.elements = kept
        } else {
            for position in positions.reversed() { _ = state.elements.remove(at: position) }
        }
        withExtendedLifetime(old) { endWrite(countBefore: count) }
    }

    // MARK: - Rows

    /// Removes the rows of elements that are removed.
    @usableFromInline
    final func removeRows(_ range: Range<Int>) {
        // No test sees this: both ways have the same result.
        if range.count > 16 + state.elements.count / 8 {
            // Building a new order is cheaper. The removed rows are logged, so that followers get exact changes.
            var rows = allRows
            for row in rows[range] {
                state.numbers.release(row)
                // No test sees this always hold: if all rows leave, followers start over.
                // No test sees this boundary: for the same reason.
                if range.count < state.elements.count { stageLog.note(row, .gone, count: state.elements.count) }
            }
            rows.removeSubrange(range)
            ordering.rows = RowOrder(rows)
        } else {
            for index in range.reversed() { removeRow(at: index) }
        }
    }

    /// Gives rows to new elements.
    ///
    /// - Parameter replacesAll: Whether all previous elements have been removed.
    @inlinable
    final func insertRows(_ count: Int, at index: Int, replacesAll: Bool) {
        var new: ContiguousArray<Row> = []
        // No test sees this left out: it only saves allocations.
        new.reserveCapacity(count)
        for _ in 0..<count { new.append(state.numbers.take()) }
        // No test sees this: both ways have the same result.
        if count > 16 + ordering.rows.count / 8 {
            var rows = allRows
            rows.insert(contentsOf: new, at: index)
            ordering.rows = RowOrder(rows)
        } else {
            for (offset, row) in new.enumerated() { ordering.rows.insert(row, at: index + offset) }
        }
        if replacesAll { stageLog.noteAll() }
        for row in new {
            // No test sees this always hold: followers start over in any case.
            if !replacesAll { stageLog.note(row, .renewed, count: state.elements.count) }
            // No test sees this always hold: without ids, the call does nothing.
            if ids != nil { addID(of: row) }
        }
    }

    /// The rows in order.
    @usableFromInline
    final var allRows: ContiguousArray<Row> {
        var rows: ContiguousArray<Row> = []
        // No test sees this left out: it only saves allocations.
        rows.reserveCapacity(ordering.rows.count)
        ordering.rows.forEach {
            rows.append($0)
            return true
        }
        return rows
    }
}
