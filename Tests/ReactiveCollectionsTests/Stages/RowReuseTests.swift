// Views of several rows for each element use the numbers of rows again.

#if DEBUG
import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

extension ReactiveCollectionsTests {
    @Suite struct RowReuseTests {
        @Test func aNumberThatWasReleasedLastIsUsedFirst() {
            var numbers = RowNumbers()
            #expect((0..<4).map { _ in numbers.take() } == [0, 1, 2, 3])
            numbers.release(1)
            numbers.release(3)
            #expect((0..<3).map { _ in numbers.take() } == [3, 1, 4])
            for row: Row in [2, 0, 1, 4, 3] { numbers.release(row) }
            #expect(numbers.next == 0 && numbers.free.isEmpty)
            #expect((0..<2).map { _ in numbers.take() } == [0, 1])
        }

        @Test func flatMapUsesTheNumbersOfRowsThatHaveLeft() {
            let array: ObservableArray = [2, 3]
            let flat: LiveArray<Int> = array.live.flatMap { Array(repeating: $0, count: $0) }
            #expect(flat.count == 5)
            for count in 0..<100 {
                array[0] = count % 5
                array.append(3)
                #expect(flat.count == count % 5 + 6)
                array.removeLast()
                #expect(flat.elements == Array(repeating: count % 5, count: count % 5) + [3, 3, 3])
            }
            #expect(flat.ordering.bound <= 10)
        }

        @Test func pairsAndTheirGroupsUseTheNumbersOfThoseThatHaveLeft() throws {
            let (left, right) = (ObservableArray([10, 20]), ObservableArray([1, 2]))
            let pairs = left.live.joined(with: right.live) {
                $0 / 10
            } equals: {
                $0
            }
            let products = pairs.map { (pair: (Int, Int)) in pair.0 * pair.1 }
            #expect(products.elements == [10, 40])
            for number in 3..<100 {
                left.insert(10 * number, at: 0)
                right.insert(number, at: 1)
                #expect(products.elements == [10 * number * number, 10, 40])
                left.remove(at: 0)
                #expect(products.elements == [10, 40])
                right.remove(at: 1)
                #expect(products.count == 2)
            }
            let view = try #require(pairs.stage.view as? View<JoinState<Int>>)
            #expect(view.state.groups.count <= 3 && view.state.index.count == 2)
            #expect(pairs.ordering.bound <= 3)
        }
    }
}
#endif
