// Bulk operations.

extension CountedTree {
    /// Creates a tree of the elements of a sequence, in O(N), with full leaves.
    @inlinable
    init(_ elements: some Sequence<Element>) {
        self.init()
        append(contentsOf: elements)
    }

    /// Appends the elements of a sequence, in O(1) each.
    @inlinable
    mutating func append(contentsOf elements: some Sequence<Element>) {
        var iterator = elements.makeIterator()
        // Fill the last leaf before leaves are appended.
        var room = roomInLastLeaf
        while room > 0 {
            guard let element = iterator.next() else { return }
            append(element)
            room -= 1
        }
        while let element = iterator.next() {
            let leaf = Leaf.create(element, room: Self.limit)
            let start = leaf.elements
            var size = 1
            while size < Self.limit, let element = iterator.next() {
                (start + size).initialize(to: element)
                size += 1
                leaf.count = size
            }
            append(size > Self.limit / 2 ? leaf : leaf.moved(room: size))
        }
    }

    /// The number of elements that the last leaf has room for.
    @inlinable var roomInLastLeaf: Int {
        if count == 0 { return 0 }
        var offset = count - 1
        _ = leaf(&offset)
        return Self.limit - offset - 1
    }

    /// Appends a leaf after full ones.
    @inlinable
    @inline(never)
    mutating func append(_ leaf: Leaf) {
        guard root != nil else {
            root = leaf
            count = leaf.count
            return
        }
        makeRootUnique()
        if height == 0 || unsafeDowncast(root.unsafelyUnwrapped, to: TreeNode.self).count == TreeNode.limit {
            raise(below: count)
        }
        count += leaf.count
        var node = unsafeDowncast(root.unsafelyUnwrapped, to: TreeNode.self)
        for _ in 1..<height {
            var last = node.elements + (node.count - 1)
            let child = last.child(as: TreeNode.self)
            _ = TreeNode.unique(&child.pointee)
            if child.pointee.count == TreeNode.limit {
                Self.splitNode(last, of: node.address, isAtEnd: true)
                last += 1
            }
            last.pointee.count += leaf.count
            node = last.child(as: TreeNode.self).pointee
        }
        node.insert(TreeEntry(count: leaf.count, child: leaf), at: node.count)
    }

    /// Inserts the elements of a collection at a position: in O(log N) each, and at most in the time of a rebuild.
    @inlinable
    mutating func insert(contentsOf elements: some Collection<Element>, at position: Int) {
        replaceSubrange(position..<position, with: elements)
    }

    /// Removes elements: in O(log N) each, and at most in the time of a rebuild.
    @inlinable
    mutating func removeSubrange(_ range: Range<Int>) {
        replaceSubrange(range, with: EmptyCollection())
    }

    /// Replaces elements: in O(log N) each, and at most in the time of a rebuild.
    @inlinable
    mutating func replaceSubrange(_ range: Range<Int>, with elements: some Collection<Element>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "Range out of bounds")
        // No test sees this never hold: appending only saves the descents of insertions.
        if range.lowerBound == count { return append(contentsOf: elements) }
        let added = elements.count
        if (range.count + added) > 64 + count / 64 {
            let old = self
            self = CountedTree()
            old.forEach(in: 0..<range.lowerBound) { append(contentsOf: $0) }
            append(contentsOf: elements)
            old.forEach(in: range.upperBound..<old.count) { append(contentsOf: $0) }
            return
        }
        var position = range.lowerBound
        for element in elements {
            if position < range.upperBound { self[position] = element } else { insert(element, at: position) }
            position += 1
        }
        var surplus = range.count - added
        while surplus > 0 {
            remove(at: position)
            surplus -= 1
        }
    }
}
