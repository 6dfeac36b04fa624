// Iteration and comparison.

extension CountedTree {
    /// Calls a closure with each element, in order.
    @inlinable
    func forEach(_ body: (Element) throws -> Void) rethrows {
        try forEach(in: 0..<count) { chunk in
            for element in chunk { try body(element) }
        }
    }

    /// Calls a closure with the elements of each leaf, in order.
    @inlinable
    func withContiguousChunks(_ body: (UnsafeBufferPointer<Element>) throws -> Void) rethrows {
        try forEach(in: 0..<count, body)
    }

    /// Calls a closure with the elements of a range, a leaf at a time.
    @inlinable
    func forEach(in range: Range<Int>, _ body: (UnsafeBufferPointer<Element>) throws -> Void) rethrows {
        // No test sees this left out: only optimised code would release the nodes earlier.
        defer { _fixLifetime(self) }
        var leaves = Leaves(self, in: range)
        while let chunk = leaves.next() { try body(chunk) }
    }

    /// Returns the elements from a position to the end of its leaf. They are valid until the tree is changed or
    /// released.
    @inlinable
    func chunk(from position: Int) -> UnsafeBufferPointer<Element> {
        var offset = position
        let leaf = leaf(&offset)
        let count = Int(Leaf.header(at: leaf).pointee.count)
        return UnsafeBufferPointer(start: Leaf.elements(at: leaf) + offset, count: count - offset)
    }

    /// An iterator over the elements that the tree had when the iterator was created.
    @frozen
    @usableFromInline
    struct Iterator: IteratorProtocol {
        /// A separate property, so that a loop keeps the addresses in registers.
        @usableFromInline var leaves: Leaves
        @usableFromInline var upcoming: UnsafePointer<Element>?
        @usableFromInline var end: UnsafePointer<Element>?

        @inlinable
        init(_ tree: CountedTree, in range: Range<Int>) {
            leaves = Leaves(tree, in: range)
            upcoming = nil
            end = nil
        }

        @inlinable
        @inline(__always)
        mutating func next() -> Element? {
            if upcoming == end {
                guard let leaf = leaves.next() else { return nil }
                upcoming = leaf.baseAddress
                end = leaf.baseAddress.unsafelyUnwrapped + leaf.count
            }
            let element = upcoming.unsafelyUnwrapped.pointee
            upcoming = upcoming.unsafelyUnwrapped + 1
            // No test sees this left out: only optimised code would release the nodes earlier.
            _fixLifetime(leaves.tree)
            return element
        }
    }

    /// Returns an iterator over the current elements.
    @inlinable
    func makeIterator() -> Iterator { Iterator(self, in: 0..<count) }

    /// Returns an iterator over the current elements of a range.
    @inlinable
    func makeIterator(in range: Range<Int>) -> Iterator { Iterator(self, in: range) }

    /// Whether two trees have equal elements in the same order.
    ///
    /// Skips nodes that the trees share at the same positions: comparing a tree with its copy after one change takes
    /// O(log N).
    @inlinable
    func elementsEqual(_ other: CountedTree, by areEqual: (Element, Element) throws -> Bool) rethrows -> Bool {
        if count != other.count { return false }
        var position = 0
        while position < count {
            let shared = sharedCount(with: other, from: position)
            if shared > 0 {
                position += shared
                continue
            }
            let (mine, others) = (chunk(from: position), other.chunk(from: position))
            let length = Swift.min(mine.count, others.count)
            for index in 0..<length where try !areEqual(mine[index], others[index]) { return false }
            position += length
        }
        // No test sees this left out: only optimised code would release the nodes earlier.
        _fixLifetime(self)
        // No test sees this left out: only optimised code would release the nodes earlier.
        _fixLifetime(other)
        return true
    }

    /// Returns the number of elements in the largest shared node that begins at a position in both trees.
    @usableFromInline
    func sharedCount(with other: CountedTree, from position: Int) -> Int {
        guard let root, let otherRoot = other.root else { return 0 }
        // No test sees this: it only saves a walk, because trees with one root have the same elements.
        if position == 0, root === otherRoot { return count }
        // The nodes of this tree that begin at the position, by height above the leaves.
        return withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: height + 1) { starts in
            // No test sees this left out: what memory contains before it is initialized is not defined.
            starts.initialize(repeating: nil)
            visitStarts(at: position) { level, node, _ in starts[level] = node }
            var result = 0
            other.visitStarts(at: position) { level, node, weight in
                if result == 0, level < starts.count, starts[level] == node { result = weight }
            }
            return result
        }
    }

    /// Calls a closure with the nodes that begin at a position, from the root down: the height above the leaves, the
    /// address, and the number of elements.
    @usableFromInline
    func visitStarts(at position: Int, _ body: (Int, UnsafeRawPointer, Int) -> Void) {
        var offset = position
        var node = rootAddress
        var level = height
        var weight = count
        while true {
            if offset == 0 { body(level, node, weight) }
            if level == 0 { return }
            let entry = TreeNode.elements(at: node).find(&offset)
            node = entry.childAddress
            weight = entry.pointee.count
            level -= 1
        }
    }
}
