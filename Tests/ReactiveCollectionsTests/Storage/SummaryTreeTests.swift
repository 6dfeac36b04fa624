import TestSupport
import Testing

@testable import ReactiveCollections

@Suite struct SummaryTreeTests {
    /// Concatenated strings show the order of the combinations.
    @Test(arguments: seeds(6), [0, 1, 16, 17, 3_000]) func followsAnArray(seed: UInt64, initialCount: Int) {
        var random = SplitMix64(seed: seed)
        var array = (0..<initialCount).map { $0 % 3 == 0 ? nil : "\($0) " }
        var tree = SummaryTree(array, combine: +)
        var copies: [([String?], SummaryTree<String>)] = []
        var differences = 0
        for step in 0..<300 {
            let row = random.below(random.oneIn(20) ? 5_000 : max(array.count, 1))
            let summary = random.oneIn(3) ? nil : "\(step) "
            if random.oneIn(40) { copies.append((array, tree)) }
            if random.oneIn(100), let copy = copies.randomElement(using: &random) { (array, tree) = copy }
            tree.set(UInt32(row), summary, combine: +)
            if row >= array.count { array += Array(repeating: nil, count: row + 1 - array.count) }
            array[row] = summary
            if random.oneIn(10), tree.total != total(of: array) { differences += 1 }
            if tree[UInt32(row)] != summary { differences += 1 }
        }
        copies.append((array, tree))
        for (array, tree) in copies where tree.total != total(of: array) { differences += 1 }
        #expect(differences == 0)
    }

    private func total(of array: [String?]) -> String? {
        let present = array.compactMap { $0 }
        return present.isEmpty ? nil : present.joined()
    }

    @Test func sumsDoNotDriftAndForgetAnInfinity() {
        var tree = SummaryTree((0..<1_000).map { Double($0) * 0.1 }, combine: +)
        let before = tree.total
        tree.set(17, .infinity, combine: +)
        tree.set(18, 1e300, combine: +)
        #expect(tree.total == .infinity)
        tree.set(17, 1.7000000000000002, combine: +)
        tree.set(18, 1.8, combine: +)
        #expect(tree.total == before)
    }

    @Test func rowsMayBeFarApart() {
        var tree = SummaryTree<Int>()
        tree.set(300_000, 5, combine: +)
        tree.set(7, 2, combine: +)
        #expect(tree.total == 7 && tree[8] == nil && tree[400_000] == nil)
        tree.set(7, nil, combine: +)
        tree.set(300_000, nil, combine: +)
        #expect(tree.total == nil)
    }
}
