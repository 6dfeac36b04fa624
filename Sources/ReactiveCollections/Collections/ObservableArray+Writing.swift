// Mutations of one element.

import Reactive

extension ObservableArray {
    // MARK: - Parts of each mutation

    /// Takes the lock for a mutation.
    @inlinable @inline(__always)
    final func beginWrite() {
        enter()
        checkWrite()
    }

    /// Notifies observers, and releases the lock.
    ///
    /// - Parameter count: The previous number of elements.
    @inlinable @inline(__always)
    final func endWrite(countBefore count: Int) {
        // No test sees this never hold: it only saves a call.
        if countNode == nil, ids == nil { noteChangeAndLeave() } else { endWriteOfNodes(countBefore: count) }
    }

    @inlinable @inline(never)
    final func endWriteOfNodes(countBefore count: Int) {
        let touched = takeTouchedNodes()
        noteChange()
        if let countNode, count != state.elements.count {
            countNode._withUnsafeGuaranteedRef { $0.change(from: count, to: state.elements.count) }
        }
        if let ids {
            for entry in touched where entry.hasChanged { ids.changeOfNode(entry.node, entry.old) }
        }
        // Previous elements are released last, outside the lock, because their deinitialisers may run any code.
        withExtendedLifetime(touched) { leave() }
    }

    /// Runs user code on which the mutation depends, untracked. Meanwhile, any access to the array stops the program.
    @inlinable @inline(__always)
    final func withUserCode<Result>(_ body: () throws -> Result) rethrows -> Result {
        beginModifying()
        defer { endModifyingSynchronously() }
        return try untracked(body)
    }

    // MARK: - Replacing an element

    @inlinable
    final func update(at index: Int, to newValue: Element) {
        beginWrite()
        checkIndex(index)
        beginModifying()
        // Comparing plain data reads no observables.
        let isUnchanged =
            // No test sees this never hold: tracking would be suspended for code that reads nothing.
            _isPOD(Element.self)
            ? areEqual(state.elements[index], newValue) : untracked { areEqual(state.elements[index], newValue) }
        endModifyingSynchronously()
        if isUnchanged {
            leave()
            return
        }
        keepForRollBack()
        // No test sees this always hold: without ids, the call does nothing.
        let hasNewID = ids != nil && prepareIDs(forUpdateAt: index, to: newValue)
        var replaced = newValue
        swap(&state.elements[index], &replaced)
        if hasRows {
            let row = ordering.rows.row(at: index)
            stageLog.note(row, .updated, count: state.elements.count)
            if hasNewID { addID(of: row) }
        }
        withExtendedLifetime(replaced) { endWrite(countBefore: state.elements.count) }
    }

    // MARK: - Mutating an element in place

    /// The state of a mutation in place, from its beginning to its end.
    @frozen @usableFromInline
    struct Modification {
        @usableFromInline let index: Int
        /// The previous element, if copying and comparing it is cheap.
        @usableFromInline let before: Element?

        @inlinable
        init(index: Int, before: Element?) {
            self.index = index
            self.before = before
        }
    }

    /// Whether copying an element is cheap, and so is comparing it, if it can be compared.
    @inlinable @inline(__always)
    static var isCheapToCompare: Bool { _isPOD(Element.self) && MemoryLayout<Element>.size <= 64 }

    @inlinable
    final func beginModification(at index: Int) -> Modification {
        beginWrite()
        checkIndex(index)
        // No test sees this always hold: it only saves a call.
        if _isPOD(Element.self), isTracked { noteRead() }
        keepForRollBack()
        // No test sees this always hold: without ids, the call does nothing.
        if ids != nil { prepareIDs(for: index..<index + 1, with: EmptyCollection()) }
        beginModifying()
        return Modification(index: index, before: ObservableArray.isCheapToCompare ? state.elements[index] : nil)
    }

    @inlinable
    final func endModification(_ modification: Modification) {
        let index = modification.index
        // The comparison must not use the array either.
        let isUnchanged = modification.before.map { areEqual($0, state.elements[index]) }
        endModifying()
        let row = hasRows ? ordering.rows.row(at: index) : 0
        // No test sees this always hold: without ids, the call does nothing.
        if ids != nil { addID(of: row, modifiedAt: index) }
        if isUnchanged == true {
            // No test sees this always hold: without ids, the call does nothing.
            if ids != nil { forgetTouchedNodes() }
            leave()
            return
        }
        // No test sees this always hold: without rows, nothing follows the log.
        if hasRows { stageLog.note(row, .updated, count: state.elements.count) }
        endWrite(countBefore: state.elements.count)
    }

    // MARK: - Inserting

    /// Appends an element.
    ///
    /// - Parameter newElement: The element.
    /// - Complexity: O(log N).
    @inlinable
    public final func append(_ newElement: Element) {
        beginWrite()
        let count = state.elements.count
        insertLocked(newElement, at: count)
        endWrite(countBefore: count)
    }

    /// Inserts an element.
    ///
    /// - Parameters:
    ///   - newElement: The element.
    ///   - index: The position of the new element, at least 0 and at most ``count``.
    /// - Complexity: O(log N).
    @inlinable
    public final func insert(_ newElement: Element, at index: Int) {
        beginWrite()
        let count = state.elements.count
        checkRange(index..<index)
        insertLocked(newElement, at: index)
        endWrite(countBefore: count)
    }

    @inlinable @inline(__always)
    final func insertLocked(_ element: Element, at index: Int) {
        keepForRollBack()
        // No test sees this always hold: without ids, the call does nothing.
        if ids != nil { prepareIDs(for: index..<index, with: CollectionOfOne(element)) }
        let isAtEnd = index == state.elements.count
        // No test sees this never hold: appending is only faster.
        if isAtEnd { state.elements.append(element) } else { state.elements.insert(element, at: index) }
        if hasRows { insertRow(at: index) }
    }

    /// Gives a new element a row.
    @inlinable
    final func insertRow(at index: Int) {
        let row = state.numbers.take()
        ordering.rows.insert(row, at: index)
        stageLog.note(row, .renewed, count: state.elements.count)
        // No test sees this always hold: without ids, the call does nothing.
        if ids != nil { addID(of: row) }
    }

    // MARK: - Removing

    /// Removes and returns an element.
    ///
    /// - Parameter index: The position of the element, at least 0 and less than ``count``.
    /// - Returns: The element.
    /// - Complexity: O(log N).
    @inlinable
    @discardableResult
    public final func remove(at index: Int) -> Element {
        beginWrite()
        checkIndex(index)
        return removeAndLeave(at: index)
    }

    @inlinable @inline(__always)
    final func removeAndLeave(at index: Int) -> Element {
        keepForRollBack()
        let count = state.elements.count
        // No test sees this always hold: without ids, the call does nothing.
        if ids != nil { prepareIDs(for: index..<index + 1, with: EmptyCollection()) }
        if hasRows { removeRow(at: index) }
        let element = state.elements.remove(at: index)
        endWrite(countBefore: count)
        return element
    }

    /// Removes the row of an element that is removed.
    @usableFromInline
    final func removeRow(at index: Int) {
        let row = ordering.rows.row(at: index)
        ordering.rows.remove(row)
        state.numbers.release(row)
        stageLog.note(row, .gone, count: state.elements.count)
    }

    /// Removes and returns the first element.
    ///
    /// - Precondition: The array is not empty.
    /// - Returns: The element.
    /// - Complexity: O(log N).
    @inlinable
    @discardableResult
    public final func removeFirst() -> Element { remove(at: 0) }

    /// Removes and returns the last element.
    ///
    /// - Precondition: The array is not empty.
    /// - Returns: The element.
    /// - Complexity: O(log N).
    @inlinable
    @discardableResult
    public final func removeLast() -> Element {
        beginWrite()
        let index = state.elements.count - 1
        checkIndex(index)
        return removeAndLeave(at: index)
    }

    /// Removes and returns the first element, if there is one. Not tracked.
    ///
    /// - Returns: The element, or `nil` if the array is empty.
    /// - Complexity: O(log N).
    @inlinable
    public final func popFirst() -> Element? {
        beginWrite()
        if state.elements.count > 0 { return removeAndLeave(at: 0) }
        leave()
        return nil
    }

    /// Removes and returns the last element, if there is one. Not tracked.
    ///
    /// - Returns: The element, or `nil` if the array is empty.
    /// - Complexity: O(log N).
    @inlinable
    public final func popLast() -> Element? {
        beginWrite()
        if state.elements.count > 0 { return removeAndLeave(at: state.elements.count - 1) }
        leave()
        return nil
    }

    /// Does nothing, because the storage grows in chunks and is never copied as a whole. Exists so that code for plain
    /// arrays compiles.
    ///
    /// - Parameter minimumCapacity: The number of elements to expect.
    @inlinable
    public final func reserveCapacity(_ minimumCapacity: Int) {}
}
