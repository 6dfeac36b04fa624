// What holds for an order and an index whenever no change is in progress, as code. Only in debug builds, for tests.

#if DEBUG
extension RowOrder {
    /// A sentence for each broken invariant. Complexity: O(N).
    var brokenInvariants: [String] {
        guard root != 0 else {
            return nodes.count == 0 ? [] : ["An order of rows has nodes, but no root."]
        }
        var check = OrderCheck(order: self)
        check.run()
        return check.broken
    }

    /// The nodes that are not in use.
    fileprivate func freeNodes(atMost limit: Int) -> [UInt32] {
        var result: [UInt32] = []
        var node = free
        while node != 0, result.count <= limit {
            result.append(node)
            node = nodes[Int(node) - 1].parent
        }
        return result
    }
}

private struct OrderCheck {
    let order: RowOrder
    var broken: [String] = []
    private var used: Set<UInt32> = []

    init(order: RowOrder) { self.order = order }

    mutating func run() {
        expect(order.nodes[Int(order.root) - 1].parent == 0, "The root has a parent.")
        let rows = check(order.root, levels: order.height)
        let count = order.count
        expect(rows == count, "The order has \(rows) rows, and a count of \(count).")
        var withLeaf = 0
        order.leafOf.forEach { if $0 != 0 { withLeaf += 1 } }
        expect(withLeaf == rows, "The order has \(rows) rows, and leaves for \(withLeaf).")
        let free = order.freeNodes(atMost: order.nodes.count)
        expect(
            Set(free).union(used).count == free.count + used.count && free.count + used.count == order.nodes.count,
            "The nodes in use and the free ones are not all nodes.")
    }

    /// Checks a node and everything below it, and returns the number of its rows.
    private mutating func check(_ node: UInt32, levels: Int) -> Int {
        guard used.insert(node).inserted else {
            broken.append("Node \(node) is in the tree twice.")
            return 0
        }
        let size = order.size(node)
        let words = order.contents(node)
        let limit = levels == 0 ? RowOrder.leafLimit : RowOrder.nodeLimit
        expect(size >= 1 && size <= limit, "Node \(node) has \(size) rows or children.")
        expect(
            (size..<limit).allSatisfy { words[$0] == RowOrder.unused }, "Node \(node) has a word that it does not use.")
        guard levels > 0 else {
            let leaf = order.nodes[Int(node) - 1]
            expect(leaf.first == words[0], "Leaf \(node) has a wrong first row.")
            for index in 0..<size {
                let row = Int(words[index])
                expect(row < order.leafOf.count && order.leafOf[row] == node, "Row \(row) has a wrong leaf.")
            }
            return size
        }
        var sum = 0
        for index in 0..<size {
            let child = words[index]
            expect(order.nodes[Int(child) - 1].parent == node, "Node \(child) has a wrong parent.")
            let rows = check(child, levels: levels - 1)
            expect(words[RowOrder.nodeLimit + index] == rows, "Node \(node) has a wrong count for node \(child).")
            sum += rows
        }
        return sum
    }

    private mutating func expect(_ condition: Bool, _ sentence: @autoclosure () -> String) {
        if !condition { broken.append(sentence()) }
    }
}

extension RowIndex {
    /// A sentence for each broken invariant. Complexity: O(N).
    var brokenInvariants: [String] {
        var broken: [String] = []
        var used = 0
        buckets.forEach { if $0 != 0 { used += 1 } }
        if used != count { broken.append("An index uses \(used) buckets, and has a count of \(count).") }
        // A search ends at a bucket that is not used.
        if used == buckets.count { broken.append("An index has no bucket left.") }
        guard used < buckets.count else { return broken }
        for end in 0..<buckets.count where buckets[end] != 0 {
            var index = home(buckets[end])
            while index != end, buckets[index] != 0 { index = successor(of: index) }
            if index != end { broken.append("A row of an index cannot be found: there is a gap in front of it.") }
        }
        return broken
    }
}

extension RowNumbers {
    /// The numbers that are in use.
    var inUse: Set<Row> {
        var numbers = Set(0..<next)
        free.forEach { numbers.remove($0) }
        return numbers
    }

    /// A sentence for each broken invariant. Complexity: O(N).
    var brokenInvariants: [String] {
        inUse.count + free.count == Int(next) ? [] : ["A row number is free twice, or was never used."]
    }
}

extension RowBits {
    /// A sentence for each broken invariant. Complexity: O(N).
    var brokenInvariants: [String] {
        var broken: [String] = []
        for word in 0..<words.count {
            let isMarked = groups[word >> 6] & (1 << UInt64(word & 63)) != 0
            if isMarked != (words[word] != 0) { broken.append("A set of rows has a wrong bit for word \(word).") }
        }
        return broken
    }
}
#endif
