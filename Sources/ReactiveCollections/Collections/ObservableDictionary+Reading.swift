// Reads of a dictionary. Each is atomic.

public import Reactive

extension ObservableDictionary {
    /// The value of a key, or `nil` if the dictionary does not have the key. Assigning `nil` removes the key.
    ///
    /// Observers depend on this key only. An equal new value is not a change.
    ///
    /// - Parameter key: The key.
    /// - Complexity: O(1).
    @inlinable
    public final subscript(key: Key) -> Value? {
        get {
            let hash = hash(of: key)
            enter()
            defer { leave() }
            noteRead(of: key, hash)
            return find(key, hash).map { table.value(at: $0) }
        }
        set {
            if let newValue {
                _ = updateValue(newValue, forKey: key)
            } else {
                _ = removeValue(forKey: key)
            }
        }
        _modify {
            var change = beginModification(of: key, mayRemove: true)
            beginYield()
            defer { endModification(&change, of: key) }
            yield &change.value
        }
    }

    /// The value of a key, or a default value if the dictionary does not have the key. A mutation inserts the key.
    ///
    /// ```swift
    /// for word in words { counts[word, default: 0] += 1 }
    /// ```
    ///
    /// Observers depend on this key only.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - defaultValue: Called if the dictionary does not have the key. For a mutation, it is called with the graph
    ///     locked.
    /// - Complexity: O(1).
    @inlinable
    public final subscript(key: Key, default defaultValue: @autoclosure () -> Value) -> Value {
        get { self[key] ?? defaultValue() }
        set { _ = updateValue(newValue, forKey: key) }
        _modify {
            // No test sees this: `true` would only compare the keys at the end of a transaction.
            var change = beginModification(of: key, mayRemove: false)
            if change.row == nil { change.value = lookingUp(defaultValue) }
            beginYield()
            defer { endModification(&change, of: key) }
            yield &change.value!
        }
    }

    /// The number of keys. Observers depend on the number only.
    ///
    /// - Complexity: O(1).
    @inlinable
    public final var count: Int {
        enter()
        defer { leave() }
        noteReadOfCount()
        return table.count
    }

    /// Whether there are no keys. Observers depend on the number of keys only.
    ///
    /// - Complexity: O(1).
    @inlinable
    public final var isEmpty: Bool { count == 0 }

    // MARK: - Snapshots

    /// The current entries, which later changes do not alter. Observers depend on the whole dictionary.
    ///
    /// - Complexity: O(1).
    @inlinable
    public final var snapshot: DictionarySnapshot<Key, Value> {
        enter()
        defer { leave() }
        noteReadOfAll()
        return DictionarySnapshot(table)
    }

    /// The entries as a plain dictionary. Observers depend on the whole dictionary.
    ///
    /// - Complexity: O(N).
    @inlinable
    public final var elements: [Key: Value] { Dictionary(snapshot) }

    /// The current keys. Observers depend on the set of keys, not on the values.
    ///
    /// - Complexity: O(1).
    @inlinable
    public final var keys: DictionarySnapshot<Key, Value>.Keys {
        enter()
        defer { leave() }
        noteReadOfMembership()
        return DictionarySnapshot.Keys(table)
    }

    /// The current values. Observers depend on the whole dictionary.
    ///
    /// - Complexity: O(1).
    @inlinable
    public final var values: DictionarySnapshot<Key, Value>.Values { snapshot.values }

    /// Returns the position of a key. Observers depend on the set of keys.
    ///
    /// - Parameter key: The key.
    /// - Returns: The position, or `nil` if the dictionary does not have the key.
    /// - Complexity: O(1).
    @inlinable
    public final func index(forKey key: Key) -> KeyedIndex? {
        let hash = hash(of: key)
        enter()
        defer { leave() }
        noteReadOfMembership()
        return find(key, hash).map { KeyedIndex(row: Int($0)) }
    }

    // MARK: - Plain dictionaries

    /// Returns the entries that satisfy a predicate. Observers depend on the whole dictionary.
    ///
    /// - Parameter isIncluded: Called for each entry, outside the lock.
    /// - Returns: A plain dictionary.
    /// - Throws: The error that `isIncluded` throws.
    /// - Complexity: O(N).
    @inlinable
    public final func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> [Key: Value] {
        var result: [Key: Value] = [:]
        for (key, value) in snapshot where try isIncluded((key, value)) { result[key] = value }
        return result
    }

    /// Returns the keys with transformed values. Observers depend on the whole dictionary.
    ///
    /// - Parameter transform: Called for each value, outside the lock.
    /// - Returns: A plain dictionary.
    /// - Throws: The error that `transform` throws.
    /// - Complexity: O(N).
    @inlinable
    public final func mapValues<T>(_ transform: (Value) throws -> T) rethrows -> [Key: T] {
        let snapshot = snapshot
        var result: [Key: T] = [:]
        // No test sees this left out: it only saves allocations.
        result.reserveCapacity(snapshot.count)
        for (key, value) in snapshot { result[key] = try transform(value) }
        return result
    }

    /// Returns the keys with transformed values, without those whose result is `nil`. Observers depend on the whole
    /// dictionary.
    ///
    /// - Parameter transform: Called for each value, outside the lock.
    /// - Returns: A plain dictionary.
    /// - Throws: The error that `transform` throws.
    /// - Complexity: O(N).
    @inlinable
    public final func compactMapValues<T>(_ transform: (Value) throws -> T?) rethrows -> [Key: T] {
        var result: [Key: T] = [:]
        for (key, value) in snapshot {
            if let transformed = try transform(value) { result[key] = transformed }
        }
        return result
    }

    /// Returns a plain dictionary with the entries of this one and of a plain one. Observers depend on the whole
    /// dictionary.
    ///
    /// - Parameters:
    ///   - other: The other entries.
    ///   - combine: Returns the value for a key that both have, from this dictionary's value and the other one. Called
    ///     outside the lock.
    /// - Returns: A plain dictionary.
    /// - Throws: The error that `combine` throws.
    /// - Complexity: O(N + M).
    @inlinable
    public final func merging(
        _ other: [Key: Value], uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows -> [Key: Value] {
        try elements.merging(other, uniquingKeysWith: combine)
    }

    /// Returns a plain dictionary with the entries of this one and given pairs. Observers depend on the whole
    /// dictionary.
    ///
    /// - Parameters:
    ///   - other: The pairs.
    ///   - combine: Returns the value for a key, from the value so far and the next one. Called outside the lock.
    /// - Returns: A plain dictionary.
    /// - Throws: The error that `combine` throws.
    /// - Complexity: O(N + M).
    @inlinable
    public final func merging(
        _ other: some Sequence<(Key, Value)>, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows -> [Key: Value] {
        try elements.merging(other, uniquingKeysWith: combine)
    }
}

// MARK: - Collection

extension ObservableDictionary: Collection {
    /// The position of the first entry. Observers depend on the set of keys.
    @inlinable
    public final var startIndex: KeyedIndex { keys.startIndex }

    /// The position after the last entry.
    @inlinable
    public final var endIndex: KeyedIndex { .end }

    /// The position after a given one. Observers depend on the set of keys.
    ///
    /// - Parameter index: The position of an entry.
    /// - Returns: The position of the next entry, or ``endIndex``.
    /// - Complexity: O(1), amortised.
    @inlinable
    public final func index(after index: KeyedIndex) -> KeyedIndex {
        enter()
        defer { leave() }
        noteReadOfMembership()
        if !table.hasEntry(at: index) { stopForIndex() }
        return table.index(after: index)
    }

    /// The entry at a position. Observers depend on the whole dictionary.
    ///
    /// - Parameter position: The position of an entry.
    /// - Complexity: O(1).
    @inlinable
    public final subscript(position: KeyedIndex) -> Element {
        enter()
        defer { leave() }
        noteReadOfAll()
        if !table.hasEntry(at: position) { stopForIndex() }
        let row = Row(position.row)
        return (table.key(at: row), table.value(at: row))
    }

    /// A slice of the current entries, which later changes do not alter. Observers depend on the whole dictionary.
    ///
    /// - Parameter bounds: A range of positions.
    @inlinable
    public final subscript(bounds: Range<KeyedIndex>) -> Slice<DictionarySnapshot<Key, Value>> { snapshot[bounds] }

    /// Returns an iterator over the current entries. Observers depend on the whole dictionary.
    ///
    /// - Complexity: O(1); O(N) to iterate over all elements.
    @inlinable
    public final func makeIterator() -> DictionarySnapshot<Key, Value>.Iterator { snapshot.makeIterator() }

    /// The number of entries, untracked.
    @inlinable
    public final var underestimatedCount: Int { untracked { count } }

    /// The first entry, or `nil` if there is none. Observers depend on the whole dictionary.
    @inlinable
    public final var first: Element? { snapshot.first }

    /// Returns a random entry, or `nil` if there is none. Observers depend on the whole dictionary.
    ///
    /// - Complexity: O(N).
    @inlinable
    public final func randomElement() -> Element? { snapshot.randomElement() }
}

// MARK: - Comparing

extension ObservableDictionary where Value: Equatable {
    /// Whether both have the same keys with equal values. Observers depend on both.
    ///
    /// - Complexity: O(N).
    @inlinable
    public static func == (a: ObservableDictionary, b: ObservableDictionary) -> Bool { a.snapshot == b.snapshot }

    /// Whether the two have different keys or values. Observers depend on both.
    ///
    /// - Complexity: O(N).
    @inlinable
    public static func != (a: ObservableDictionary, b: ObservableDictionary) -> Bool { a.snapshot != b.snapshot }
}
