// Mutations in place of the values of a dictionary.

import ReactiveCollections
import TestSupport
import Testing

extension ReactiveCollectionsTests {
    @Suite struct DictionaryInPlaceTests {
        @Test func nothingIsCopiedUnlessARollBackNeedsIt() {
            // Not literals: the optimiser makes them constants, which a mutation copies.
            let lists = ObservableDictionary(uniqueKeysWithValues: (1...2).map { ($0, Array($0...$0 + 1)) })
            func address() -> UnsafePointer<Int>? { lists[1]?.withUnsafeBufferPointer { $0.baseAddress } }
            let before = address()
            lists[1]?[0] = 5
            #expect(address() == before)
            inTransaction { lists[1]?[1] = 6 }
            #expect(address() == before && lists[1] == [5, 6])
            try? inTransaction {
                lists[1]?[0] = 7
                #expect(address() != before)
                throw Refused.once
            }
            #expect(address() == before && lists[1] == [5, 6])
        }

        @Test func aMutationOfAValueThatIsNotComparedIsAChange() {
            let lists: ObservableDictionary = [1: [1], 2: [2]]
            var seen: [[Int]?] = []
            let reactions = [autorun { seen.append(lists[1]) }, autorun { _ = lists.snapshot }]
            lists[1]?.append(5)
            lists[1]?[0] = 1
            lists[2]?.append(6)
            #expect(seen == [[1], [1, 5], [1, 5]] && reactions.map(\.runCount) == [3, 4])
            reactions.forEach { $0.cancel() }
        }

        @Test func mutationsAreRolledBack() {
            let lists: ObservableDictionary = [1: [1], 2: [2]]
            var seen: [[Int]?] = []
            let reaction = autorun { seen.append(lists[1]) }
            try? inTransaction {
                lists[1]?.append(5)
                lists[2, default: []].append(6)
                lists[3, default: []].append(7)
                throw Refused.once
            }
            #expect(lists.elements == [1: [1], 2: [2]] && seen == [[1]])
            reaction.cancel()
        }

        @Test func plainValuesAreComparedAtTheEndOfATransaction() {
            let counts: ObservableDictionary = ["a": 1]
            let reactions = [autorun { _ = counts["a"] }, autorun { _ = counts.snapshot }]
            inTransaction {
                counts["a"]? += 1
                counts["a"]? -= 1
            }
            #expect(reactions.map(\.runCount) == [1, 1])
            reactions.forEach { $0.cancel() }
        }

        @Test func aValueThatWasReplacedBeforeIsComparedAtTheEndOfATransaction() {
            let lists: ObservableDictionary = [1: [1]]
            let reactions = [autorun { _ = lists[1] }, autorun { _ = lists.snapshot }]
            inTransaction {
                lists[1] = [2]
                lists[1]?[0] = 1
            }
            #expect(reactions.map(\.runCount) == [1, 1])
            reactions.forEach { $0.cancel() }
        }

        @Test func onlySmallValuesAreComparedAfterAMutation() {
            struct Large {
                var first = 1
                var rest = (0, 0, 0, 0, 0, 0, 0, 0)
            }
            let comparisons = Shared(0)
            let small = ObservableDictionary(["a": 1]) { a, b in
                comparisons.withLock { $0 += 1 }
                return a == b
            }
            let large = ObservableDictionary(["a": Large()]) { a, b in
                comparisons.withLock { $0 += 1 }
                return a.first == b.first
            }
            small["a"]? += 1
            #expect(comparisons.value == 1)
            large["a"]?.first += 1
            #expect(comparisons.value == 1)
        }
    }
}
