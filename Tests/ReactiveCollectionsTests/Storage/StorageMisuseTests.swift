// Misuse of the storage stops the program with a message. Only debug builds print it.

#if DEBUG
import TestSupport
import Testing

@testable import ReactiveCollections

extension ReactiveCollectionsTests {
    @Suite(.timeLimit) struct StorageMisuseTests {
        // MARK: - Chunked arrays

        @Test func aChunkedArrayIsReadWithinItsBounds() async {
            for index in [-1, 2] {
                let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    [index = index as Int] in
                    var chunked = Chunked([1, 2, 3])
                    _ = chunked.removeLast()
                    _ = chunked[index]
                }
                expectMessage(result, "Index out of range")
            }
        }

        @Test func aChunkedArrayIsWrittenWithinItsBounds() async {
            for index in [-1, 2] {
                let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    [index = index as Int] in
                    var chunked = Chunked([1, 2, 3])
                    _ = chunked.removeLast()
                    chunked[index] = 4
                }
                expectMessage(result, "Index out of range")
            }
        }

        @Test func anEmptyChunkedArrayHasNoLastElement() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                var chunked = Chunked<Int>()
                _ = chunked.removeLast()
            }
            expectMessage(result, "Cannot remove the last element of an empty array")
        }

        // MARK: - Trees

        @Test func aTreeIsReadWithinItsBounds() async {
            for index in [-1, 2] {
                let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    [index = index as Int] in
                    var tree = CountedTree([1, 2, 3])
                    tree.remove(at: 2)
                    _ = tree[index]
                }
                expectMessage(result, "Index out of range")
            }
        }

        @Test func aTreeIsWrittenWithinItsBounds() async {
            for index in [-1, 2] {
                let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    [index = index as Int] in
                    var tree = CountedTree([1, 2, 3])
                    tree.remove(at: 2)
                    tree[index] = 4
                }
                expectMessage(result, "Index out of range")
            }
        }

        @Test func aTreeIsInsertedIntoWithinItsBounds() async {
            for index in [-1, 3] {
                let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    [index = index as Int] in
                    var tree = CountedTree([1, 2])
                    tree.insert(4, at: index)
                }
                expectMessage(result, "Index out of range")
            }
        }

        @Test func aTreeIsRemovedFromWithinItsBounds() async {
            for index in [-1, 2] {
                let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    [index = index as Int] in
                    var tree = CountedTree([1, 2])
                    tree.remove(at: index)
                }
                expectMessage(result, "Index out of range")
            }
        }

        @Test func aRangeOfATreeIsReplacedWithinItsBounds() async {
            for (lower, upper) in [(-1, 1), (1, 3)] {
                let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    [lower = lower as Int, upper = upper as Int] in
                    var tree = CountedTree([1, 2])
                    tree.replaceSubrange(lower..<upper, with: [5])
                }
                expectMessage(result, "Range out of bounds")
            }
        }

        // MARK: - Indices and orders

        @Test func anIndexRemovesOnlyRowsThatItHas() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                var index = RowIndex()
                index.insert(hash: 1, row: 1)
                index.remove(hash: 1, row: 2)
            }
            expectMessage(result, "The index does not have the row")
        }

        @Test func anOrderIsReadWithinItsBounds() async {
            for position in [-1, 3] {
                for rows: [UInt32] in [[0, 1, 2], [2, 1, 0]] {
                    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                        [position = position as Int, rows = rows as [UInt32]] in
                        _ = RowOrder(rows).row(at: position)
                    }
                    expectMessage(result, "Index out of range")
                }
            }
        }

        @Test func anOrderIsInsertedIntoWithinItsBounds() async {
            for position in [-1, 4] {
                let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    [position = position as Int] in
                    var order = RowOrder([2, 1, 0])
                    order.insert(9, at: position)
                }
                expectMessage(result, "Index out of range")
            }
        }

        @Test func anOrderHasAPositionOnlyForItsRows() async {
            for rows: [UInt32] in [[0, 1, 2], [4, 1, 0]] {
                let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    [rows = rows as [UInt32]] in
                    _ = RowOrder(rows).position(of: 3)
                }
                expectMessage(result, "The order does not have the row")
            }
        }

        @Test func anOrderRemovesOnlyItsRows() async {
            for rows: [UInt32] in [[0, 1, 2], [4, 1, 0]] {
                let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                    [rows = rows as [UInt32]] in
                    var order = RowOrder(rows)
                    order.remove(3)
                }
                expectMessage(result, "The order does not have the row")
            }
        }

        @Test func anOrderHasEachRowOnce() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                var order = RowOrder([2, 1, 0])
                order.insert(1, at: 3)
            }
            expectMessage(result, "The order has the row already")
        }
    }
}
#endif
