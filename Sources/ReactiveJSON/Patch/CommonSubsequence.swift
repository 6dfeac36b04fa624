// The longest common subsequence of two lists of numbers.
//
// It is found by the greedy algorithm of E. Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1
// (1986), if the number D of insertions and removals is at most `maximumDistance`. Other lists have little in common or
// were shuffled. For them, equal numbers are paired in order of occurrence, as in P. Heckel, "A technique for isolating
// differences between files", CACM 21 (1978). The result is a longest increasing subsequence of the pairs (Fredman
// 1975), found in O(n log n).

enum CommonSubsequence {
    typealias Pair = ArrayAlignment.Pair

    /// The maximum number of insertions and removals for the exact algorithm. Its memory is the square of this number.
    private static let maximumDistance = 256

    /// Returns a common subsequence of two lists as pairs of indices: the longest, if it can be found in reasonable
    /// time.
    static func find(_ old: [Int], _ new: [Int]) -> [Pair] {
        let shortest = shortestEdit(old.count, new.count, limit: maximumDistance) { x, y in
            var count = 0
            while x + count < old.count, y + count < new.count, old[x + count] == new[y + count] { count += 1 }
            return count
        }
        return shortest ?? increasingOccurrences(old, new)
    }

    /// Myers's algorithm: finds the furthest element on each diagonal with 0, 1, 2 … insertions and removals, then
    /// follows the path back.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of insertions and removals. Beyond it, the result is `nil`.
    ///   - equalCount: Returns the number of equal elements from two indices on.
    @inline(__always)
    static func shortestEdit(
        _ oldCount: Int, _ newCount: Int, limit: Int, equalCount: (Int, Int) -> Int
    ) -> [Pair]? {
        let limit = min(limit, oldCount + newCount)
        // reached[k + limit + 1]: the number of old elements used on diagonal k = (old elements) - (new elements).
        var reached = [Int](repeating: 0, count: 2 * limit + 3)
        var history: [[Int]] = []
        for distance in 0...limit {
            history.append(Array(reached[(limit + 1 - distance)...(limit + 1 + distance)]))
            for diagonal in stride(from: -distance, through: distance, by: 2) {
                let below = reached[diagonal + limit]
                let above = reached[diagonal + limit + 2]
                let isInsertion = diagonal == -distance || (diagonal != distance && below < above)
                var x = isInsertion ? above : below + 1
                // A diagonal outside the table of both lists is useless; the path back never uses it.
                if x < oldCount, x - diagonal < newCount, x >= diagonal { x += equalCount(x, x - diagonal) }
                reached[diagonal + limit + 1] = x
                if x >= oldCount, x - diagonal >= newCount { return traceBack(history, oldCount, newCount) }
            }
        }
        return nil
    }

    /// Returns the elements that the path with the fewest insertions and removals leaves unchanged.
    private static func traceBack(_ history: [[Int]], _ oldCount: Int, _ newCount: Int) -> [Pair] {
        var result: [Pair] = []
        var (x, y) = (oldCount, newCount)
        for distance in history.indices.reversed() {
            // The progress on each diagonal before this round; diagonals -distance...distance.
            func reached(_ diagonal: Int) -> Int { history[distance][diagonal + distance] }
            let diagonal = x - y
            var start = (x: 0, y: 0)
            if distance > 0 {
                let isInsertion =
                    diagonal == -distance
                    || (diagonal != distance && reached(diagonal - 1) < reached(diagonal + 1))
                let from = isInsertion ? diagonal + 1 : diagonal - 1
                start = (reached(from), reached(from) - from)
            }
            while x > start.x, y > start.y {
                x -= 1
                y -= 1
                result.append((x, y))
            }
            (x, y) = start
        }
        return result.reversed()
    }

    /// Returns a longest subsequence, ascending on both sides, of the pairs of equal elements: first with first, second
    /// with second.
    private static func increasingOccurrences(_ old: [Int], _ new: [Int]) -> [Pair] {
        var occurrences: [Int: [Int]] = [:]
        for (index, number) in old.enumerated().reversed() { occurrences[number, default: []].append(index) }
        var candidates: [Pair] = []
        for (index, number) in new.enumerated() {
            if let first = occurrences[number]?.popLast() { candidates.append((first, index)) }
        }
        // ends[n]: the candidate with the smallest old index that ends an ascending run of n + 1.
        var ends: [Int] = []
        var previous = [Int](repeating: -1, count: candidates.count)
        for (index, candidate) in candidates.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if candidates[ends[middle]].old < candidate.old { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var result: [Pair] = []
        var index = ends.last ?? -1
        while index >= 0 {
            result.append(candidates[index])
            index = previous[index]
        }
        return result.reversed()
    }
}
