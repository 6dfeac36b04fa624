/// Summaries of rows, and the summary of all rows, which changes update. It is a value that is cheap to copy.
///
/// A node combines the summaries of 16 rows or nodes. So the summary of all rows depends only on the current summaries,
/// not on earlier ones: a floating-point sum does not drift, and an infinity disappears with its row. Summaries are
/// combined in the order of the row numbers; the combination must be associative but need not commute.
@frozen
@usableFromInline
struct SummaryTree<Summary> {
    /// The summaries of the rows, then the levels of nodes above them. The last level has one node.
    @usableFromInline var levels: ContiguousArray<Chunked<Summary?>>

    /// Creates a tree without rows.
    @inlinable
    init() { levels = [Chunked()] }

    /// Creates a tree of the summaries of the rows from 0 on, in O(N).
    @inlinable
    init(_ summaries: some Sequence<Summary?>, combine: (Summary, Summary) throws -> Summary) rethrows {
        levels = [Chunked(summaries)]
        try addLevels(combine: combine)
    }
}

extension SummaryTree: Sendable where Summary: Sendable {}

extension SummaryTree {
    /// The binary logarithm of the number of children of a node.
    @inlinable static var widthBits: Int { 4 }

    /// The summary of all rows; nil if none has a summary.
    @inlinable var total: Summary? {
        let top = levels[levels.count - 1]
        return top.isEmpty ? nil : top[0]
    }

    /// The summary of a row.
    @inlinable
    subscript(row: UInt32) -> Summary? {
        Int(row) < levels[0].count ? levels[0][Int(row)] : nil
    }

    /// Sets or removes the summary of a row and updates the nodes above it, in O(log N).
    @inlinable
    mutating func set(_ row: UInt32, _ summary: Summary?, combine: (Summary, Summary) throws -> Summary) rethrows {
        var index = Int(row)
        if index >= levels[0].count {
            if summary == nil { return }
            try grow(to: index + 1, combine: combine)
        }
        levels[0][index] = summary
        for level in 1..<Swift.max(levels.count, 1) {
            index &>>= Self.widthBits
            levels[level][index] = try combined(index, of: levels[level - 1], combine: combine)
        }
    }

    /// The combined summaries of the children of a node.
    @inlinable
    func combined(
        _ node: Int, of children: Chunked<Summary?>, combine: (Summary, Summary) throws -> Summary
    ) rethrows -> Summary? {
        let start = node << Self.widthBits
        let end = Swift.min(start + 1 << Self.widthBits, children.count)
        // The children of a node are in one chunk.
        let first = children.pointer(to: start)
        var result = first.pointee
        for child in 1..<Swift.max(end - start, 1) {
            guard let next = first[child] else { continue }
            if let sum = result { result = try combine(sum, next) } else { result = next }
        }
        // No test sees this left out: only optimised code would release the nodes earlier.
        _fixLifetime(children)
        return result
    }

    /// Adds rows without summaries.
    @inlinable
    mutating func grow(to count: Int, combine: (Summary, Summary) throws -> Summary) rethrows {
        levels[0].append(repeating: nil, count: count - levels[0].count)
        for level in 1..<Swift.max(levels.count, 1) {
            let nodes = (levels[level - 1].count - 1) >> Self.widthBits + 1
            levels[level].append(repeating: nil, count: nodes - levels[level].count)
        }
        try addLevels(combine: combine)
    }

    /// Adds levels until the last one has one node.
    @inlinable
    mutating func addLevels(combine: (Summary, Summary) throws -> Summary) rethrows {
        while let top = levels.last, top.count > 1 {
            var level = Chunked<Summary?>()
            for node in 0...(top.count - 1) >> Self.widthBits {
                level.append(try combined(node, of: top, combine: combine))
            }
            levels.append(level)
        }
    }
}
