// Mutations of arrays that the oracle does not use.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

private struct Refusal: Error {}

extension ReactiveCollectionsTests {
    @Suite struct ArrayMutationTests {
        @Test func rangesAreRelativeToTheArray() {
            let array: ObservableArray = [0, 1, 2, 3, 4]
            array.replaceSubrange(3..., with: [30, 40, 50])
            #expect(array == [0, 1, 2, 30, 40, 50])
            array.replaceSubrange(...1, with: [7])
            #expect(array == [7, 2, 30, 40, 50])
            array.removeSubrange(3...)
            #expect(array == [7, 2, 30])
            array.removeSubrange(..<1)
            #expect(array == [2, 30])
            array.insert(contentsOf: [8, 9], at: 1)
            #expect(array == [2, 8, 9, 30])
        }

        @Test func removingAtTheEnds() {
            let array = ObservableArray(0..<6)
            array.removeFirst(0)
            array.removeLast(0)
            #expect(array.count == 6)
            array.removeLast(2)
            array.removeFirst(1)
            #expect(array == [1, 2, 3])
            array.removeLast(3)
            #expect(array.isEmpty)
        }

        @Test func sortingAndShuffling() {
            let array: ObservableArray = [3, 1, 2]
            array.sort()
            #expect(array == [1, 2, 3])
            let plain = Array(0..<100)
            let other = ObservableArray(plain)
            other.shuffle()
            #expect(other != plain && other.sorted() == plain)
            var random = SplitMix64(seed: 1)
            var same = random
            let seeded = ObservableArray(plain)
            seeded.shuffle(using: &random)
            #expect(seeded.elements == plain.shuffled(using: &same))
        }

        @Test func aPredicateThatThrowsRemovesNothing() {
            let array: ObservableArray = [1, 2, 3]
            #expect(throws: Refusal.self) {
                try array.removeAll {
                    if $0 == 2 { throw Refusal() }
                    return true
                }
            }
            #expect(array == [1, 2, 3] && GraphHandle.held == nil)
        }

        /// Few elements at the end of a long array.
        @Test func viewsFollowASortOfAFewElements() {
            let array = ObservableArray(0..<200)
            let view = array.live.map { $0 }
            var seen: [[Int]] = []
            let reaction = autorun { seen.append(view.elements.suffix(3)) }
            defer { reaction.cancel() }
            array.swapAt(198, 199)
            array.sort()
            #expect(seen == [[197, 198, 199], [197, 199, 198], [197, 198, 199]])
        }
    }
}
