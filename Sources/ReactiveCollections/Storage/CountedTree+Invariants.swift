// What holds for a counted tree whenever no change is in progress, as code. Only in debug builds, for tests.

#if DEBUG
extension CountedTree {
    /// A sentence for each broken invariant. Complexity: O(N / leaf).
    var brokenInvariants: [String] {
        guard let root else {
            return count == 0 && height == 0 ? [] : ["A tree without a root has a count of \(count)."]
        }
        var broken: [String] = []
        let sum = Self.count(below: root, levels: height, &broken)
        if sum != count { broken.append("A tree has \(sum) elements, and a count of \(count).") }
        return broken
    }

    /// Checks a node and everything below it, and returns the number of its elements.
    private static func count(below node: AnyObject, levels: Int, _ broken: inout [String]) -> Int {
        guard levels > 0 else {
            guard let leaf = node as? Leaf else {
                broken.append("A tree has an inner node at the depth of its leaves.")
                return 0
            }
            if leaf.count < 1 || leaf.count > Swift.min(limit, leaf.room) {
                broken.append("A leaf has \(leaf.count) elements.")
            }
            return leaf.count
        }
        guard let inner = node as? TreeNode else {
            broken.append("A tree has a leaf above the depth of its leaves.")
            return 0
        }
        if inner.count < 1 || inner.count > TreeNode.limit { broken.append("A node has \(inner.count) children.") }
        var sum = 0
        for index in 0..<inner.count {
            let entry = inner.elements[index]
            let below = count(below: entry.child, levels: levels - 1, &broken)
            if below != entry.count { broken.append("A node has a count of \(entry.count) for \(below) elements.") }
            sum += below
        }
        return sum
    }
}
#endif
