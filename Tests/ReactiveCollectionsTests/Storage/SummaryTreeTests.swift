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
            // Changes of one row, or of several at a time.
            let others = random.oneIn(3) ? (0..<random.below(40)).map { _ in random.below(array.count + 40) } : []
            let changes = Set(others + [row]).sorted().map { ($0, $0 % 4 == 0 ? nil : summary) }
            if changes.count == 1 {
                tree.set(UInt32(row), changes[0].1, combine: +)
            } else {
                tree.set(changes.lazy.map { (UInt32($0), $1) }, combine: +)
            }
            for (row, summary) in changes {
                if row >= array.count, summary != nil { array += Array(repeating: nil, count: row + 1 - array.count) }
                if row < array.count { array[row] = summary }
                if tree[UInt32(row)] != summary { differences += 1 }
            }
            if random.oneIn(10), tree.total != total(of: array) { differences += 1 }
            if tree[UInt32(array.count)] != nil || !hasShape(tree, ofRows: array.count) { differences += 1 }
        }
        copies.append((array, tree))
        for (array, tree) in copies where tree.total != total(of: array) { differences += 1 }
        #expect(differences == 0)
    }

    /// Whether each level has a node for 16 of the level below, up to one node.
    private func hasShape(_ tree: SummaryTree<String>, ofRows count: Int) -> Bool {
        var counts = [count]
        while let last = counts.last, last > 1 { counts.append((last + 15) / 16) }
        return tree.levels.map(\.count) == counts
    }

    @Test func aBatchCombinesTheSummariesOfEachNodeOnce() {
        var tree = SummaryTree((0..<1_000).map { $0 }, combine: +)
        var combinations = 0
        tree.set((0..<32).map { (UInt32($0), 1) }) {
            combinations += 1
            return $0 + $1
        }
        // Two nodes of 16 rows; a node of 16 nodes; and the node of four nodes above it.
        #expect(combinations == 15 + 15 + 15 + 3)
        #expect(tree.total == (32..<1_000).reduce(32, +))
    }

    @Test func rowsThatAddLevelsKeepTheOthers() {
        var tree = SummaryTree([1, 2], combine: +)
        tree.set(15, 4, combine: +)
        #expect(tree.levels.map(\.count) == [16, 1] && tree.total == 7)
        var other = tree
        tree.set(300, 8, combine: +)
        other.set([(300, 8)], combine: +)
        for tree in [tree, other] { #expect(tree.levels.map(\.count) == [301, 19, 2, 1] && tree.total == 15) }
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
        #expect(tree.total == nil)
        tree.set(300_000, 5, combine: +)
        tree.set(7, 2, combine: +)
        #expect(tree.total == 7 && tree[8] == nil && tree[400_000] == nil)
        tree.set(7, nil, combine: +)
        tree.set(300_000, nil, combine: +)
        #expect(tree.total == nil)
    }
}
