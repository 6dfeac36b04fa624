// Determines which elements of one array correspond to which elements of another.
//
// Equal beginnings and ends are removed first. That is enough for one insertion, removal or change. The rest between
// them is processed as follows:
//
//   1. Find a common subsequence, the longest that can be found in reasonable time (CommonSubsequence.swift). Its
//      elements stay. If few elements differ, the arrays are compared directly. Otherwise the elements are numbered;
//      equal ones get equal numbers.
//   2. Elements that were removed at one index and inserted at another have moved.
//   3. The remaining elements in a gap between elements that stay are paired in order, so that the estimated cost is
//      minimal. Paired elements have changed; the others were removed or inserted. Only this reads elements as JSON.
//
// The arrays define equality (`ComparedElements`): JSON documents compare values, object graphs compare the bits of
// their elements.

/// The elements of two arrays that are compared.
package protocol ComparedElements {
    /// The number of elements of the old array.
    var oldCount: Int { get }
    /// The number of elements of the new array.
    var newCount: Int { get }
    /// The maximum number of insertions and removals that are searched by direct comparison. Beyond it, elements are
    /// numbered.
    var directDistance: Int { get }

    /// Returns the number of elements from the given indices on that are equal one by one.
    func equalCount(from old: Int, _ new: Int) -> Int
    /// Returns the number of elements before the given indices that are equal one by one, at most `limit`.
    func equalCount(before old: Int, _ new: Int, limit: Int) -> Int
    /// Returns numbers for the elements at the given indices. Equal elements have equal numbers.
    func numbers(old: [Int], new: [Int]) -> (old: [Int], new: [Int])
}

package struct ArrayAlignment {
    /// The indices of corresponding elements.
    package typealias Pair = (old: Int, new: Int)

    /// The maximum number of pairs in a gap that are weighed against each other. In larger gaps, elements are paired in
    /// order.
    private static let maximumGap = 4096

    /// The elements that stay in order and differ.
    package private(set) var pairs: [Pair] = []
    /// The removed old elements, ascending.
    package private(set) var removals: [Int] = []
    /// The inserted new elements, ascending.
    package private(set) var insertions: [Int] = []

    /// The length of the equal beginning.
    package private(set) var prefix = 0
    /// The elements between the equal beginning and the equal end.
    package private(set) var oldMiddle = 0..<0
    package private(set) var newMiddle = 0..<0
    /// The elements of the middle that stay in order, equal or not, ascending.
    package private(set) var stayers: [Pair] = []
    /// The equal elements that do not stay in order, ascending in the new array.
    package private(set) var movers: [Pair] = []
    /// The elements of the middle that have no equal counterpart, ascending.
    package private(set) var unmatchedOld: [Int] = []
    package private(set) var unmatchedNew: [Int] = []

    init(from old: [JSONValue], to new: [JSONValue]) {
        self.init(matching: ComparedValues(old: old, new: new))
        pairUnmatched(old: { old[$0] }, new: { new[$0] })
    }

    // MARK: - Matching

    /// Finds the equal elements: those that stay and those that move. The others are unmatched until
    /// ``pairUnmatched(old:new:)`` decides about them.
    package init(matching elements: some ComparedElements) {
        prefix = elements.equalCount(from: 0, 0)
        let suffix = elements.equalCount(
            before: elements.oldCount, elements.newCount, limit: min(elements.oldCount, elements.newCount) - prefix)
        oldMiddle = prefix..<(elements.oldCount - suffix)
        newMiddle = prefix..<(elements.newCount - suffix)
        guard !oldMiddle.isEmpty, !newMiddle.isEmpty else {
            unmatchedOld = Array(oldMiddle)
            unmatchedNew = Array(newMiddle)
            return
        }
        let (start, oldCount, newCount) = (prefix, oldMiddle.count, newMiddle.count)
        let direct = CommonSubsequence.shortestEdit(oldCount, newCount, limit: elements.directDistance) { x, y in
            min(elements.equalCount(from: start + x, start + y), oldCount - x, newCount - y)
        }
        if let direct {
            stayers = direct.map { ($0.old + start, $0.new + start) }
            findUnmatched()
            let numbers = elements.numbers(old: unmatchedOld, new: unmatchedNew)
            findMovers(numbers.old, numbers.new)
        } else {
            let numbers = elements.numbers(old: Array(oldMiddle), new: Array(newMiddle))
            stayers = CommonSubsequence.find(numbers.old, numbers.new).map { ($0.old + start, $0.new + start) }
            findUnmatched()
            findMovers(unmatchedOld.map { numbers.old[$0 - start] }, unmatchedNew.map { numbers.new[$0 - start] })
        }
    }

    private mutating func findUnmatched() {
        var (old, new) = (prefix, prefix)
        for stayer in stayers {
            if old < stayer.old { unmatchedOld += old..<stayer.old }
            if new < stayer.new { unmatchedNew += new..<stayer.new }
            (old, new) = (stayer.old + 1, stayer.new + 1)
        }
        unmatchedOld += old..<oldMiddle.upperBound
        unmatchedNew += new..<newMiddle.upperBound
    }

    /// Removes moved elements from the unmatched ones, whose numbers are given.
    private mutating func findMovers(_ old: [Int], _ new: [Int]) {
        guard !old.isEmpty, !new.isEmpty else { return }
        var removed: [Int: [Int]] = [:]
        for position in old.indices.reversed() { removed[old[position], default: []].append(position) }
        var isMovedOld = [Bool](repeating: false, count: old.count)
        var restNew: [Int] = []
        for position in new.indices {
            if let origin = removed[new[position]]?.popLast() {
                movers.append((unmatchedOld[origin], unmatchedNew[position]))
                isMovedOld[origin] = true
            } else {
                restNew.append(unmatchedNew[position])
            }
        }
        guard !movers.isEmpty else { return }
        unmatchedOld = unmatchedOld.indices.filter { !isMovedOld[$0] }.map { unmatchedOld[$0] }
        unmatchedNew = restNew
    }

    /// Returns the old element that equals a new one and corresponds to it, if there is one. Must be called before
    /// unmatched elements are paired.
    ///
    /// - Complexity: O(log *n*).
    package func origin(of new: Int) -> Int? {
        if new < newMiddle.lowerBound { return new }
        if new >= newMiddle.upperBound { return new - newMiddle.upperBound + oldMiddle.upperBound }
        for pairs in [stayers, movers] {
            let index = pairs.partitioningIndex { $0.new >= new }
            if index < pairs.count, pairs[index].new == new { return pairs[index].old }
        }
        return nil
    }

    // MARK: - Pairing

    /// Decides which unmatched elements have changed, and which were removed or inserted.
    ///
    /// - Parameters:
    ///   - old: Returns the JSON of an unmatched old element.
    ///   - new: Returns the JSON of an unmatched new element.
    package mutating func pairUnmatched(old: (Int) -> JSONValue, new: (Int) -> JSONValue) {
        let anchors = stayers
        stayers = []
        stayers.reserveCapacity(anchors.count)
        var (oldNext, newNext) = (0, 0)
        func takeGap(_ rest: [Int], _ next: inout Int, upTo end: Int) -> [Int] {
            let start = next
            while next < rest.count, rest[next] < end { next += 1 }
            return start < next ? Array(rest[start..<next]) : []
        }
        for anchor in anchors + [(oldMiddle.upperBound, newMiddle.upperBound)] {
            let oldGap = takeGap(unmatchedOld, &oldNext, upTo: anchor.old)
            let newGap = takeGap(unmatchedNew, &newNext, upTo: anchor.new)
            if !oldGap.isEmpty || !newGap.isEmpty { fill(oldGap, newGap, old, new) }
            if anchor.old < oldMiddle.upperBound { stayers.append(anchor) }
        }
    }

    /// Pairs the remaining elements of a gap, as many as there are on the shorter side.
    private mutating func fill(
        _ oldGap: [Int], _ newGap: [Int], _ old: (Int) -> JSONValue, _ new: (Int) -> JSONValue
    ) {
        var oldLeft = oldGap[...]
        var newLeft = newGap[...]
        func takePair(_ alignment: inout ArrayAlignment) {
            let pair = (oldLeft.removeFirst(), newLeft.removeFirst())
            alignment.pairs.append(pair)
            alignment.stayers.append(pair)
        }
        guard !oldGap.isEmpty, !newGap.isEmpty else {
            removals += oldGap
            insertions += newGap
            return
        }
        guard oldGap.count != newGap.count || oldGap.count > 1, oldGap.count * newGap.count <= ArrayAlignment.maximumGap
        else {
            while !oldLeft.isEmpty, !newLeft.isEmpty { takePair(&self) }
            removals += oldLeft
            insertions += newLeft
            return
        }
        // costs[i][j]: the minimal cost of the rest after the first i old and j new elements of the gap.
        var costs = [[Int]](repeating: [Int](repeating: 0, count: newGap.count + 1), count: oldGap.count + 1)
        var pairing = [[Int]](repeating: [Int](repeating: 0, count: newGap.count), count: oldGap.count)
        for i in oldGap.indices.reversed() { costs[i][newGap.count] = oldGap.count - i }
        for j in newGap.indices.reversed() {
            costs[oldGap.count][j] = costs[oldGap.count][j + 1] + 1 + new(newGap[j]).valueCount
        }
        for i in oldGap.indices.reversed() {
            for j in newGap.indices.reversed() {
                pairing[i][j] = costs[i + 1][j + 1] + ArrayAlignment.estimate(old(oldGap[i]), new(newGap[j]))
                let inserting = costs[i][j + 1] + 1 + new(newGap[j]).valueCount
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

    /// Returns the estimated cost of changing one value into another, looking one level deep.
    private static func estimate(_ old: JSONValue, _ new: JSONValue) -> Int {
        var cost = 0
        switch (old, new) {
        case (.object(let old), .object(let new)):
            for (key, value) in new where old[key] != value { cost += 1 + value.valueCount }
            for (key, _) in old where new[key] == nil { cost += 1 }
        case (.array(let old), .array(let new)):
            let start = zip(old, new).prefix { $0 == $1 }.count
            let end = zip(old.dropFirst(start).reversed(), new.dropFirst(start).reversed()).prefix { $0 == $1 }.count
            cost = old.count - start - end
            for value in new.dropFirst(start).dropLast(end) { cost += 1 + value.valueCount }
        default:
            return old == new ? 0 : 1 + new.valueCount
        }
        return min(cost, 1 + new.valueCount)
    }
}

/// The elements of two JSON arrays, compared by value.
private struct ComparedValues: ComparedElements {
    let old: [JSONValue]
    let new: [JSONValue]

    var oldCount: Int { old.count }
    var newCount: Int { new.count }
    /// Comparing equal values takes time proportional to their size, so each is hashed and compared once.
    var directDistance: Int { 0 }

    func equalCount(from oldIndex: Int, _ newIndex: Int) -> Int {
        let limit = min(old.count - oldIndex, new.count - newIndex)
        var count = 0
        while count < limit, old[oldIndex + count] == new[newIndex + count] { count += 1 }
        return count
    }

    func equalCount(before oldIndex: Int, _ newIndex: Int, limit: Int) -> Int {
        var count = 0
        while count < limit, old[oldIndex - 1 - count] == new[newIndex - 1 - count] { count += 1 }
        return count
    }

    func numbers(old oldIndices: [Int], new newIndices: [Int]) -> (old: [Int], new: [Int]) {
        var numbers: [JSONValue: Int] = [:]
        func number(_ value: JSONValue) -> Int {
            if let number = numbers[value] { return number }
            numbers[value] = numbers.count
            return numbers.count - 1
        }
        return (oldIndices.map { number(old[$0]) }, newIndices.map { number(new[$0]) })
    }
}
