// Batch updates.

extension SummaryTree {
    /// Sets or removes the summaries of several rows. Then updates each node above them once, level by level.
    ///
    /// So the combination never sees an outdated summary.
    ///
    /// - Parameter changes: Rows in ascending order, and their summaries.
    /// - Complexity: O(K log N) combinations for K rows, and at most O(N).
    @inlinable
    mutating func set(
        _ changes: some Sequence<(UInt32, Summary?)>, combine: (Summary, Summary) throws -> Summary
    ) rethrows {
        var nodes: ContiguousArray<Int> = []
        for (row, summary) in changes {
            if Int(row) >= levels[0].count {
                if summary == nil { continue }
                levels[0].append(repeating: nil, count: Int(row) + 1 - levels[0].count)
            }
            levels[0][Int(row)] = summary
            Self.append(Int(row) &>> Self.widthBits, to: &nodes)
        }
        var level = 1
        while levels[level - 1].count > 1 {
            let count = (levels[level - 1].count - 1) >> Self.widthBits + 1
            if level == levels.count {
                levels.append(Chunked())
                nodes = ContiguousArray(0..<count)
            }
            levels[level].append(repeating: nil, count: count - levels[level].count)
            var above: ContiguousArray<Int> = []
            for node in nodes {
                levels[level][node] = try combined(node, of: levels[level - 1], combine: combine)
                Self.append(node &>> Self.widthBits, to: &above)
            }
            nodes = above
            level += 1
        }
    }

    /// Appends a number to an ascending array unless it equals the last one.
    @inlinable @inline(__always)
    static func append(_ node: Int, to nodes: inout ContiguousArray<Int>) {
        if nodes.last != node { nodes.append(node) }
    }
}
