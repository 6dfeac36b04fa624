// Insertion and removal. Both descend once and make each node on the path unique.

extension CountedTree {
    /// Appends an element, in O(log N) without a search.
    @inlinable
    mutating func append(_ element: consuming Element) {
        // No test sees this always hold: the rest only saves the search of an insertion.
        if height == 0 { return insert(element, at: count) }
        makeRootUnique()
        var node = rootAddress
        var level = height
        while true {
            let entry = TreeNode.lastEntry(at: node)
            level &-= 1
            if level == 0 {
                let leafPointer = entry.child(as: Leaf.self)
                _ = Leaf.unique(&leafPointer.pointee)
                if leafPointer.pointee.count == Self.limit { break }
                entry.pointee.count &+= 1
                count &+= 1
                return Self.insert(element, at: leafPointer.pointee.count, into: leafPointer)
            }
            _ = TreeNode.unique(&entry.child(as: TreeNode.self).pointee)
            entry.pointee.count &+= 1
            node = entry.childAddress
        }
        // The last leaf is full: restore the counts and append a leaf.
        node = rootAddress
        for _ in 1..<height {
            let entry = TreeNode.lastEntry(at: node)
            entry.pointee.count &-= 1
            node = entry.childAddress
        }
        append(Leaf.create(element, room: Self.limit))
    }

    /// Inserts an element at a position, in O(log N).
    @inlinable
    mutating func insert(_ element: consuming Element, at position: Int) {
        precondition(position >= 0 && position <= count, "Index out of range")
        guard root != nil else {
            root = Leaf.create(element, room: 1)
            count = 1
            return
        }
        makeRootUnique()
        let isAtEnd = position == count
        count += 1
        if height == 0 {
            var leaf = unsafeDowncast(root.unsafelyUnwrapped, to: Leaf.self)
            let size = leaf.count
            if size < Self.limit {
                if size == leaf.room {
                    leaf = leaf.moved(room: Self.grown(size))
                    root = leaf
                }
                return leaf.insert(element, at: position)
            }
            raise(below: size)
        } else if unsafeDowncast(root.unsafelyUnwrapped, to: TreeNode.self).count == TreeNode.limit {
            raise(below: count - 1)
        }
        var offset = position
        var node = rootAddress
        var level = height
        // Invariant: the node has room for one more entry.
        while true {
            var entry = TreeNode.elements(at: node).find(&offset, orAtEnd: true)
            level &-= 1
            if level == 0 {
                let leafPointer = entry.child(as: Leaf.self)
                _ = Leaf.unique(&leafPointer.pointee)
                if leafPointer.pointee.count == Self.limit {
                    entry = Self.splitLeaf(entry, of: node, isAtEnd: isAtEnd, offset: &offset)
                }
                entry.pointee.count &+= 1
                return Self.insert(element, at: offset, into: entry.child(as: Leaf.self))
            }
            _ = TreeNode.unique(&entry.child(as: TreeNode.self).pointee)
            if entry.child(as: TreeNode.self).pointee.count == TreeNode.limit {
                Self.splitNode(entry, of: node, isAtEnd: isAtEnd)
                entry = entry.find(&offset, orAtEnd: true)
            }
            entry.pointee.count &+= 1
            node = entry.childAddress
        }
    }

    /// Removes and returns the element at a position, in O(log N).
    @inlinable
    @discardableResult
    mutating func remove(at position: Int) -> Element {
        precondition(position >= 0 && position < count, "Index out of range")
        makeRootUnique()
        count -= 1
        if count == 0 {
            let element = unsafeDowncast(root.unsafelyUnwrapped, to: Leaf.self).remove(at: 0)
            self = CountedTree()
            return element
        }
        if height == 0 { return unsafeDowncast(root.unsafelyUnwrapped, to: Leaf.self).remove(at: position) }
        var offset = position
        var node = rootAddress
        var level = height
        while true {
            let here = offset
            var entry = TreeNode.elements(at: node).find(&offset)
            level &-= 1
            if level == 0 {
                _ = Leaf.unique(&entry.child(as: Leaf.self).pointee)
                if entry.child(as: Leaf.self).pointee.count >= Self.limit / 4 {
                    entry.pointee.count &-= 1
                    return entry.child(as: Leaf.self).pointee.remove(at: offset)
                }
                Self.balance(entry, below: node, as: Leaf.self, limit: Self.limit) { $0.count }
                offset = here
                entry = TreeNode.elements(at: node).find(&offset)
                entry.pointee.count &-= 1
                defer { lower() }
                return entry.child(as: Leaf.self).pointee.remove(at: offset)
            }
            _ = TreeNode.unique(&entry.child(as: TreeNode.self).pointee)
            if entry.child(as: TreeNode.self).pointee.count < TreeNode.limit / 4 {
                Self.balance(entry, below: node, as: TreeNode.self, limit: TreeNode.limit) { $0.weight }
                offset = here
                entry = TreeNode.elements(at: node).find(&offset)
            }
            entry.pointee.count &-= 1
            node = entry.childAddress
        }
    }
}

// MARK: - Splitting and joining nodes

extension CountedTree {
    /// The new capacity of a leaf of `size` elements when it grows.
    @inlinable
    static func grown(_ size: Int) -> Int {
        // 3/4 before the full size: leaves that were split spend half of their lifetime below 3/4.
        size < limit / 2 ? 2 * size : size < limit * 3 / 4 ? limit * 3 / 4 : limit
    }

    /// Adds a new root above the current one.
    @inlinable
    @inline(never)
    mutating func raise(below weight: Int) {
        guard let child = root else { return }
        root = TreeNode.create(TreeEntry(count: weight, child: child), room: TreeNode.limit)
        height += 1
    }

    /// Removes roots of one entry.
    @inlinable
    mutating func lower() {
        while height > 0, let node = root.map({ unsafeDowncast($0, to: TreeNode.self) }), node.count == 1 {
            root = node.elements.pointee.child
            height -= 1
        }
    }

    /// Inserts an element into a leaf that is not full and has no other owner.
    @inlinable
    @inline(__always)
    static func insert(_ element: consuming Element, at offset: Int, into leaf: UnsafeMutablePointer<Leaf>) {
        let size = leaf.pointee.count
        if size == leaf.pointee.room { leaf.pointee = leaf.pointee.moved(room: grown(size)) }
        leaf.pointee.insert(element, at: offset)
    }

    /// Splits a full leaf and returns the entry where an element is to be inserted.
    @inlinable
    @inline(never)
    static func splitLeaf(
        _ entry: UnsafeMutablePointer<TreeEntry>, of node: UnsafeRawPointer, isAtEnd: Bool, offset: inout Int
    ) -> UnsafeMutablePointer<TreeEntry> {
        // An insertion at the end is usually one of many appends: leave the leaf full.
        let kept = isAtEnd ? limit : limit / 2
        let leafPointer = entry.child(as: Leaf.self)
        let leaf = leafPointer.pointee.split(at: kept, room: isAtEnd ? limit : limit * 3 / 4)
        if !isAtEnd { leafPointer.pointee = leafPointer.pointee.moved(room: limit * 3 / 4) }
        entry.pointee.count = kept
        insert(TreeEntry(count: leaf.count, child: leaf), behind: entry, of: node)
        if offset < kept || (offset == kept && !isAtEnd) { return entry }
        offset -= kept
        return entry + 1
    }

    /// Splits a full inner node.
    @inlinable
    @inline(never)
    static func splitNode(_ entry: UnsafeMutablePointer<TreeEntry>, of node: UnsafeRawPointer, isAtEnd: Bool) {
        let kept = isAtEnd ? TreeNode.limit - 1 : TreeNode.limit / 2
        let right = entry.child(as: TreeNode.self).pointee.split(at: kept, room: TreeNode.limit)
        let weight = right.weight
        entry.pointee.count -= weight
        insert(TreeEntry(count: weight, child: right), behind: entry, of: node)
    }

    /// Inserts an entry into a node that has room.
    @inlinable
    static func insert(
        _ new: TreeEntry, behind entry: UnsafeMutablePointer<TreeEntry>, of node: UnsafeRawPointer
    ) {
        let index = entry - TreeNode.elements(at: node) + 1
        Unmanaged<TreeNode>.fromOpaque(node)._withUnsafeGuaranteedRef { $0.insert(new, at: index) }
    }

    /// Joins a small child with a neighbour, or balances the two. The child and the node have no other owner.
    @inlinable
    @inline(never)
    static func balance<Item>(
        _ entry: UnsafeMutablePointer<TreeEntry>, below node: UnsafeRawPointer, as: Tail<Item>.Type, limit: Int,
        weight: (Tail<Item>) -> Int
    ) {
        Unmanaged<TreeNode>.fromOpaque(node)._withUnsafeGuaranteedRef { node in
            if node.count == 1 { return }
            let first = entry == node.elements ? entry : entry - 1
            let second = first + 1
            let left = first.child(as: Tail<Item>.self)
            let right = second.child(as: Tail<Item>.self)
            _ = Tail<Item>.unique(&left.pointee)
            _ = Tail<Item>.unique(&right.pointee)
            let total = left.pointee.count + right.pointee.count
            let isJoined = total <= limit * 3 / 4
            let kept = isJoined ? total : total / 2
            // No test sees this never hold: only the last leaf has so little room, and nothing is on its right.
            // No test sees this left out: the condition never holds.
            if left.pointee.room < kept { left.pointee = left.pointee.moved(room: limit) }
            if right.pointee.room < total - kept { right.pointee = right.pointee.moved(room: limit) }
            Tail<Item>.even(left.pointee, right.pointee, leftCount: kept)
            let sum = first.pointee.count + second.pointee.count
            if isJoined {
                first.pointee.count = sum
                _ = node.remove(at: second - node.elements)
            } else {
                first.pointee.count = weight(left.pointee)
                second.pointee.count = sum - first.pointee.count
            }
        }
    }
}
