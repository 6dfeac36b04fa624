// Reading views: what readers depend on, ends and bounds.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

extension ReactiveCollectionsTests {
    @Suite struct LiveArrayTests {
        /// A closure of a view may have removed an element whose position the view looks up.
        @Test func rowsThatAnOrderDoesNotHaveAreComparedByTheirNumbers() {
            let order = OwnOrdering()
            order.rows = RowOrder([9, 4] as [Row])
            #expect(order.comesBefore(9, 4) && !order.comesBefore(4, 9))
            #expect(order.comesBefore(4, 1_000) && !order.comesBefore(1_000, 4))
        }

        @Test func readersOfACountDependOnTheNumberOnly() {
            let array = ObservableArray([1, 2, 3])
            let even = array.live.filter { $0 % 2 == 0 }
            let index = array.live.indexed { $0 }
            let counts = [autorun { _ = even.count }, autorun { _ = even.isEmpty }, autorun { _ = array.live.count }]
            let keys = [autorun { _ = index.count }, autorun { _ = index.isEmpty }]
            array[1] = 4
            array.swapAt(0, 1)
            #expect((counts + keys).map(\.runCount) == [1, 1, 1, 1, 1])
            array.append(6)
            #expect((counts + keys).map(\.runCount) == [2, 2, 2, 2, 2])
            array[0] = 5
            #expect(counts.map(\.runCount) == [3, 3, 2] && keys.map(\.runCount) == [2, 2])
            (counts + keys).forEach { $0.cancel() }
        }

        @Test func aViewByKeyMayBeEmpty() {
            let array = ObservableArray([1])
            let index = array.live.indexed { $0 }
            #expect(!index.isEmpty)
            array.removeAll()
            #expect(index.isEmpty && index.elements.isEmpty)
        }

        @Test func mergingFollowsAReplacementByMoreKeys() {
            let (first, second) = (ObservableDictionary([1: 1, 2: 2]), ObservableDictionary([2: 20, 3: 30]))
            let merged = first.live.merging(second.live) { $0 + $1 }
            #expect(merged.elements == [1: 1, 2: 22, 3: 30])
            inTransaction {
                second.removeAll()
                for key in 0..<9 { second[key] = 100 * key }
            }
            #expect(merged.elements == [0: 0, 1: 101, 2: 202, 3: 300, 4: 400, 5: 500, 6: 600, 7: 700, 8: 800])
            inTransaction {
                first.removeAll()
                for key in 8..<20 { first[key] = 1 }
            }
            #expect(merged.count == 20 && merged[8] == 801 && merged[2] == 200 && merged[19] == 1)
        }

        @Test func theEndsOfAViewAreCurrent() {
            let array = ObservableArray([1, 2])
            func view() -> LiveArray<Int> { array.live.filter { $0 > 1 } }
            let (first, last, position) = (view(), view(), view())
            #expect(first.first == 2 && last.last == 2 && position[0] == 2)
            array.append(3)
            #expect(last.last == 3)
            array[1] = 0
            #expect(first.first == 3 && position[0] == 3)
            array.removeAll { $0 > 0 }
            #expect(first.first == nil)
            #expect(last.last == nil)
            var seen: [Int?] = []
            let reactions = [autorun { seen.append(first.first) }, autorun { seen.append(last.last) }]
            array.append(7)
            #expect(seen == [nil, nil, 7, 7])
            reactions.forEach { $0.cancel() }
        }

        @Test(arguments: [-1, 2, 3]) func aPositionOutOfBoundsStopsTheProgram(position: Int) async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                [position = position as Int] in
                _ = ObservableArray([1, 2, 3]).live.filter { $0 > 1 }[position]
            }
            expectMessage(result, "position \(position) is out of bounds: the view has 2 elements")
        }

        @Test func aViewIsDescribedLikeItsElements() {
            let array = ObservableArray([1, 2])
            let index = array.live.indexed { $0 * 10 }
            let reaction = autorun { _ = (array.live.description, index.description) }
            #expect(array.live.description == "[1, 2]")
            array[1] = 3
            #expect(reaction.runCount == 1)
            array.remove(at: 0)
            #expect(index.description == "[30: 3]")
            reaction.cancel()
        }
    }
}
