// The order in which the elements of an array that moved are moved, one operation each.

extension ArrayAlignment {
    /// The moves that bring the movers to their places, one each, after the removals and before the insertions.
    ///
    /// At any time the array consists of *settled* elements, which are in order among themselves, and of movers yet to
    /// be moved. Those lie behind the stayer that they followed in the old array and the settled elements that belong
    /// right behind it:
    ///
    ///     stayer, settled movers …, unsettled movers …, stayer, …
    ///
    /// A mover goes right behind the last settled element that belongs before it. So every index is a count of settled
    /// elements below a rank, plus one of unsettled movers before a place in the old order; two Fenwick trees keep
    /// these counts.
    func moves() -> [(from: Int, to: Int)] {
        guard !movers.isEmpty else { return [] }
        let kept = (stayers.map { ($0, true) } + movers.map { ($0, false) }).sorted { $0.0.old < $1.0.old }
        let count = kept.count
        let byRank = kept.indices.sorted { kept[$0].0.new < kept[$1].0.new }
        var rank = [Int](repeating: 0, count: count)
        for (position, index) in byRank.enumerated() { rank[index] = position }

        var settled = Counts(count)
        var unsettled = Counts(count)
        for index in kept.indices {
            if kept[index].1 { settled.add(1, at: rank[index]) } else { unsettled.add(1, at: index) }
        }
        // The rank of the stayer that follows in the old order, and the place there of the stayer that precedes in
        // rank.
        var nextStayer = [Int](repeating: count, count: count)
        var following = count
        for index in kept.indices.reversed() {
            if kept[index].1 { following = rank[index] }
            nextStayer[index] = following
        }
        var moves: [(from: Int, to: Int)] = []
        var preceding = 0
        for index in byRank {
            guard !kept[index].1 else {
                preceding = index
                continue
            }
            let from = settled.below(nextStayer[index]) + unsettled.below(index)
            unsettled.add(-1, at: index)
            let to = settled.below(rank[index]) + unsettled.below(preceding)
            settled.add(1, at: rank[index])
            if from != to { moves.append((prefix + from, prefix + to)) }
        }
        return moves
    }
}

/// Counts by position, summed up to a position in O(log n): a Fenwick tree (Fenwick 1994).
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

    /// The sum at all positions below one.
    func below(_ position: Int) -> Int {
        var (index, sum) = (position, 0)
        while index > 0 {
            sum += sums[index]
            index -= index & -index
        }
        return sum
    }
}
