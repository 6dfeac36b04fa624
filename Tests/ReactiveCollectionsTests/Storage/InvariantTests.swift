// The checks of invariants find violations. Debug builds only, like the checks.

#if DEBUG
import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

@Suite(.ownGraph, .timeLimit) struct InvariantTests {
    /// Rows that need a tree of two levels.
    private let rows: [UInt32] = Array(0..<1_000).reversed()

    // MARK: - Orders

    @Test func anIntactOrderHasNoComplaints() {
        #expect(RowOrder(rows).brokenInvariants == [])
        #expect(RowOrder(Array(0..<1_000)).brokenInvariants == [])
    }

    @Test func anOrderCountsItsRows() {
        var order = RowOrder(rows)
        order.count += 1
        #expect(order.brokenInvariants == ["The order has 1000 rows, and a count of 1001."])
    }

    @Test func aRowKnowsItsLeaf() {
        var order = RowOrder(rows)
        let (leaf, other) = (order.leafOf[0], order.leafOf[999])
        order.leafOf[0] = other
        #expect(leaf != other)
        #expect(order.brokenInvariants == ["Row 0 has a wrong leaf."])
    }

    @Test func aNodeCountsTheRowsBelowIt() {
        var order = RowOrder(rows)
        let child = order.contents(order.root)[0]
        order.words[(Int(order.root) - 1) * RowOrder.wordsPerNode + RowOrder.nodeLimit] += 1
        #expect(order.brokenInvariants == ["Node \(order.root) has a wrong count for node \(child)."])
    }

    @Test func aChildKnowsItsParent() {
        var order = RowOrder(rows)
        let child = order.contents(order.root)[0]
        order.nodes[Int(child) - 1].parent = child
        #expect(order.brokenInvariants == ["Node \(child) has a wrong parent."])
    }

    @Test func aLeafKnowsItsFirstRow() {
        var order = RowOrder(rows)
        let leaf = order.leafOf[999]
        order.nodes[Int(leaf) - 1].first = 5
        #expect(order.brokenInvariants == ["Leaf \(leaf) has a wrong first row."])
    }

    // MARK: - Indices, numbers and bits

    @Test func aRowOfAnIndexIsFoundFromItsHome() {
        var index = RowIndex()
        for row in 0..<6 { index.insert(hash: 0, row: UInt32(row)) }
        #expect(index.brokenInvariants == [])
        index.buckets[0] = 0
        index.count -= 1
        #expect(
            Set(index.brokenInvariants) == ["A row of an index cannot be found: there is a gap in front of it."])
        index.count += 1
        #expect(index.brokenInvariants.contains("An index uses 5 buckets, and has a count of 6."))
    }

    @Test func aNumberIsFreeOnce() {
        var numbers = RowNumbers()
        for _ in 0..<3 { _ = numbers.take() }
        numbers.release(1)
        #expect(numbers.brokenInvariants == [])
        numbers.free.append(1)
        #expect(numbers.brokenInvariants == ["A row number is free twice, or was never used."])
    }

    @Test func theGroupsOfASetOfRowsFollowItsWords() {
        var bits = RowBits()
        bits.insert(70)
        #expect(bits.brokenInvariants == [])
        bits.groups[0] = 0
        #expect(bits.brokenInvariants == ["A set of rows has a wrong bit for word 1."])
    }

    @Test func aTreeCountsItsElements() {
        var tree = CountedTree(0..<1_000)
        #expect(tree.brokenInvariants == [])
        tree.count = 999
        #expect(tree.brokenInvariants == ["A tree has 1000 elements, and a count of 999."])
    }

    // MARK: - Collections

    /// What the check of the graph says about a collection that an observer reads.
    private func broken(_ collection: _Node, read: @escaping () -> Void) -> [String] {
        let observer = autorun { read() }
        defer { observer.cancel() }
        return collection.graphHandle.brokenInvariants
    }

    @Test func theGraphAsksItsArrays() {
        let array = ObservableArray(["a", "b"], named: "letters")
        _ = array.live.map { $0 }.count
        array.graphHandle.withUntrackedLock { array.follow() }
        #expect(broken(array) { _ = array.count + array.elements.count } == [])
        array.state.numbers.next = 3
        #expect(
            broken(array) { _ = array.elements } == [
                "letters: There are 2 rows for 2 elements.", "letters: A row in use is not in the order.",
            ])
        array.state.numbers.next = 2
    }

    @Test func theGraphAsksItsDictionaries() {
        let dictionary = ObservableDictionary(["a": 1, "b": 2], named: "ages")
        #expect(broken(dictionary) { _ = dictionary["a"] } == [])
        dictionary.table.count = 3
        let sentences = broken(dictionary) { _ = dictionary.snapshot }
        #expect(
            sentences == [
                "ages: A table has 2 rows, and a count of 3.", "ages: A table's index has a different count.",
            ])
        dictionary.table.count = 2
    }

    @Test func aDictionaryFindsTheRowsOfItsKeys() {
        let dictionary = ObservableDictionary(["a": 1, "b": 2], named: "ages")
        let entries = dictionary.table.entries
        dictionary.table.entries[0] = entries[1]
        #expect(
            broken(dictionary) { _ = dictionary.snapshot } == [
                "ages: The index leads from the key of row 0 to a different row."
            ])
        dictionary.table.entries[0] = nil
        #expect(
            broken(dictionary) { _ = dictionary.snapshot } == ["ages: Row 0 has an entry and is free, or vice versa."])
        dictionary.table.entries[0] = entries[0]
        dictionary.table.occupied.remove(0)
        #expect(
            broken(dictionary) { _ = dictionary.snapshot } == ["ages: Row 0 is occupied and free, or neither."])
        dictionary.table.occupied.insert(0)
        #expect(broken(dictionary) { _ = dictionary.snapshot } == [])
    }

    @Test func aDictionaryCountsTheNodesOfItsKeys() {
        let dictionary = ObservableDictionary(["a": 1, "b": 2], named: "ages")
        let observer = autorun { _ = (dictionary["a"], dictionary["c"]) }
        defer { observer.cancel() }
        var sentences: [String] { dictionary.graphHandle.brokenInvariants }
        #expect(sentences == [])
        dictionary.keyNodes.count = 3
        #expect(
            sentences == [
                "ages: There are 2 nodes of keys, and a count of 3.",
                "ages: The index of the nodes has a different count.",
            ])
        dictionary.keyNodes.count = 2
        dictionary.keyNodes.nodes.swapAt(0, 1)
        #expect(
            sentences == ["ages: The node of a key has a wrong number.", "ages: The node of a key has a wrong number."])
        dictionary.keyNodes.nodes.swapAt(0, 1)
    }

    @Test func anArrayCountsTheNodesOfItsIDs() throws {
        struct Row: Identifiable { let id: Int }
        let array = ObservableArray([Row(id: 1), Row(id: 2)], named: "rows")
        let observer = autorun { _ = array[id: 1] }
        defer { observer.cancel() }
        #expect(array.graphHandle.brokenInvariants == [])
        let ids = try #require(array.ids)
        ids.nodeCount += 1
        #expect(array.graphHandle.brokenInvariants == ["rows: The nodes of ids are 1, and count as 2."])
        ids.nodeCount -= 1
    }

    @Test func aLogOfRowsHasNoTimesInTheFuture() {
        let array = ObservableArray(["a", "b"], named: "letters")
        _ = array.live.map { $0 }.count
        array[0] = "c"
        let log = array.stageLog.log
        #expect(broken(array) { _ = array.elements } == [])
        array.stageLog.log.resetTime = log.end + 1
        #expect(broken(array) { _ = array.elements } == ["letters: A log of rows has a time in the future."])
        array.stageLog.log = log
        array.stageLog.log.reorderTime = log.end + 1
        #expect(broken(array) { _ = array.elements } == ["letters: A log of rows has a time in the future."])
        array.stageLog.log = log
        var stamp = RowLog.Stamp()
        stamp.element = UInt32(log.end)
        array.stageLog.log.stamps.append(stamp)
        #expect(broken(array) { _ = array.elements } == ["letters: A row has a stamp in the future."])
        array.stageLog.log = log
    }

    @Test func theGraphAsksItsViews() throws {
        let array = ObservableArray([3, 1, 2])
        let view = array.live.sorted(named: "sorted")
        let observer = autorun { _ = view.count }
        #expect(array.graphHandle.brokenInvariants == [])
        let own = try #require(view.ordering as? OwnOrdering)
        own.rows.count += 1
        #expect(array.graphHandle.brokenInvariants == ["sorted: The order has 3 rows, and a count of 4."])
        own.rows.count -= 1
        observer.cancel()
    }
}
#endif
