// A snapshot of the elements of an array.

/// The elements of an ``ObservableArray``, or a slice of them, at the time of a read.
///
/// Creating it costs O(1), and it never changes. Reading a snapshot is not tracked; reading the array to create it was.
/// A slice has the indices of the array, like a slice of a plain array. It keeps all elements of that snapshot alive.
@frozen
public struct ArraySnapshot<Element>: RandomAccessCollection {
    @usableFromInline let tree: CountedTree<Element>
    /// The position of the first element.
    public let startIndex: Int
    /// The position after the last element.
    public let endIndex: Int

    @inlinable
    init(_ tree: CountedTree<Element>) {
        self.tree = tree
        startIndex = 0
        endIndex = tree.count
    }

    @inlinable
    init(_ tree: CountedTree<Element>, _ bounds: Range<Int>) {
        self.tree = tree
        startIndex = bounds.lowerBound
        endIndex = bounds.upperBound
    }

    /// The element at a position.
    ///
    /// - Parameter index: A position that is at least ``startIndex`` and less than ``endIndex``.
    /// - Complexity: O(log N).
    @inlinable
    public subscript(index: Int) -> Element {
        require(
            index >= startIndex && index < endIndex,
            "Reactive: index \(index) is out of bounds: the snapshot has the indices \(startIndex)..<\(endIndex).")
        return tree[index]
    }

    /// The elements in a range of positions.
    ///
    /// - Parameter bounds: A range of positions of the snapshot.
    /// - Complexity: O(1).
    @inlinable
    public subscript(bounds: Range<Int>) -> ArraySnapshot {
        require(
            bounds.lowerBound >= startIndex && bounds.upperBound <= endIndex,
            "Reactive: range \(bounds) is out of bounds: the snapshot has the indices \(startIndex)..<\(endIndex).")
        return ArraySnapshot(tree, bounds)
    }

    /// An iterator over the elements of a snapshot.
    @frozen
    public struct Iterator: IteratorProtocol {
        @usableFromInline var elements: CountedTree<Element>.Iterator

        @inlinable
        init(_ snapshot: ArraySnapshot) {
            elements = snapshot.tree.makeIterator(in: snapshot.startIndex..<snapshot.endIndex)
        }

        /// The next element, or `nil` at the end.
        @inlinable @inline(__always)
        public mutating func next() -> Element? { elements.next() }
    }

    /// An iterator over the elements.
    @inlinable
    public func makeIterator() -> Iterator { Iterator(self) }

    /// The elements as a contiguous array.
    @inlinable
    public func _copyToContiguousArray() -> ContiguousArray<Element> {
        // The initialiser also writes the count of the empty array, which all threads share.
        // No test sees this never hold: only a sanitizer of threads sees that write.
        if isEmpty { return [] }
        return ContiguousArray(unsafeUninitializedCapacity: count) { buffer, initialized in
            tree.forEach(in: startIndex..<endIndex) { chunk in
                _ = UnsafeMutableBufferPointer(rebasing: buffer[initialized...]).initialize(fromContentsOf: chunk)
                initialized += chunk.count
            }
        }
    }
}

extension ArraySnapshot: Equatable where Element: Equatable {
    /// Whether two snapshots have equal elements in the same order. Their indices may differ.
    @inlinable
    public static func == (a: ArraySnapshot, b: ArraySnapshot) -> Bool {
        if a.startIndex == b.startIndex, a.endIndex == b.endIndex, a.tree.isIdentical(to: b.tree) { return true }
        // No test sees this always hold: it only saves to compare elements.
        guard a.count == b.count else { return false }
        return a.elementsEqual(b)
    }
}

extension ArraySnapshot: Hashable where Element: Hashable {
    /// Hashes the elements in order.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for element in self { hasher.combine(element) }
    }
}

extension ArraySnapshot: Sendable where Element: Sendable {}

extension ArraySnapshot: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The elements, as a plain array prints them.
    public var description: String { Array(self).description }

    /// The elements, as a plain array prints them for debugging.
    public var debugDescription: String { Array(self).debugDescription }

    /// The mirror of a plain array.
    public var customMirror: Mirror { Mirror(reflecting: Array(self)) }
}
