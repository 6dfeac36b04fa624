// Mutations of a set. Each call is atomic: observers see all of its effect or nothing.

public import Reactive

extension ObservableSet {
    /// Inserts an element, unless the set has an equal one.
    ///
    /// - Parameter newMember: The element.
    /// - Returns: Whether the element was inserted, and the element that the set now contains.
    /// - Complexity: O(1), amortised.
    @inlinable
    @discardableResult
    public final func insert(_ newMember: Element) -> (inserted: Bool, memberAfterInsert: Element) {
        let hash = hash(of: newMember)
        enter()
        defer { leave() }
        checkMutation()
        if let row = find(newMember, hash) { return (false, table.key(at: row)) }
        insert(newMember, (), hash)
        return (true, newMember)
    }

    /// Inserts an element, or replaces an equal one. Replacing an element by an equal one is not a change.
    ///
    /// - Parameter newMember: The element.
    /// - Returns: The element that was replaced, or `nil` if there was none.
    /// - Complexity: O(1), amortised.
    @inlinable
    @discardableResult
    public final func update(with newMember: Element) -> Element? {
        let hash = hash(of: newMember)
        enter()
        checkMutation()
        var replaced: Element?
        if let row = find(newMember, hash) {
            keepTable()
            replaced = table.exchangeKey(of: row, by: newMember)
            // For recorders; for views, the element has not changed.
            if table.order != nil { stageLog.note(row, .renewed, count: table.count) }
        } else {
            insert(newMember, (), hash)
        }
        leave()
        return replaced
    }

    /// Removes an element.
    ///
    /// - Parameter member: The element.
    /// - Returns: The removed element, or `nil` if the set had no equal element.
    /// - Complexity: O(1), amortised.
    @inlinable
    @discardableResult
    public final func remove(_ member: Element) -> Element? { removeEntry(of: member)?.key }

    /// Removes the element at a position.
    ///
    /// - Parameter position: The position of an element.
    /// - Returns: The element.
    /// - Complexity: O(1), amortised.
    @inlinable
    @discardableResult
    public final func remove(at position: KeyedIndex) -> Element { removeEntry(at: position).key }

    /// Removes and returns the first element.
    ///
    /// - Returns: The element, or `nil` if there is none.
    /// - Complexity: O(1), amortised.
    @inlinable
    public final func popFirst() -> Element? { popFirstEntry()?.key }

    /// Removes all elements.
    ///
    /// - Parameter keepCapacity: Has no effect. It exists for compatibility with the standard library.
    /// - Complexity: O(1), and O(1) for each element that has observers. The elements are released afterwards, in O(N).
    @inlinable
    public final func removeAll(keepingCapacity keepCapacity: Bool = false) { removeAllEntries() }

    /// Removes the elements that satisfy a predicate.
    ///
    /// - Parameter shouldBeRemoved: Called for each element, untracked and with the graph locked. It must not mutate
    ///   the set. If it throws, nothing is removed.
    /// - Throws: The error that `shouldBeRemoved` throws.
    /// - Complexity: O(N).
    @inlinable
    public final func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
        try removeEntries { key, _ in try shouldBeRemoved(key) }
    }

    /// Reserves memory for a number of elements.
    ///
    /// - Parameter minimumCapacity: The number of elements to expect.
    @inlinable
    public final func reserveCapacity(_ minimumCapacity: Int) {
        enter()
        defer { leave() }
        checkMutation()
        // No test sees this left out: it only saves allocations.
        table.reserveCapacity(minimumCapacity)
    }

    // MARK: - With other elements

    /// Inserts the elements of a sequence.
    ///
    /// - Parameter other: The elements. They are read before the graph is locked.
    /// - Complexity: O(M) in the number of elements of `other`.
    @inlinable
    public final func formUnion(_ other: some Sequence<Element>) {
        let elements = gathered(other)
        enter()
        defer { withExtendedLifetime(elements) { leave() } }
        checkMutation()
        for (element, hash) in elements where find(element, hash) == nil { insert(element, (), hash) }
    }

    /// Removes the elements that are not in a sequence.
    ///
    /// - Parameter other: The elements to keep. They are read before the graph is locked.
    /// - Complexity: O(N + M).
    @inlinable
    public final func formIntersection(_ other: some Sequence<Element>) {
        let kept = Set(other)
        removeEntries { key, _ in !kept.contains(key) }
    }

    /// Removes the elements of a sequence.
    ///
    /// - Parameter other: The elements. They are read before the graph is locked.
    /// - Complexity: O(M) in the number of elements of `other`.
    @inlinable
    public final func subtract(_ other: some Sequence<Element>) {
        let elements = gathered(other)
        var removed: ContiguousArray<KeyedEntry<Element, Void>> = []
        enter()
        checkMutation()
        for (element, hash) in elements {
            if let row = find(element, hash) { removed.append(remove(row, of: element, hash)) }
        }
        withExtendedLifetime(elements) { leave() }
        // No test sees this left out: only an optimiser could release the elements earlier.
        withExtendedLifetime(removed) {}
    }

    /// Removes the elements that are also in a sequence, and inserts the other elements of the sequence.
    ///
    /// - Parameter other: The elements; equal ones count once. They are read before the graph is locked.
    /// - Complexity: O(M) in the number of elements of `other`.
    @inlinable
    public final func formSymmetricDifference(_ other: some Sequence<Element>) {
        let elements = gathered(Set(other))
        var removed: ContiguousArray<KeyedEntry<Element, Void>> = []
        enter()
        checkMutation()
        // A transaction, because the final count may equal the previous one.
        inTransaction {
            for (element, hash) in elements {
                if let row = find(element, hash) {
                    removed.append(remove(row, of: element, hash))
                } else {
                    insert(element, (), hash)
                }
            }
        }
        withExtendedLifetime(elements) { leave() }
        // No test sees this left out: only an optimiser could release the elements earlier.
        withExtendedLifetime(removed) {}
    }

    /// Returns the elements of a sequence with their hashes. Called before the lock is taken.
    @inlinable
    final func gathered(_ elements: some Sequence<Element>) -> ContiguousArray<(Element, Int)> {
        ContiguousArray(elements.map { ($0, hash(of: $0)) })
    }
}

extension KeyedTable {
    /// Replaces the key of a row by an equal one, and returns the previous one.
    @inlinable
    mutating func exchangeKey(of row: Row, by key: Key) -> Key {
        var key = key
        let entry = entries.uniquePointer(to: Int(row))
        swap(&entry.pointee!.key, &key)
        // No test sees this left out: only an optimiser could release the storage earlier.
        _fixLifetime(self)
        return key
    }
}
