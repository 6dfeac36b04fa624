import TestSupport
import Testing

@testable import ReactiveCollections

@Suite struct CountedTreeTests {
    @Test(arguments: seeds(6)) func followsAnArray(seed: UInt64) {
        follow(seed: seed) { $0 }
        follow(seed: seed) { "element \($0)" }
        follow(seed: seed) { Wide(value: $0) }
    }

    private struct Wide: Equatable {
        var value: Int
        var padding = (0, 0, 0, 0, 0, 0, 0, 0, 0)

        static func == (a: Wide, b: Wide) -> Bool { a.value == b.value }
    }

    private func follow<Element: Equatable>(seed: UInt64, _ element: (Int) -> Element) {
        var random = SplitMix64(seed: seed)
        var array = [Element]()
        var tree = CountedTree<Element>()
        var copies: [([Element], CountedTree<Element>)] = []
        var differences = 0
        for step in 0..<600 {
            switch random.below(24) {
            case 0:
                let new = (0..<random.below(random.oneIn(3) ? 20_000 : 200)).map(element)
                tree.append(contentsOf: new)
                array.append(contentsOf: new)
            case 1...2:
                let lower = random.below(array.count + 1)
                let length = random.below(min(array.count - lower, random.oneIn(8) ? .max - 1 : 400) + 1)
                let new = (0..<random.below(300)).map(element)
                tree.replaceSubrange(lower..<lower + length, with: new)
                array.replaceSubrange(lower..<lower + length, with: new)
            case 3:
                if copies.count < 6 { copies.append((array, tree)) }
            case 4:
                if let copy = copies.randomElement(using: &random) { (array, tree) = copy }
            case 5:
                (array, tree) = random.oneIn(4) ? ([], CountedTree()) : (array, tree)
            case 6...9:
                // Insertions at one position, at random ones, and at the end.
                var position = random.below(array.count + 1)
                let kind = random.below(3)
                for number in 0..<random.below(300) {
                    if kind == 1 { position = random.below(array.count + 1) }
                    if kind == 2 { position = array.count }
                    tree.insert(element(number), at: position)
                    array.insert(element(number), at: position)
                }
            case 10...14:
                var position = random.below(array.count + 1)
                let isRandom = random.oneIn(2)
                for _ in 0..<random.below(400) where !array.isEmpty {
                    position = min(isRandom ? random.below(array.count) : position, array.count - 1)
                    if tree.remove(at: position) != array.remove(at: position) { differences += 1 }
                }
            case 15...18 where !array.isEmpty:
                let (i, j) = (random.below(array.count), random.below(array.count))
                tree[i] = element(step)
                array[i] = element(step)
                tree.swapAt(i, j)
                array.swapAt(i, j)
            case 19:
                guard let (old, copy) = copies.randomElement(using: &random) else { continue }
                if tree.elementsEqual(copy, by: ==) != (old == array) { differences += 1 }
                if tree.isIdentical(to: copy), old != array { differences += 1 }
            default:
                guard let index = array.indices.randomElement(using: &random) else { continue }
                if tree[index] != array[index] { differences += 1 }
                var rest = tree.makeIterator(in: index..<tree.count)
                if rest.next() != array[index] { differences += 1 }
            }
            if tree.count != array.count { differences += 1 }
            #if DEBUG
            if random.oneIn(20), tree.brokenInvariants != [] { differences += 1 }
            #endif
        }
        copies.append((array, tree))
        for (array, tree) in copies {
            #if DEBUG
            if tree.brokenInvariants != [] { differences += 1 }
            #endif
            if elements(of: tree) != array { differences += 1 }
            var visited: [Element] = []
            tree.forEach { visited.append($0) }
            if visited != array { differences += 1 }
        }
        #expect(differences == 0)
    }

    private func elements<Element>(of tree: CountedTree<Element>) -> [Element] {
        Array(IteratorSequence(tree.makeIterator()))
    }

    @Test func aTreeAndItsChangedCopyAreComparedByTheirUnsharedParts() {
        let tree = CountedTree(0..<100_000)
        var copy = tree
        copy[70_000] = 5
        copy[70_000] = 70_000
        var comparisons = 0
        let areEqual = tree.elementsEqual(copy) {
            comparisons += 1
            return $0 == $1
        }
        #expect(areEqual && comparisons <= CountedTree<Int>.limit && !tree.isIdentical(to: copy))
        copy.remove(at: 3)
        copy.insert(-1, at: 3)
        #expect(!tree.elementsEqual(copy, by: ==))
    }

    @Test func appendedElementsFillTheLeaves() {
        var tree = CountedTree<Int>()
        for number in 0..<100_000 { tree.append(number) }
        var leaves = 0
        tree.withContiguousChunks { _ in leaves += 1 }
        #expect(leaves == (100_000 + CountedTree<Int>.limit - 1) / CountedTree<Int>.limit)
    }

    @Test func elementsAreReleasedWithTheLastCopy() {
        let tracker = LifetimeTracker()
        var random = SplitMix64(seed: 1)
        var tree = CountedTree<LifetimeTracker.Token>()
        for _ in 0..<3_000 { tree.insert(tracker.token(), at: random.below(tree.count + 1)) }
        var copy: CountedTree? = tree
        for _ in 0..<500 { tree[random.below(tree.count)] = tracker.token() }
        for _ in 0..<2_900 { tree.remove(at: random.below(tree.count)) }
        #expect(tracker.alive >= 3_000)
        #expect(copy?.count == 3_000)
        copy = nil
        #expect(tracker.alive == 100)
        tree.removeSubrange(0..<90)
        #expect(tracker.alive == 10)
        tree = CountedTree()
        #expect(tracker.alive == 0)
    }
}
