// Which elements of an array are which elements of another.
//
// Equal ends are cut off first: that alone settles one insertion, removal or change. What is left between them is
// numbered, equal values by equal numbers, and goes through
//
//   1. a common subsequence, the longest that is found in reasonable time (CommonSubsequence.swift): the elements that
//      stay.
//   2. Elements that were removed at one place and inserted at another have moved.
//   3. What is left in a gap between elements that stay is paired in order so that the estimated cost is least: those
//      are elements that changed. The rest was removed or inserted.

struct ArrayAlignment {
    /// Elements that correspond.
    typealias Pair = (old: Int, new: Int)

    /// How many pairs of a gap may be weighed against each other; larger gaps are paired in order.
    private static let maximumGap = 4096

    /// Elements that stay in order and differ, by index.
    private(set) var pairs: [Pair] = []
    /// The old elements that are gone, ascending.
    private(set) var removals: [Int] = []
    /// The new elements that were not there, ascending.
    private(set) var insertions: [Int] = []

    /// The length of the equal beginning.
    private(set) var prefix = 0
    /// Elements beyond the equal beginning that stay in order, equal or not, ascending.
    private(set) var stayers: [Pair] = []
    /// Equal elements that do not stay in order.
    private(set) var movers: [Pair] = []

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
        let common = CommonSubsequence.find(oldNumbers, newNumbers).map { (old: $0.old + prefix, new: $0.new + prefix) }

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
