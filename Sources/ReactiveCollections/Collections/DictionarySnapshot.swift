// A snapshot of the entries of a dictionary.

/// A position in an ``ObservableDictionary``, in an ``ObservableSet``, or in a snapshot of one. Valid until the
/// collection changes.
@frozen
public struct KeyedIndex: Comparable, Hashable, Sendable {
    @usableFromInline let row: Int

    @inlinable
    init(row: Int) { self.row = row }

    /// The position after the last entry.
    @inlinable
    static var end: KeyedIndex { KeyedIndex(row: .max) }

    /// Whether a position comes before a different one.
    @inlinable
    public static func < (a: KeyedIndex, b: KeyedIndex) -> Bool { a.row < b.row }
}

/// The entries of an ``ObservableDictionary`` at the time of a read.
///
/// Creating it costs O(1), and it never changes. Reading a snapshot is not tracked; reading the dictionary to create it
/// was.
@frozen
public struct DictionarySnapshot<Key: Hashable, Value>: Collection {
    /// A key and its value.
    public typealias Element = (key: Key, value: Value)

    @usableFromInline var table: KeyedTable<Key, Value>

    @inlinable
    init(_ table: KeyedTable<Key, Value>) { self.table = table }

    /// The value of a key, or `nil` if there is no such key.
    ///
    /// - Parameter key: The key to look up.
    /// - Complexity: O(1).
    @inlinable
    public subscript(key: Key) -> Value? {
        table.find(key, hash: KeyedTable<Key, Value>.hash(of: key)).map { table.value(at: $0) }
    }

    /// The number of entries. Complexity: O(1).
    @inlinable
    public var count: Int { table.count }

    /// Whether the snapshot is empty. Complexity: O(1).
    @inlinable
    public var isEmpty: Bool { table.count == 0 }

    /// The position of the first entry.
    @inlinable
    public var startIndex: KeyedIndex { table.startIndex }

    /// The position after the last entry.
    @inlinable
    public var endIndex: KeyedIndex { .end }

    /// The position after a given one.
    ///
    /// - Parameter index: A position of an entry.
    /// - Returns: The position of the next entry, or ``endIndex``.
    @inlinable
    public func index(after index: KeyedIndex) -> KeyedIndex { table.index(after: index) }

    /// The entry at a position.
    ///
    /// - Parameter position: A position of an entry.
    @inlinable
    public subscript(position: KeyedIndex) -> Element {
        require(table.hasEntry(at: position), "Reactive: the snapshot has no entry at the index")
        let row = Row(position.row)
        return (table.key(at: row), table.value(at: row))
    }

    /// An iterator over the entries of a snapshot.
    @frozen
    public struct Iterator: IteratorProtocol {
        @usableFromInline var rows: KeyedRows<Key, Value>

        @inlinable
        init(_ table: KeyedTable<Key, Value>) { rows = KeyedRows(table) }

        /// The next entry, or `nil` at the end.
        @inlinable @inline(__always)
        public mutating func next() -> Element? {
            guard let row = rows.next() else { return nil }
            return (rows.table.key(at: row), rows.table.value(at: row))
        }
    }

    /// An iterator over the entries.
    @inlinable
    public func makeIterator() -> Iterator { Iterator(table) }

    // MARK: - Keys and values

    /// The keys, in the order of the entries.
    @inlinable
    public var keys: Keys { Keys(table) }

    /// The values, in the order of the entries.
    @inlinable
    public var values: Values { Values(table) }

    /// The keys of a snapshot.
    @frozen
    public struct Keys: Collection, Equatable {
        @usableFromInline let table: KeyedTable<Key, Value>

        @inlinable
        init(_ table: KeyedTable<Key, Value>) { self.table = table }

        /// The number of keys. Complexity: O(1).
        @inlinable
        public var count: Int { table.count }

        /// Whether there are no keys. Complexity: O(1).
        @inlinable
        public var isEmpty: Bool { table.count == 0 }

        /// The position of the first key.
        @inlinable
        public var startIndex: KeyedIndex { table.startIndex }

        /// The position after the last key.
        @inlinable
        public var endIndex: KeyedIndex { .end }

        /// The position after a given one.
        @inlinable
        public func index(after index: KeyedIndex) -> KeyedIndex { table.index(after: index) }

        /// The key at a position.
        @inlinable
        public subscript(position: KeyedIndex) -> Key {
            require(table.hasEntry(at: position), "Reactive: the snapshot has no entry at the index")
            return table.key(at: Row(position.row))
        }

        /// Whether the snapshot has a key. Called by `Sequence.contains(_:)`. Complexity: O(1).
        @inlinable
        public func _customContainsEquatableElement(_ key: Key) -> Bool? {
            table.find(key, hash: KeyedTable<Key, Value>.hash(of: key)) != nil
        }

        /// An iterator over the keys.
        @frozen
        public struct Iterator: IteratorProtocol {
            @usableFromInline var rows: KeyedRows<Key, Value>

            @inlinable
            init(_ table: KeyedTable<Key, Value>) { rows = KeyedRows(table) }

            /// The next key, or `nil` at the end.
            @inlinable @inline(__always)
            public mutating func next() -> Key? {
                guard let row = rows.next() else { return nil }
                return rows.table.key(at: row)
            }
        }

        /// An iterator over the keys.
        @inlinable
        public func makeIterator() -> Iterator { Iterator(table) }

        /// Whether both have the same keys, in any order.
        @inlinable
        public static func == (a: Keys, b: Keys) -> Bool { a.table.isEqual(to: b.table) { _, _ in true } }
    }

    /// The values of a snapshot.
    @frozen
    public struct Values: Collection {
        @usableFromInline let table: KeyedTable<Key, Value>

        @inlinable
        init(_ table: KeyedTable<Key, Value>) { self.table = table }

        /// The number of values. Complexity: O(1).
        @inlinable
        public var count: Int { table.count }

        /// Whether there are no values. Complexity: O(1).
        @inlinable
        public var isEmpty: Bool { table.count == 0 }

        /// The position of the first value.
        @inlinable
        public var startIndex: KeyedIndex { table.startIndex }

        /// The position after the last value.
        @inlinable
        public var endIndex: KeyedIndex { .end }

        /// The position after a given one.
        @inlinable
        public func index(after index: KeyedIndex) -> KeyedIndex { table.index(after: index) }

        /// The value at a position.
        @inlinable
        public subscript(position: KeyedIndex) -> Value {
            require(table.hasEntry(at: position), "Reactive: the snapshot has no entry at the index")
            return table.value(at: Row(position.row))
        }

        /// An iterator over the values.
        @frozen
        public struct Iterator: IteratorProtocol {
            @usableFromInline var rows: KeyedRows<Key, Value>

            @inlinable
            init(_ table: KeyedTable<Key, Value>) { rows = KeyedRows(table) }

            /// The next value, or `nil` at the end.
            @inlinable @inline(__always)
            public mutating func next() -> Value? {
                guard let row = rows.next() else { return nil }
                return rows.table.value(at: row)
            }
        }

        /// An iterator over the values.
        @inlinable
        public func makeIterator() -> Iterator { Iterator(table) }
    }
}

extension DictionarySnapshot: Equatable where Value: Equatable {
    /// Whether both have the same keys with equal values, in any order.
    @inlinable
    public static func == (a: DictionarySnapshot, b: DictionarySnapshot) -> Bool {
        a.table.isEqual(to: b.table, by: ==)
    }
}

extension DictionarySnapshot: Sendable where Key: Sendable, Value: Sendable {}
extension DictionarySnapshot.Keys: Sendable where Key: Sendable, Value: Sendable {}
extension DictionarySnapshot.Values: Sendable where Key: Sendable, Value: Sendable {}

extension Dictionary {
    /// Creates a dictionary with the entries of a snapshot.
    ///
    /// - Parameter snapshot: The entries.
    /// - Complexity: O(N).
    @inlinable
    public init(_ snapshot: DictionarySnapshot<Key, Value>) {
        self.init(minimumCapacity: snapshot.count)
        for (key, value) in snapshot { self[key] = value }
    }
}

extension DictionarySnapshot: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The entries, as a plain dictionary prints them.
    public var description: String { Dictionary(self).description }

    /// The entries, as a plain dictionary prints them for debugging.
    public var debugDescription: String { Dictionary(self).debugDescription }

    /// The mirror of a plain dictionary.
    public var customMirror: Mirror { Mirror(reflecting: Dictionary(self)) }
}
