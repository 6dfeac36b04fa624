// Which elements of an array are which elements of another.
//
// Equal ends are cut off first: that alone settles one insertion, removal or change. What is left between them is numbered, equal values by
// equal numbers, and goes through
//
//   1. a longest common subsequence: the elements that stay. Found by the greedy algorithm of E. Myers, "An O(ND) Difference
//      Algorithm and Its Variations", Algorithmica 1 (1986), as long as the number D of insertions and removals is at most
//      `maximumDistance`. Beyond, for arrays that have little in common or were shuffled, equal elements are paired in order of
//      occurrence, as in P. Heckel, "A technique for isolating differences between files", CACM 21 (1978), and those that stay are a
//      longest increasing subsequence of the pairs (Fredman 1975), in O(n log n).
//   2. Elements that were removed at one place and inserted at another have moved.
//   3. What is left in a gap between elements that stay is paired in order so that the estimated cost is least: those are elements that
//      changed. The rest was removed or inserted.

struct ArrayAlignment {
    /// Elements that correspond.
    typealias Pair = (old: Int, new: Int)

    /// How many insertions and removals the exact algorithm may find; its memory is the square of it.
    private static let maximumDistance = 256
    /// How many pairs of a gap may be weighed against each other; larger gaps are paired in order.
    private static let maximumGap = 4096

    /// Elements that stay in order and differ, by index.
    private(set) var pairs: [Pair] = []
    /// The old elements that are gone, ascending.
    private(set) var removals: [Int] = []
    /// The new elements that were not there, ascending.
    private(set) var insertions: [Int] = []

    /// The length of the equal beginning.
    private var prefix = 0
    /// Elements beyond the equal beginning that stay in order, equal or not, ascending.
    private var stayers: [Pair] = []
    /// Equal elements that do not stay in order.
    private var movers: [Pair] = []

    init(from old: [JSONValue], to new: [JSONValue]) {
        var oldEnd = old.count
        var newEnd = new.count
        while prefix < oldEnd, prefix < newEnd, old[prefix] == new[prefix] { prefix += 1 }
        while oldEnd > prefix, newEnd > prefix, old[oldEnd - 1] == new[newEnd - 1] {
            oldEnd -= 1
            newEnd -= 1
        }
        align(old, prefix..<oldEnd, new, prefix..<newEnd)
    }

    private mutating func align(_ old: [JSONValue], _ oldRange: Range<Int>, _ new: [JSONValue], _ newRange: Range<Int>)
    {
        guard !oldRange.isEmpty, !newRange.isEmpty else {
            removals = Array(oldRange)
            insertions = Array(newRange)
            return
        }
        var numbers: [JSONValue: Int] = [:]
        func number(_ value: JSONValue) -> Int {
            if let number = numbers[value] { return number }
            numbers[value] = numbers.count
            return numbers.count - 1
        }
        let oldNumbers = old[oldRange].map(number)
        let newNumbers = new[newRange].map(number)
        let common = commonSubsequence(oldNumbers, newNumbers).map { (old: $0.old + prefix, new: $0.new + prefix) }

        findMovers(common, oldNumbers, newNumbers)
        let movedOld = Set(movers.map(\.old))
        let movedNew = Set(movers.map(\.new))
        var last = (old: prefix, new: prefix)
        for anchor in common + [(oldRange.upperBound, newRange.upperBound)] {
            let oldGap = (last.old..<anchor.old).filter { !movedOld.contains($0) }
            let newGap = (last.new..<anchor.new).filter { !movedNew.contains($0) }
            fill(oldGap, newGap, old, new)
            if anchor.old < oldRange.upperBound { stayers.append(anchor) }
            last = (anchor.old + 1, anchor.new + 1)
        }
    }

    // MARK: - What stays

    /// A common subsequence of two lists of numbers, the longest where that can be found in reasonable time.
    private func commonSubsequence(_ old: [Int], _ new: [Int]) -> [Pair] {
        shortestEdit(old, new) ?? increasingOccurrences(old, new)
    }

    /// Myers's algorithm: how far one gets on each diagonal with 0, 1, 2 … insertions and removals, then back along the way.
    private func shortestEdit(_ old: [Int], _ new: [Int]) -> [Pair]? {
        let limit = min(ArrayAlignment.maximumDistance, old.count + new.count)
        // reached[k + limit + 1]: how many old elements are used up on diagonal k = (old elements) - (new elements).
        var reached = [Int](repeating: 0, count: 2 * limit + 3)
        var history: [[Int]] = []
        for distance in 0...limit {
            history.append(Array(reached[(limit + 1 - distance)...(limit + 1 + distance)]))
            for diagonal in stride(from: -distance, through: distance, by: 2) {
                let below = reached[diagonal + limit]
                let above = reached[diagonal + limit + 2]
                let isInsertion = diagonal == -distance || (diagonal != distance && below < above)
                var x = isInsertion ? above : below + 1
                // A diagonal outside of the table of both is of no use; the way back never comes through it.
                while x < old.count, x - diagonal < new.count, x >= diagonal, old[x] == new[x - diagonal] { x += 1 }
                reached[diagonal + limit + 1] = x
                if x >= old.count, x - diagonal >= new.count { return wayBack(history, old.count, new.count) }
            }
        }
        return nil
    }

    /// The elements that the way with the fewest insertions and removals passes unchanged.
    private func wayBack(_ history: [[Int]], _ oldCount: Int, _ newCount: Int) -> [Pair] {
        var result: [Pair] = []
        var (x, y) = (oldCount, newCount)
        for distance in history.indices.reversed() {
            // What was reached on each diagonal before this round; diagonals -distance...distance.
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

    /// A longest subsequence of the pairs of equal elements, first with first, second with second, that ascends on both sides.
    private func increasingOccurrences(_ old: [Int], _ new: [Int]) -> [Pair] {
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

    // MARK: - What moves

    private mutating func findMovers(_ common: [Pair], _ old: [Int], _ new: [Int]) {
        let stayingOld = Set(common.map { $0.old - prefix })
        let stayingNew = Set(common.map { $0.new - prefix })
        var removed: [Int: [Int]] = [:]
        for index in old.indices.reversed() where !stayingOld.contains(index) {
            removed[old[index], default: []].append(index)
        }
        for index in new.indices where !stayingNew.contains(index) {
            if let origin = removed[new[index]]?.popLast() { movers.append((origin + prefix, index + prefix)) }
        }
    }

    /// The moves that bring the movers to their places, one each, after the removals and before the insertions.
    ///
    /// At any time the array consists of *settled* elements, which are in order among themselves, and of movers yet to be moved. Those lie
    /// behind the stayer that they followed in the old array and the settled elements that belong right behind it:
    ///
    ///     stayer, settled movers …, unsettled movers …, stayer, …
    ///
    /// A mover goes right behind the last settled element that belongs before it. So every index is a count of settled elements below a rank,
    /// plus one of unsettled movers before a place in the old order; two Fenwick trees keep these counts.
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
        // The rank of the stayer that follows in the old order, and the place there of the stayer that precedes in rank.
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

    // MARK: - What changes

    /// Pairs what is left in a gap, as many as there are on the shorter side.
    private mutating func fill(_ oldGap: [Int], _ newGap: [Int], _ old: [JSONValue], _ new: [JSONValue]) {
        var oldLeft = oldGap[...]
        var newLeft = newGap[...]
        func takePair(_ alignment: inout ArrayAlignment) {
            let pair = (oldLeft.removeFirst(), newLeft.removeFirst())
            alignment.pairs.append(pair)
            alignment.stayers.append(pair)
        }
        guard oldGap.count != newGap.count || oldGap.count > 1, oldGap.count * newGap.count <= ArrayAlignment.maximumGap
        else {
            while !oldLeft.isEmpty, !newLeft.isEmpty { takePair(&self) }
            removals += oldLeft
            insertions += newLeft
            return
        }
        // costs[i][j]: the least cost of what is left when i old and j new elements of the gap are dealt with.
        var costs = [[Int]](repeating: [Int](repeating: 0, count: newGap.count + 1), count: oldGap.count + 1)
        var pairing = [[Int]](repeating: [Int](repeating: 0, count: newGap.count), count: oldGap.count)
        for i in oldGap.indices.reversed() { costs[i][newGap.count] = oldGap.count - i }
        for j in newGap.indices.reversed() {
            costs[oldGap.count][j] = costs[oldGap.count][j + 1] + 1 + new[newGap[j]].valueCount
        }
        for i in oldGap.indices.reversed() {
            for j in newGap.indices.reversed() {
                pairing[i][j] = costs[i + 1][j + 1] + ArrayAlignment.estimate(old[oldGap[i]], new[newGap[j]])
                let inserting = costs[i][j + 1] + 1 + new[newGap[j]].valueCount
                costs[i][j] = min(pairing[i][j], costs[i + 1][j] + 1, inserting)
            }
        }
        while let oldIndex = oldLeft.first, let newIndex = newLeft.first {
            let (i, j) = (oldGap.count - oldLeft.count, newGap.count - newLeft.count)
            if costs[i][j] == pairing[i][j] {
                takePair(&self)
            } else if costs[i][j] == costs[i + 1][j] + 1 {
                removals.append(oldIndex)
                oldLeft.removeFirst()
            } else {
                insertions.append(newIndex)
                newLeft.removeFirst()
            }
        }
        removals += oldLeft
        insertions += newLeft
    }

    /// What it may cost to change one value into another, looking one level deep.
    private static func estimate(_ old: JSONValue, _ new: JSONValue) -> Int {
        var cost = 0
        switch (old, new) {
        case (.object(let old), .object(let new)):
            for (key, value) in new.members where old[key] != value { cost += 1 + value.valueCount }
            for key in old.members.keys where new[key] == nil { cost += 1 }
        case (.array(let old), .array(let new)):
            let start = zip(old, new).prefix { $0 == $1 }.count
            let end = zip(old.dropFirst(start).reversed(), new.dropFirst(start).reversed()).prefix { $0 == $1 }.count
            cost = old.count - start - end
            for value in new.dropFirst(start).dropLast(end) { cost += 1 + value.valueCount }
        default:
            return 1 + new.valueCount
        }
        return min(cost, 1 + new.valueCount)
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
