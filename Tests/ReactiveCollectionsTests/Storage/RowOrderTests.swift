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
                    if random.oneIn(2) {
                        order.insert(row, at: position)
                    } else {
                        order.insert(row, after: position == 0 ? nil : array[position - 1])
                    }
                    array.insert(row, at: position)
                }
            case 9...15:
                var position = random.below(array.count + 1)
                let isRandom = random.oneIn(2)
                for _ in 0..<random.below(500) where !array.isEmpty {
                    position = min(isRandom ? random.below(array.count) : position, array.count - 1)
                    let row = array.remove(at: position)
                    order.remove(row)
                    spare.append(row)
                }
            default:
                if !agree(order, array, spare, &random) { differences += 1 }
            }
            if order.count != array.count { differences += 1 }
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
        let copy = order
        order.remove(500)
        #expect(order.root != 0 && !order.contains(500) && order.position(of: 501) == 500)
        order.insert(500, after: 499)
        #expect(order.position(of: 501) == 501 && order.row(at: 500) == 500)
        #expect(copy.root == 0 && copy.position(of: 501) == 501)
        #expect(RowOrder([0, 1, 2]).root == 0 && RowOrder([0, 2, 1]).root != 0)
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
}
