// Closures with two parameters, with none, and those that change a value in place stop the program outside their actor.

import Reactive
import TestSupport
import Testing

@testable import ReactiveCollections

extension ReactiveCollectionsTests {
    @Suite(.inDefaultGraph) struct ConfinementTests {
        @Test func aCombinationOfTwoValuesBelongsToItsActor() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                await MainActor.run {
                    let (first, second) = (ObservableDictionary(["a": 1]), ObservableDictionary(["a": 2]))
                    let merged = first.live.merging(second.live, named: "merged") { $0 + $1 }
                    onOtherThread { _ = merged.elements }
                }
            }
            expectMessage(result, "computed merged was created on the main actor")
        }

        @Test func theBoundsOfASliceBelongToTheirActor() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                await MainActor.run {
                    let slice = ObservableArray([1, 2, 3]).live.slice(named: "slice", from: { 1 }, count: { 1 })
                    onOtherThread { _ = slice.elements }
                }
            }
            expectMessage(result, "computed slice was created on the main actor")
        }

        @Test func theClosuresOfAReductionInPlaceBelongToTheirActor() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                await MainActor.run {
                    let sum = ObservableArray([1, 2, 3]).live.reduce(into: 0, named: "sum") {
                        $0 += $1
                    } remove: {
                        $0 -= $1
                    }
                    onOtherThread { _ = sum.value }
                }
            }
            expectMessage(result, "computed sum was created on the main actor")
        }

        /// The second view belongs to no actor.
        @MainActor @Test func aViewOfTwoViewsBelongsToTheActorOfItsClosures() async {
            let (left, right) = (ObservableArray([1, 2]), ObservableArray([2, 3]))
            let all = right.live.filter(isolation: nil) { _ in true }
            let pairs = left.live.joined(with: all) { number in
                MainActor.assertIsolated()
                return number
            } equals: {
                $0
            }
            let index = pairs.indexed(isolation: nil) { $0.0 }
            let log = Log()
            let reaction = autorun { log("\(index[3]?.1 ?? 0)") }
            #expect(log.take() == ["0"])
            onOtherThread { left.append(3) }
            await eventually { log.count == 1 }
            #expect(log.take() == ["3"])
            reaction.cancel()
        }
    }
}
