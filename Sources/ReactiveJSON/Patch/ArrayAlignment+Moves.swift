// The order of the moves in an array, one operation for each moved element.

extension ArrayAlignment {
    /// Returns the moves that bring the movers to their new indices, one for each mover, after the removals and before
    /// the insertions.
    ///
    /// At any time, the array consists of *arranged* elements, which are in their new order, and of *waiting* movers,
    /// which have not been moved yet. A waiting mover is behind the stayer that it followed in the old array, and also
    /// behind the arranged elements that belong right behind that stayer:
    ///
    ///     stayer, arranged movers …, waiting movers …, stayer, …
    ///
    /// A mover is moved right behind the last arranged element that belongs before it. So every index is a sum: the
    /// number of arranged elements before it in the new order, and the number of waiting movers before it in the old
    /// order. Stayers are in both orders, so a binary search counts them. Two Fenwick trees count the movers.
    package func moves() -> [(from: Int, to: Int)] {
        guard !movers.isEmpty else { return [] }
        let byNew = movers
        let byOld = byNew.indices.sorted { byNew[$0].old < byNew[$1].old }
        var rankInOld = [Int](repeating: 0, count: byNew.count)
        for (rank, index) in byOld.enumerated() { rankInOld[index] = rank }
        var arranged = Counts(byNew.count)
        var waiting = Counts(byNew.count)
        for rank in byOld.indices { waiting.add(1, at: rank) }

        /// Returns the number of arranged elements before an index in the new order.
        func arrangedCount(before new: Int) -> Int {
            let moved = byNew.partitioningIndex { $0.new >= new }
            return stayers.partitioningIndex { $0.new >= new } + arranged.below(moved)
        }
        /// Returns the number of waiting movers before an index in the old order.
        func waitingCount(before old: Int) -> Int {
            waiting.below(byOld.partitioningIndex { byNew[$0].old >= old })
        }
        var moves: [(from: Int, to: Int)] = []
        for (rank, mover) in byNew.enumerated() {
            let following = stayers.partitioningIndex { $0.old > mover.old }
            let nextNew = following < stayers.count ? stayers[following].new : Int.max
            let from = arrangedCount(before: nextNew) + waitingCount(before: mover.old)
            waiting.add(-1, at: rankInOld[rank])
            let precedingCount = stayers.partitioningIndex { $0.new > mover.new }
            let precedingOld = precedingCount > 0 ? stayers[precedingCount - 1].old : 0
            let to = arrangedCount(before: mover.new) + waitingCount(before: precedingOld)
            arranged.add(1, at: rank)
            if from != to { moves.append((prefix + from, prefix + to)) }
        }
        return moves
    }
}

extension Array {
    /// Returns the index of the first element that satisfies a condition. All elements after it must satisfy the
    /// condition too.
    package func partitioningIndex(_ isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// Counts by index, summed up to an index in O(log n): a Fenwick tree (Fenwick 1994).
private struct Counts {
    private var sums: [Int]

    init(_ count: Int) { sums = [Int](repeating: 0, count: count + 1) }

    mutating func add(_ amount: Int, at position: Int) {
        var index = position + 1
        while index < sums.count {
            sums[index] += amount
            index += index & -index
        }
    }

    /// Returns the sum of the counts below an index.
    func below(_ position: Int) -> Int {
        var (index, sum) = (position, 0)
        while index > 0 {
            sum += sums[index]
            index -= index & -index
        }
        return sum
    }
}
