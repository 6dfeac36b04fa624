// Which elements can stay where they are, so that only the others move.

/// The heaviest subsequence of ranges that are in ascending order: what stays, while the rest is moved past it.
///
/// - Parameter ranges: Ranges that do not overlap. Each weighs as much as it has elements.
/// - Returns: The indices of the chosen ranges, ascending.
/// - Complexity: O(*n* log *n*).
func heaviestIncreasing(_ ranges: [Range<Int>]) -> [Int] {
    let isAscending = zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
    if isAscending { return Array(ranges.indices) }
    let ranks = ranges.indices.sorted { ranges[$0].lowerBound < ranges[$1].lowerBound }
    var rankOf = [Int](repeating: 0, count: ranges.count)
    for (rank, index) in ranks.enumerated() { rankOf[index] = rank }
    // A Fenwick tree of the heaviest chain that ends at one of the first ranges by value.
    var heaviest = [(weight: Int, last: Int)](repeating: (0, -1), count: ranges.count + 1)
    var previous = [Int](repeating: -1, count: ranges.count)
    var best = (weight: 0, last: -1)
    for index in ranges.indices {
        var chain = (weight: 0, last: -1)
        var node = rankOf[index]
        while node > 0 {
            if heaviest[node].weight > chain.weight { chain = heaviest[node] }
            node &= node - 1
        }
        previous[index] = chain.last
        chain = (chain.weight + ranges[index].count, index)
        if chain.weight > best.weight { best = chain }
        node = rankOf[index] + 1
        while node <= ranges.count {
            if heaviest[node].weight < chain.weight { heaviest[node] = chain }
            node += node & -node
        }
    }
    var chosen: [Int] = []
    var index = best.last
    while index >= 0 {
        chosen.append(index)
        index = previous[index]
    }
    return chosen.reversed()
}
