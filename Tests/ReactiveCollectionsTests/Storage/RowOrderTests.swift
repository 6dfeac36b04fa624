import TestSupport
import Testing

@testable import ReactiveCollections

@Suite struct RowOrderTests {
    @Test(arguments: seeds(3), [0, 4_000, 40_000]) func followsAnArray(seed: UInt64, initialCount: Int) {
        var random = SplitMix64(seed: seed)
        // While rows are in order, no tree is built.
        var array = Array(0..<UInt32(initialCount))
        if random.oneIn(2) { array.shuffle(using: &random) }
        var order = RowOrder(array)
        // Free rows, some of them far apart.
        var spare = [9_000_000] + (UInt32(initialCount)..<UInt32(initialCount) + 20_000).shuffled(using: &random)
        var copies: [([UInt32], [UInt32], RowOrder)] = []
        var differences = 0
        for _ in 0..<80 {
            switch random.below(20) {
            case 0:
                if copies.count < 6 { copies.append((array, spare, order)) }
            case 1:
                if let copy = copies.randomElement(using: &random) { (array, spare, order) = copy }
            case 2:
                order = RowOrder(array)
            case 3...8:
                // Insertions at one position, at random ones, and at the end.
                var position = random.below(array.count + 1)
                let kind = random.below(3)
                for _ in 0..<random.below(300) where !spare.isEmpty {
                    let row = spare.removeLast()
                    if kind == 1 { position = random.below(array.count + 1) }
                    if kind == 2 { position = array.count }
                    switch random.below(8) {
                    case 0 where position == array.count:
                        order.append(row)
                    case 1:
                        // The condition must not use the order that is changed.
                        let copy = order
                        order.insert(row, beforeFirst: { copy.position(of: $0.row) >= position })
                    case 2...4:
                        order.insert(row, at: position)
                    default:
                        order.insert(row, after: position == 0 ? nil : array[position - 1])
                    }
                    array.insert(row, at: position)
                }
            case 9...15:
                var position = random.below(array.count + 1)
                let isRandom = random.oneIn(2)
                for _ in 0..<random.below(500) where !array.isEmpty {
                    position = min(isRandom ? random.below(array.count) : position, array.count - 1)
                    let row = array[position]
                    let before = position == 0 ? nil : array[position - 1]
                    let after = position + 1 == array.count ? nil : array[position + 1]
                    array.remove(at: position)
                    if random.oneIn(2) {
                        order.remove(row)
                    } else {
                        for isKept in [true, false] {
                            order.remove(row) {
                                if $0 != before || $1 != after { differences += 1 }
                                return isKept
                            }
                            if order.contains(row) != isKept { differences += 1 }
                        }
                    }
                    spare.append(row)
                }
            default:
                if !agree(order, array, spare, &random) { differences += 1 }
            }
            if order.count != array.count { differences += 1 }
            #if DEBUG
            if order.count < 5_000, order.brokenInvariants != [] { differences += 1 }
            #endif
        }
        copies.append((array, spare, order))
        for (array, spare, order) in copies {
            if !agree(order, array, spare, &random) { differences += 1 }
            if order.first != array.first || order.last != array.last { differences += 1 }
            for index in stride(from: 0, to: array.count, by: 1 + array.count / 1_000) {
                let row = array[index]
                if order.row(at: index) != row || order.position(of: row) != index { differences += 1 }
                if order.row(before: row) != (index == 0 ? nil : array[index - 1]) { differences += 1 }
                if order.row(after: row) != (index + 1 == array.count ? nil : array[index + 1]) { differences += 1 }
            }
            var rows: [UInt32] = []
            order.forEach { rows.append($0) }
            if rows != array { differences += 1 }
        }
        #expect(differences == 0)
    }

    private func agree(_ order: RowOrder, _ array: [UInt32], _ spare: [UInt32], _ random: inout SplitMix64) -> Bool {
        #if DEBUG
        if order.brokenInvariants != [] { return false }
        #endif
        for _ in 0..<20 {
            if let row = spare.randomElement(using: &random), order.contains(row) { return false }
            if array.isEmpty { continue }
            let (i, j) = (random.below(array.count), random.below(array.count))
            if !order.contains(array[i]) || order.row(at: i) != array[i] { return false }
            if order.position(of: array[j]) != j || order.precedes(array[i], array[j]) != (i < j) { return false }
            if order.firstPosition(where: { order.position(of: $0) >= j }) != j { return false }
        }
        return order.firstPosition(where: { _ in false }) == array.count
    }

    @Test func ascendingRowsNeedNoTree() {
        var order = RowOrder(identity: 1_000)
        order.append(1_000)
        order.insert(1_001, after: 1_000)
        order.insert(1_002, at: 1_002)
        order.remove(1_002)
        order.remove(1_001) { before, after in before == nil || after != nil }
        #expect(order.root == 0 && order.count == 1_001 && order.last == 1_000)
        #expect(order.first == 0 && RowOrder().first == nil && RowOrder().last == nil)
        let copy = order
        order.remove(500)
        #expect(order.root != 0 && !order.contains(500) && order.position(of: 501) == 500)
        order.insert(500, after: 499)
        #expect(order.position(of: 501) == 501 && order.row(at: 500) == 500)
        #expect(copy.root == 0 && copy.position(of: 501) == 501)
        #expect(RowOrder([0, 1, 2]).root == 0 && RowOrder([0, 2, 1]).root != 0)
    }

    @Test func theNextRowIsInsertedAnywhereIntoAnOrderWithoutATree() {
        for position in 0...3 {
            var order = RowOrder(identity: 3)
            order.insert(3, at: position)
            var expected: [UInt32] = [0, 1, 2]
            expected.insert(3, at: position)
            #expect(rows(of: order) == expected && (order.root == 0) == (position == 3))
        }
    }

    @Test func allRowsCanBeRemovedAndInsertedAgain() {
        var order = RowOrder(0..<10_000)
        for row in 0..<UInt32(10_000) { order.remove(row) }
        #expect(order.isEmpty && order.first == nil && !order.contains(5))
        order.append(5)
        order.insert(7, after: nil)
        var rows: [UInt32] = []
        order.forEach { rows.append($0) }
        #expect(rows == [7, 5])
    }

    // MARK: - Nodes

    private func descending(_ count: Int) -> RowOrder { RowOrder((0..<UInt32(count)).reversed()) }

    /// The numbers of rows of the leaves.
    private func leaves(of order: RowOrder) -> [Int] {
        var sizes: [Int] = []
        order.forEachLeaf { sizes.append(order.size($0.leaf)) }
        return sizes
    }

    /// The numbers of children of the nodes below the root.
    private func branches(of order: RowOrder) -> [Int] {
        (0..<order.size(order.root)).map { order.size(order.contents(order.root)[$0]) }
    }

    private func rows(of order: RowOrder) -> [UInt32] {
        var rows: [UInt32] = []
        order.forEach { rows.append($0) }
        return rows
    }

    private func check(_ order: RowOrder, _ expected: [Int], sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(leaves(of: order) == expected, sourceLocation: sourceLocation)
        #if DEBUG
        #expect(order.brokenInvariants == [], sourceLocation: sourceLocation)
        #endif
    }

    /// Removes the first rows, or the last ones.
    private func remove(_ count: Int, from order: inout RowOrder, first: Bool) throws {
        for _ in 0..<count { order.remove(try #require(first ? order.first : order.last)) }
    }

    @Test func appendedRowsFillTheLeaves() {
        var order = descending(300)
        check(order, [128, 128, 44])
        for row in 300..<UInt32(500) { order.append(row) }
        check(order, [128, 128, 128, 116])
        for row in 500..<UInt32(600) { order.insert(row, at: order.count) }
        for row in 600..<UInt32(700) { order.insert(row, after: order.last) }
        check(order, [128, 128, 128, 128, 128, 60])
        #expect(rows(of: order) == (0..<300).reversed() + Array(300..<700))
    }

    @Test func aFullLeafIsSplitInHalves() {
        for position in [0, 63, 64, 65, 127, 128] {
            var order = descending(256)
            order.insert(999, at: position)
            let expected = position <= 64 ? [65, 64, 128] : position < 128 ? [64, 65, 128] : [128, 65, 64]
            check(order, expected)
            #expect(order.row(at: position) == 999 && order.position(of: 999) == position)
        }
        // In memory, the capacity of a leaf stands before its rows: 128, which is the last row here.
        var order = RowOrder((0..<256).reversed().filter { $0 != 128 } + [128])
        order.insert(999, at: 0)
        check(order, [65, 64, 128])
        order = descending(256)
        order.insert(999, after: order.row(at: 127))
        check(order, [64, 65, 128])
        #expect(order.position(of: 999) == 128)
    }

    @Test func aFullNodeIsSplitInHalvesOrAtTheEnd() {
        var order = descending(64 * 128)
        #expect(order.height == 1)
        order.append(9_000)
        #expect(order.height == 2 && branches(of: order) == [63, 2])
        check(order, Array(repeating: 128, count: 64) + [1])
        order = descending(64 * 128)
        order.insert(9_000, at: 0)
        #expect(order.height == 2 && branches(of: order) == [33, 32])
        check(order, [65, 64] + Array(repeating: 128, count: 63))
        order = descending(64 * 128)
        order.insert(9_000, at: 40 * 128 + 1)
        #expect(order.height == 2 && branches(of: order) == [32, 33])
    }

    @Test func aSmallLeafIsJoinedWithANeighbour() throws {
        var order = descending(168)
        try remove(96, from: &order, first: true)
        check(order, [32, 40])
        try remove(1, from: &order, first: true)
        check(order, [71])
        #expect(order.height == 0 && rows(of: order) == (0..<71).reversed())
        // At most three quarters of a full leaf.
        order = descending(128 + 66)
        try remove(97, from: &order, first: true)
        check(order, [31, 66])
        try remove(1, from: &order, first: true)
        check(order, [96])
        // The one before it, if it has room.
        order = descending(300)
        try remove(64, from: &order, first: true)
        for _ in 0..<97 { order.remove(order.row(at: 64)) }
        check(order, [95, 44])
        order = descending(300)
        try remove(63, from: &order, first: true)
        for _ in 0..<97 { order.remove(order.row(at: 65)) }
        check(order, [96, 44])
        order = descending(300)
        try remove(62, from: &order, first: true)
        for _ in 0..<97 { order.remove(order.row(at: 66)) }
        check(order, [66, 75])
        // Full neighbours stay, and an empty leaf is removed.
        order = descending(384)
        for _ in 0..<127 { order.remove(order.row(at: 128)) }
        check(order, [128, 1, 128])
        order.remove(order.row(at: 128))
        check(order, [128, 128])
        try remove(128, from: &order, first: false)
        check(order, [128])
        #expect(order.height == 0)
        order = descending(64 * 128)
        for _ in 0..<128 { order.remove(order.row(at: 40 * 128)) }
        check(order, Array(repeating: 128, count: 63))
    }

    @Test func aSmallNodeIsJoinedWithANeighbour() throws {
        // The last leaves become empty one after the other.
        var order = descending(84 * 128)
        #expect(branches(of: order) == [64, 20])
        try remove(5 * 128, from: &order, first: false)
        #expect(branches(of: order) == [64, 15])
        try remove(31 * 128, from: &order, first: true)
        #expect(branches(of: order) == [33, 15] && order.height == 2)
        try remove(128, from: &order, first: false)
        #expect(order.height == 1)
        check(order, Array(repeating: 128, count: 47))
        // The nodes that are free now are used for leaves.
        let nodes = order.nodes.count
        for row in 0..<UInt32(1_500) { order.insert(20_000 + row, after: order.row(at: 200)) }
        #expect(order.nodes.count == nodes)
        #if DEBUG
        #expect(order.brokenInvariants == [])
        #endif
        order = descending(84 * 128)
        try remove(44 * 128, from: &order, first: true)
        try remove(4 * 128, from: &order, first: false)
        #expect(branches(of: order) == [20, 16])
        try remove(128, from: &order, first: false)
        #expect(order.height == 1)
        check(order, Array(repeating: 128, count: 35))
    }

    @Test func anOrderThatIsNotChangedSharesItsNodes() {
        let order = descending(20_000)
        var copy = order
        copy.remove(5)
        var differing = 0
        _ = copy.words.forEachRange(differingFrom: order.words) { _ in
            differing += 1
            return true
        }
        // A leaf and the nodes above it.
        #expect(differing == 1 + copy.height)
        #expect(rows(of: order) == (0..<20_000).reversed())
        #expect(rows(of: copy) == (0..<20_000).reversed().filter { $0 != 5 })
    }

    @Test func aTableOfRowsFarApartTakesLittleMemory() {
        func chunks(_ order: RowOrder) -> Int {
            var chunks = Set<UnsafePointer<UInt32>?>()
            order.leafOf.withContiguousChunks { chunks.insert($0.baseAddress) }
            return chunks.count
        }
        let rows: [UInt32] = [5, 1_000_000, 3]
        let order = RowOrder(rows)
        #expect(order.leafOf.count == 1_000_001 && chunks(order) <= 4)
        var other = RowOrder([1, 0])
        other.insert(1_000_000, at: 1)
        #expect(other.leafOf.count == 1_000_001 && chunks(other) <= 4)
        #expect(self.rows(of: order) == rows && self.rows(of: other) == [1, 1_000_000, 0])
        for order in [order, other] {
            for position in 0..<3 { #expect(order.position(of: order.row(at: position)) == position) }
        }
    }

    @Test func theTableHasAnEntryForEachNumberUpToTheHighest() {
        var order = RowOrder([1, 0])
        for _ in 0..<100 {
            order.insert(5, at: 1)
            order.remove(5)
        }
        #expect(order.leafOf.count == 6)
        order.insert(6, at: 0)
        #expect(order.leafOf.count == 7)
    }

    @Test func rowsAndPositionsLeadToEachOther() {
        // Without a tree, with leaves below the root, and with nodes between them.
        for order in [RowOrder(identity: 300), descending(300), descending(9_000)] {
            let rows = rows(of: order)
            let positions = [0, 1, 126, 127, 128, 129, 255, 256, 298, 299, 8_191, 8_192, 8_193, 8_998, 8_999]
                .filter { $0 < order.count }
            for i in positions {
                #expect(order.row(at: i) == rows[i] && order.position(of: rows[i]) == i && order.contains(rows[i]))
                #expect(order.row(before: rows[i]) == (i == 0 ? nil : rows[i - 1]))
                #expect(order.row(after: rows[i]) == (i + 1 == rows.count ? nil : rows[i + 1]))
                #expect(order.firstPosition { order.position(of: $0) >= i } == i)
                #expect(positions.allSatisfy { order.precedes(rows[i], rows[$0]) == (i < $0) })
            }
            #expect(order.first == rows.first && order.last == rows.last)
            #expect(!order.contains(UInt32(order.count)) && order.firstPosition { _ in false } == order.count)
        }
    }

    @Test func aLeafIsReadFromAnyOfItsPositions() {
        let order = descending(300)
        let rows = rows(of: order)
        for (position, end) in [(0, 128), (1, 128), (127, 128), (128, 256), (200, 256), (256, 300), (299, 300)] {
            #expect(Array(order.leaf(from: position)) == Array(rows[position..<end]))
        }
    }

    @Test func aRowIsRemovedUnlessItsNeighboursSatisfyACondition() {
        for order in [RowOrder(identity: 300), descending(300)] {
            let rows = rows(of: order)
            for position in [0, 1, 126, 127, 128, 129, 298, 299] {
                let expected = [position == 0 ? nil : rows[position - 1], position == 299 ? nil : rows[position + 1]]
                for isKept in [true, false] {
                    var changed = order
                    var neighbours: [UInt32?] = []
                    changed.remove(rows[position]) {
                        neighbours = [$0, $1]
                        return isKept
                    }
                    #expect(neighbours == expected)
                    #expect(self.rows(of: changed) == rows.filter { isKept || $0 != rows[position] })
                }
            }
        }
    }

    @Test func aRowIsInsertedBeforeTheFirstThatSatisfiesACondition() {
        for order in [RowOrder(), RowOrder(identity: 300), descending(300)] {
            for position in [0, 1, 127, 128, 129, 299, 300] where position <= order.count {
                var changed = order
                changed.insert(999, beforeFirst: { order.position(of: $0.row) >= position })
                var expected = rows(of: order)
                expected.insert(999, at: position)
                #expect(rows(of: changed) == expected)
            }
        }
        var order = RowOrder()
        for row in 0..<UInt32(3) { order.insert(row, beforeFirst: { _ in false }) }
        #expect(rows(of: order) == [0, 1, 2])
    }

    // MARK: - First rows of leaves

    @Test func theNumberOfAnEditBelongsToOneFirstRow() {
        var random = SplitMix64(seed: 4)
        var order = descending(1_000)
        var spare = Array(1_000..<UInt32(4_000))
        var firsts: [UInt32: UInt32] = [:]
        var differences = 0
        for round in 0..<3_000 {
            if order.isEmpty || random.below(100) < (round / 500 % 2 == 0 ? 70 : 25) {
                let row = spare.removeLast()
                order.insert(row, at: random.oneIn(2) ? 0 : random.below(order.count + 1))
            } else {
                let row = order.row(at: random.oneIn(2) ? 0 : random.below(order.count))
                order.remove(row)
                spare.append(row)
            }
            var seen = 0
            order.forEachLeaf {
                if firsts.updateValue($0.row, forKey: $0.edit) ?? $0.row != $0.row { differences += 1 }
                if order.leaf(ofFirst: $0.row) != $0.leaf || order.leafOf[Int($0.row)] != $0.leaf { differences += 1 }
                let second = order.row(after: $0.row)
                if let second, order.leafOf[Int(second)] == $0.leaf, order.leaf(ofFirst: second) != nil {
                    differences += 1
                }
                seen += order.size($0.leaf)
            }
            if seen != order.count { differences += 1 }
        }
        #expect(differences == 0)
    }

    @Test func onlyAnEditOfTheFirstRowOfALeafHasANewNumber() {
        func edits(_ order: RowOrder) -> [UInt32] {
            var edits: [UInt32] = []
            order.forEachLeaf { edits.append($0.edit) }
            return edits
        }
        var order = descending(300)
        let before = edits(order)
        for position in [1, 126, 129, 290] {
            let row = order.row(at: position)
            order.remove(row)
            order.insert(row, at: position)
        }
        #expect(edits(order) == before)
        order.remove(299)
        #expect(edits(order)[0] != before[0] && edits(order)[1...] == before[1...])
        let removed = edits(order)
        order.insert(299, at: 0)
        #expect(edits(order)[0] != removed[0] && edits(order)[1...] == before[1...])
        // A leaf that gets the rows of the next one keeps its first row.
        order = descending(168)
        let joined = edits(order)
        for _ in 0..<97 { order.remove(order.row(at: 1)) }
        check(order, [71])
        #expect(edits(order) == [joined[0]])
    }

    @Test func anEmptiedOrderDoesNotUseTheNumbersOfEditsAgain() {
        var order = descending(300)
        var before = Set<UInt32>()
        order.forEachLeaf { before.insert($0.edit) }
        #expect(before.count == 3)
        for row in 0..<UInt32(300) { order.remove(row) }
        for row in (0..<UInt32(300)).reversed() { order.append(row) }
        order.forEachLeaf { #expect(!before.contains($0.edit)) }
        check(order, [128, 128, 44])
    }

    @Test func anOrderWithoutATreeHasNoLeaves() {
        let order = RowOrder(identity: 500)
        check(order, [])
        #expect(order.leaf(ofFirst: 0) == nil)
    }

    // MARK: - Searches

    /// Searches compare few rows, and a large order announces those of a leaf before.
    @Test(arguments: [1, 2, 100, 128, 1 << 14, 1 << 14 + 1, 40_000]) func aSearchFindsThePosition(count: Int) {
        var random = SplitMix64(seed: 5)
        let order = RowOrder((0..<UInt32(count) + 1).reversed().dropLast())
        var differences = 0
        for target in [0, 1, count] + (0..<100).map({ _ in random.below(count + 1) }) {
            var announced = Set<UInt32>()
            var compared: [UInt32] = []
            let location = order.firstLocation {
                if $0.leaf == 0 {
                    compared.append($0.row)
                } else if order.leaf(ofFirst: $0.row) != $0.leaf {
                    differences += 1
                }
                return order.position(of: $0.row) >= target
            } announcing: {
                announced.insert($0)
            }
            if location.start + location.offset != target { differences += 1 }
            if order.size(location.leaf) < location.offset { differences += 1 }
            if count > 1 << 14, !announced.isSuperset(of: compared) || announced.count > 24 { differences += 1 }
            if count <= 1 << 14, !announced.isEmpty { differences += 1 }
            if compared.count > 8 || Set(compared).count != compared.count { differences += 1 }
        }
        #expect(differences == 0)
    }

    @Test func anIterationEndsWhenItsClosureReturnsFalse() {
        for order in [RowOrder(identity: 1_000), descending(1_000)] {
            for limit in [1, 128, 129, 500] {
                var visited: [UInt32] = []
                order.forEach(while: {
                    visited.append($0)
                    return visited.count < limit
                })
                #expect(visited == (0..<limit).map { order.row(at: $0) })
            }
        }
    }
}
