// A snapshot of the elements of a set.

/// The elements of an ``ObservableSet`` at the time of a read.
///
/// Creating it costs O(1), and it never changes. Reading a snapshot is not tracked; reading the set to create it was.
@frozen
public struct SetSnapshot<Element: Hashable>: Collection, Equatable {
    @usableFromInline var table: KeyedTable<Element, Void>

    @inlinable
    init(_ table: KeyedTable<Element, Void>) { self.table = table }

    /// Whether the snapshot has an element.
    ///
    /// - Parameter element: The element to look up.
    /// - Complexity: O(1).
    @inlinable
    public func contains(_ element: Element) -> Bool {
        table.find(element, hash: KeyedTable<Element, Void>.hash(of: element)) != nil
    }

    /// The number of elements. Complexity: O(1).
    @inlinable
    public var count: Int { table.count }

    /// Whether the snapshot is empty. Complexity: O(1).
    @inlinable
    public var isEmpty: Bool { table.count == 0 }

    /// The position of the first element.
    @inlinable
    public var startIndex: KeyedIndex { table.startIndex }

    /// The position after the last element.
    @inlinable
    public var endIndex: KeyedIndex { .end }

    /// The position after a given one.
    ///
    /// - Parameter index: A position of an element.
    /// - Returns: The position of the next element, or ``endIndex``.
    @inlinable
    public func index(after index: KeyedIndex) -> KeyedIndex { table.index(after: index) }

    /// The element at a position.
    ///
    /// - Parameter position: A position of an element.
    @inlinable
    public subscript(position: KeyedIndex) -> Element {
        require(table.hasEntry(at: position), "Reactive: the snapshot has no entry at the index")
        return table.key(at: Row(position.row))
    }

    /// An iterator over the elements of a snapshot.
    @frozen
    public struct Iterator: IteratorProtocol {
        @usableFromInline var rows: KeyedRows<Element, Void>

        @inlinable
        init(_ table: KeyedTable<Element, Void>) { rows = KeyedRows(table) }

        /// The next element, or `nil` at the end.
        @inlinable @inline(__always)
        public mutating func next() -> Element? {
            guard let row = rows.next() else { return nil }
            return rows.table.key(at: row)
        }
    }

    /// An iterator over the elements.
    @inlinable
    public func makeIterator() -> Iterator { Iterator(table) }

    /// Whether both have the same elements, in any order.
    @inlinable
    public static func == (a: SetSnapshot, b: SetSnapshot) -> Bool { a.table.isEqual(to: b.table) { _, _ in true } }
}

extension SetSnapshot: Sendable where Element: Sendable {}

extension SetSnapshot: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The elements, as a plain set prints them.
    public var description: String { Set(self).description }

    /// The elements, as a plain set prints them for debugging.
    public var debugDescription: String { Set(self).debugDescription }

    /// The mirror of a plain set.
    public var customMirror: Mirror { Mirror(reflecting: Set(self)) }
}
