// Mutations of a dictionary, besides its subscripts. Each call is atomic: observers see all of its effect or nothing.

public import Reactive

extension ObservableDictionary {
    /// Stores a value for a key. An equal value is not a change.
    ///
    /// - Parameters:
    ///   - value: The new value.
    ///   - key: The key.
    /// - Returns: The previous value, or `nil` if the dictionary did not have the key.
    /// - Complexity: O(1), amortised.
    @inlinable
    @discardableResult
    public final func updateValue(_ value: Value, forKey key: Key) -> Value? {
        let hash = hash(of: key)
        enter()
        checkMutation()
        // The replaced value is released last, outside the lock, because its deinitialiser may run any code.
        let replaced = store(value, for: key, hash)
        leave()
        return replaced
    }

    /// Removes a key and its value.
    ///
    /// - Parameter key: The key.
    /// - Returns: The value, or `nil` if the dictionary did not have the key.
    /// - Complexity: O(1), amortised.
    @inlinable
    @discardableResult
    public final func removeValue(forKey key: Key) -> Value? { removeEntry(of: key)?.value }

    /// Removes the entry at a position.
    ///
    /// - Parameter index: The position of an entry.
    /// - Returns: The entry.
    /// - Complexity: O(1), amortised.
    @inlinable
    @discardableResult
    public final func remove(at index: KeyedIndex) -> Element {
        let entry = removeEntry(at: index)
        return (entry.key, entry.value)
    }

    /// Removes and returns the first entry.
    ///
    /// - Returns: The entry, or `nil` if there is none.
    /// - Complexity: O(1), amortised.
    @inlinable
    public final func popFirst() -> Element? { popFirstEntry().map { ($0.key, $0.value) } }

    /// Removes all entries.
    ///
    /// - Parameter keepCapacity: Has no effect. It exists for compatibility with the standard library.
    /// - Complexity: O(1), and O(1) for each key that has observers. The entries are released afterwards, in O(N).
    @inlinable
    public final func removeAll(keepingCapacity keepCapacity: Bool = false) { removeAllEntries() }

    /// Removes the entries that satisfy a predicate.
    ///
    /// - Parameter shouldBeRemoved: Called for each entry, untracked and with the graph locked. It must not mutate the
    ///   dictionary. If it throws, nothing is removed.
    /// - Throws: The error that `shouldBeRemoved` throws.
    /// - Complexity: O(N).
    @inlinable
    public final func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
        try removeEntries { try shouldBeRemoved(($0, $1)) }
    }

    /// Stores the entries of a plain dictionary.
    ///
    /// - Parameters:
    ///   - other: The entries.
    ///   - combine: Returns the value for a key that both have, from this dictionary's value and the other one. Called
    ///     untracked and with the graph locked. It must not mutate the dictionary. If it throws, entries that were
    ///     already stored stay.
    /// - Throws: The error that `combine` throws.
    /// - Complexity: O(M) in the number of entries of `other`.
    @inlinable
    public final func merge(
        _ other: [Key: Value], uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        try merge(gathered: ContiguousArray(other.map { ($0.key, $0.value) }), combine)
    }

    /// Stores pairs of keys and values.
    ///
    /// - Parameters:
    ///   - other: The pairs. They are read before the graph is locked.
    ///   - combine: Returns the value for a key, from the value so far and the next one. Called untracked and with the
    ///     graph locked. It must not mutate the dictionary. If it throws, entries that were already stored stay.
    /// - Throws: The error that `combine` throws.
    /// - Complexity: O(M) in the number of pairs.
    @inlinable
    public final func merge(
        _ other: some Sequence<(Key, Value)>, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        try merge(gathered: ContiguousArray(other), combine)
    }

    /// Reserves memory for a number of entries.
    ///
    /// - Parameter minimumCapacity: The number of entries to expect.
    @inlinable
    public final func reserveCapacity(_ minimumCapacity: Int) {
        enter()
        defer { leave() }
        checkMutation()
        // No test sees this left out: it only saves allocations.
        table.reserveCapacity(minimumCapacity)
    }

    // MARK: - How

    /// Stores a value, and returns the previous one. Called under the lock.
    @inlinable @inline(__always)
    final func store(_ value: consuming Value, for key: Key, _ hash: Int) -> Value? {
        guard let row = find(key, hash) else {
            insert(key, value, hash)
            return nil
        }
        if isUnchanged(row, value) { return table.value(at: row) }
        return replace(row, of: key, hash, by: value)
    }

    @inlinable
    final func merge(
        gathered pairs: ContiguousArray<(Key, Value)>, _ combine: (Value, Value) throws -> Value
    ) rethrows {
        let hashes = pairs.map { hash(of: $0.0) }
        var replaced: ContiguousArray<Value> = []
        // Declared last, so it runs first: values are released after the graph is unlocked.
        try withExtendedLifetime(pairs) {
            enter()
            defer { leave() }
            checkMutation()
            for (index, (key, value)) in pairs.enumerated() {
                if let row = find(key, hashes[index]) {
                    let combined = try lookingUp { try untracked { try combine(table.value(at: row), value) } }
                    if !isUnchanged(row, combined) {
                        replaced.append(replace(row, of: key, hashes[index], by: combined))
                    }
                } else {
                    insert(key, value, hashes[index])
                }
            }
        }
        // No test sees this left out: only an optimiser could release the values earlier.
        withExtendedLifetime(replaced) {}
    }
}
