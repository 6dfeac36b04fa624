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
                let part = index..<random.below(array.count - index) + index
                if Array(IteratorSequence(tree.makeIterator(in: part))) != Array(array[part]) { differences += 1 }
            }
            if tree.count != array.count { differences += 1 }
            #if DEBUG
            if tree.brokenInvariants != [] { differences += 1 }
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

    @Test func treesOfDifferentShapesAreComparedByTheirElements() {
        let tree = CountedTree(0..<320)
        var other = CountedTree(-64..<320)
        other.insert(-65, at: 0)
        for _ in 0..<65 { other.remove(at: 0) }
        check(tree, 0..<320, [[128, 128], [128, 128], [64, 64]])
        check(other, 0..<320, [[64, 96], [128, 128], [128, 128]])
        for (a, b) in [(tree, other), (other, tree)] {
            var compared: [Int] = []
            let areEqual = a.elementsEqual(b) {
                compared.append($0)
                return $0 == $1
            }
            #expect(areEqual && compared == Array(0..<320))
        }
        let unnoticed = (0..<320).filter { index in
            var changed = other
            changed[index] = -1
            return tree.elementsEqual(changed, by: ==)
        }
        #expect(unnoticed == [])
    }

    @Test func treesOfDifferentHeightsAreCompared() {
        let tree = CountedTree(0..<2_048)
        var higher = tree
        higher.insert(-1, at: 0)
        higher.remove(at: 0)
        #expect(tree.height == 1 && higher.height == 2)
        #expect(tree.elementsEqual(higher, by: ==) && higher.elementsEqual(tree, by: ==))
        higher[2_047] = -1
        #expect(!tree.elementsEqual(higher, by: ==) && !higher.elementsEqual(tree, by: ==))
    }

    @Test func theLargestSharedNodeIsSkipped() {
        let tree = CountedTree(0..<17 * 128)
        var copy = tree
        copy[17 * 128 - 1] = -1
        func sharedCount(_ position: Int) -> Int { tree.sharedCount(with: copy, from: position) }
        #expect(branches(of: tree) == [15, 2] && sharedCount(0) == 15 * 128)
        #expect(sharedCount(128) == 128 && sharedCount(15 * 128) == 128)
        #expect(sharedCount(5) == 0 && sharedCount(16 * 128) == 0)
        #expect(!tree.elementsEqual(copy, by: ==))
    }

    @Test func nodesAtDifferentPositionsAreNotSkipped() {
        let tree = CountedTree(repeatElement(0, count: 640))
        var shifted = tree
        shifted.insert(0, at: 0)
        shifted.remove(at: 640)
        var comparisons = 0
        let areEqual = tree.elementsEqual(shifted) {
            comparisons += 1
            return $0 == $1
        }
        #expect(areEqual && comparisons == 640)
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

    // MARK: - Sizes of leaves

    /// The size and the capacity of each leaf.
    private func leaves(of tree: CountedTree<Int>) -> [[Int]] {
        func leaves(below node: AnyObject?) -> [[Int]] {
            if let leaf = node as? CountedTree<Int>.Leaf { return [[leaf.count, leaf.room]] }
            guard let node = node as? TreeNode else { return [] }
            return (0..<node.count).flatMap { leaves(below: node.elements[$0].child) }
        }
        return leaves(below: tree.root)
    }

    private func check(_ tree: CountedTree<Int>, _ elements: some Sequence<Int>, _ expected: [[Int]]) {
        #expect(Array(IteratorSequence(tree.makeIterator())) == Array(elements))
        #expect(leaves(of: tree) == expected)
        #if DEBUG
        #expect(tree.brokenInvariants == [])
        #endif
    }

    @Test func aLeafGrowsInSteps() {
        var tree = CountedTree<Int>()
        var rooms: [Int] = []
        for number in 0..<128 {
            tree.insert(number, at: number)
            let room = leaves(of: tree)[0][1]
            if room != rooms.last { rooms.append(room) }
        }
        #expect(rooms == [1, 2, 4, 8, 16, 32, 64, 96, 128] && tree.height == 0)
        let copy = tree
        tree.remove(at: 127)
        #expect(leaves(of: tree) == [[127, 128]] && leaves(of: copy) == [[128, 128]])
        check(CountedTree(0..<64), 0..<64, [[64, 64]])
        check(CountedTree(0..<65), 0..<65, [[65, 128]])
        check(CountedTree(0..<192), 0..<192, [[128, 128], [64, 64]])
    }

    @Test func aLeafOfATreeGrowsInSteps() {
        var tree = CountedTree(0..<129)
        var rooms: [Int] = []
        for number in 129..<256 {
            tree.append(number)
            let room = leaves(of: tree)[1][1]
            if room != rooms.last { rooms.append(room) }
        }
        #expect(rooms == [2, 4, 8, 16, 32, 64, 96, 128])
        tree.append(256)
        check(tree, 0...256, [[128, 128], [128, 128], [1, 128]])
    }

    @Test func appendedSequencesFillTheLastLeaf() {
        var tree = CountedTree(0..<100)
        tree.append(contentsOf: 100..<200)
        check(tree, 0..<200, [[128, 128], [72, 128]])
        tree.append(contentsOf: 200..<256)
        check(tree, 0..<256, [[128, 128], [128, 128]])
        tree.append(contentsOf: 256..<260)
        check(tree, 0..<260, [[128, 128], [128, 128], [4, 4]])
        tree = CountedTree(0..<100)
        tree.append(contentsOf: 100..<132)
        check(tree, 0..<132, [[128, 128], [4, 4]])
    }

    @Test func aCopyIsAppendedToWithoutAChangeOfTheOriginal() {
        // Full leaves below one node; full leaves and a last leaf with room, below several nodes.
        for count in [2 * 128, 17 * 128, 17 * 128 - 5] {
            let tree = CountedTree(0..<count)
            let shape = leaves(of: tree)
            var copy = tree
            copy.append(count)
            #expect(Array(IteratorSequence(copy.makeIterator())) == Array(0...count))
            check(tree, 0..<count, shape)
            copy = tree
            copy.append(contentsOf: count..<count + 200)
            #expect(Array(IteratorSequence(copy.makeIterator())) == Array(0..<count + 200))
            check(tree, 0..<count, shape)
        }
    }

    @Test func aFullLeafIsSplitInHalves() {
        for position in [0, 63, 64, 65, 127] {
            var tree = CountedTree(0..<128)
            tree.insert(-1, at: position)
            var array = Array(0..<128)
            array.insert(-1, at: position)
            check(tree, array, position <= 64 ? [[65, 96], [64, 96]] : [[64, 96], [65, 96]])
        }
        var tree = CountedTree(0..<128)
        tree.insert(128, at: 128)
        check(tree, 0...128, [[128, 128], [1, 128]])
    }

    /// The numbers of children of the nodes below the root, in a tree of two levels of nodes.
    private func branches(of tree: CountedTree<Int>) -> [Int] {
        guard tree.height == 2, let root = tree.root as? TreeNode else { return [] }
        return (0..<root.count).compactMap { (root.elements[$0].child as? TreeNode)?.count }
    }

    @Test func aSmallNodeSharesTheChildrenOfItsNeighbour() {
        for (count, expected) in [(17, [8, 9]), (18, [9, 9]), (19, [15, 4])] {
            var tree = CountedTree(0..<count * 128)
            tree.remove(at: 0)
            #expect(branches(of: tree) == [15, count - 15])
            tree.remove(at: tree.count - 1)
            #expect(branches(of: tree) == expected)
            #expect(Array(IteratorSequence(tree.makeIterator())) == Array(1..<count * 128 - 1))
        }
    }

    /// A tree with nodes of given numbers of children below each of two nodes, and leaves of 40 elements.
    private func tree(_ sizes: [[Int]]) -> CountedTree<Int> {
        var tree = CountedTree<Int>()
        func leaf() -> TreeEntry {
            let leaf = CountedTree<Int>.Leaf.create(room: 128)
            for number in tree.count..<tree.count + 40 { leaf.insert(number, at: leaf.count) }
            tree.count += 40
            return TreeEntry(count: 40, child: leaf)
        }
        func node(_ children: [TreeEntry]) -> TreeEntry {
            let node = TreeNode.create(room: TreeNode.limit)
            for child in children { node.insert(child, at: node.count) }
            return TreeEntry(count: node.weight, child: node)
        }
        tree.root = node(sizes.map { node($0.map { node((0..<$0).map { _ in leaf() }) }) }).child
        tree.height = 3
        return tree
    }

    @Test func theOnlyChildOfARootMayBeSmall() {
        var tree = tree([[3, 3, 3, 3], [3, 3]])
        var array = Array(0..<18 * 40)
        // Each removal joins two nodes of leaves, the second one also their parents. All leaves stay, so the root does.
        for position in [0, 6 * 40, 9 * 40, 12 * 40] {
            tree.remove(at: position)
            array.remove(at: position)
        }
        let root = tree.root as? TreeNode
        #expect(tree.height == 3 && root?.count == 1 && (root?.elements[0].child as? TreeNode)?.count == 3)
        while !array.isEmpty {
            #expect(tree.remove(at: array.count / 2) == array.remove(at: array.count / 2))
            #expect(Array(IteratorSequence(tree.makeIterator())) == array)
            #if DEBUG
            #expect(tree.brokenInvariants == [])
            #endif
        }
    }

    @Test func aTreeIsRaisedOnlyIfItsRootIsFull() {
        var tree = CountedTree(0..<256)
        for number in 0..<200 { tree.insert(number, at: number) }
        #expect(tree.height == 1)
    }

    @Test func aFullNodeIsSplitInHalvesOrAtTheEnd() {
        let full = CountedTree(0..<16 * 128)
        #expect(full.height == 1)
        #expect(branches(of: CountedTree(0..<17 * 128)) == [15, 2])
        #expect(branches(of: CountedTree(0..<32 * 128)) == [15, 15, 2])
        var tree = full
        tree.append(2_048)
        #expect(branches(of: tree) == [15, 2])
        tree = full
        tree.insert(2_048, at: 2_048)
        #expect(branches(of: tree) == [15, 2])
        check(tree, 0...2_048, Array(repeating: [128, 128], count: 16) + [[1, 128]])
        tree = full
        tree.insert(-1, at: 0)
        #expect(branches(of: tree) == [9, 8])
        tree = full
        tree.insert(-1, at: 2_047)
        #expect(branches(of: tree) == [8, 9])
        #if DEBUG
        #expect(tree.brokenInvariants == [] && full.brokenInvariants == [])
        #endif
    }

    @Test func aSmallLeafSharesTheElementsOfItsNeighbour() {
        var tree = CountedTree(0..<256)
        for _ in 0..<97 { tree.remove(at: 0) }
        check(tree, 97..<256, [[31, 128], [128, 128]])
        tree.remove(at: 0)
        check(tree, 98..<256, [[78, 128], [80, 128]])
        tree = CountedTree(0..<256)
        for _ in 0..<98 { tree.remove(at: tree.count - 1) }
        check(tree, 0..<158, [[79, 128], [79, 128]])
    }

    @Test func aSmallLeafIsJoinedWithItsNeighbour() {
        // At most three quarters of a full leaf.
        var tree = CountedTree(0..<128 + 65)
        for _ in 0..<98 { tree.remove(at: 0) }
        check(tree, 98..<193, [[95, 128]])
        #expect(tree.height == 0)
        tree = CountedTree(0..<128 + 66)
        for _ in 0..<98 { tree.remove(at: 0) }
        check(tree, 98..<194, [[47, 128], [49, 128]])
    }

    @Test func aLeafThatHasRoomIsNotReplaced() {
        // Two leaves of room 96.
        var halves = CountedTree(0..<128)
        halves.insert(-1, at: 0)
        halves.remove(at: 0)
        var tree = halves
        for _ in 0..<34 { tree.remove(at: 0) }
        check(tree, 34..<128, [[94, 96]])
        tree = halves
        tree.insert(128, at: 128)
        for _ in 0..<34 { tree.remove(at: 0) }
        check(tree, 34..<129, [[95, 96]])
        tree = halves
        for number in 128..<154 { tree.insert(number, at: tree.count) }
        for _ in 0..<34 { tree.remove(at: 0) }
        check(tree, 34..<154, [[59, 96], [61, 96]])
        // The right leaf gets as many elements as it has room for, or more.
        tree = CountedTree(0..<192)
        for _ in 0..<31 { tree.remove(at: 0) }
        for _ in 0..<34 { tree.remove(at: tree.count - 1) }
        check(tree, 31..<158, [[64, 128], [63, 64]])
        tree = CountedTree(0..<128 + 33)
        for _ in 0..<3 { tree.remove(at: tree.count - 1) }
        check(tree, 0..<158, [[79, 128], [79, 128]])
    }

    @Test func manyReplacementsRebuildTheTree() {
        let tree = CountedTree(0..<6_400)
        for (removed, added, isRebuilt) in [(82, 82, false), (83, 82, true), (0, 165, true), (165, 0, true)] {
            var changed = tree
            let new = (0..<added).map { -$0 }
            changed.replaceSubrange(100..<100 + removed, with: new)
            #expect((changed.pointer(to: changed.count - 1) != tree.pointer(to: tree.count - 1)) == isRebuilt)
            #expect(
                Array(IteratorSequence(changed.makeIterator()))
                    == Array(0..<100) + new + Array((100 + removed)..<6_400))
        }
        var inserted = CountedTree(0..<300)
        inserted.insert(contentsOf: [-1, -2], at: 200)
        #expect(Array(IteratorSequence(inserted.makeIterator())) == Array(0..<200) + [-1, -2] + Array(200..<300))
    }

    @Test func writesToATreeWithoutCopiesCopyNothing() {
        var tree = CountedTree(0..<5_000)
        let addresses = (0..<5_000).map { tree.pointer(to: $0) }
        for index in 0..<5_000 {
            tree[index] += 1
            tree.swapAt(index, (index * 7) % 5_000)
        }
        #expect(addresses == (0..<5_000).map { tree.pointer(to: $0) })
    }

    @Test func randomRemovalsLeaveFewLeaves() {
        var random = SplitMix64(seed: 3)
        var tree = CountedTree(0..<100_000)
        while tree.count > 1_000 { tree.remove(at: random.below(tree.count)) }
        #expect(leaves(of: tree).count < 1_000 / 32 && tree.height <= 2)
        while tree.count > 1 { tree.remove(at: random.below(tree.count)) }
        #expect(tree.height <= 1)
    }
}
