// `Diagnostics.liveReactions`: the live reactions, with source location and number of runs.

import Reactive
import Testing

extension ReactiveTests {
    @Suite struct LiveReactionTests {
        /// The live reactions of one test.
        private func live(_ prefix: String) -> [Diagnostics.LiveReaction] {
            Diagnostics.liveReactions.filter { $0.name.hasPrefix(prefix) }
        }

        @Test func liveReactionsAreListedInOrderOfCreationUntilTheyAreCancelled() {
            let x = Observable(0)
            let first = autorun(named: "order 1") { _ = x.value }
            let second = reaction(named: "order 2") {
                x.value
            } onChange: { _ in
            }
            let third = when(named: "order 3") {
                x.value == 9
            } effect: {
            }
            let scope = ObserverScope(named: "order 4") { x.value }
            #expect(live("order").map(\.name) == ["order 1", "order 2", "order 3", "order 4"])
            second.cancel()
            #expect(live("order").map(\.name) == ["order 1", "order 3", "order 4"])
            first.cancel()
            third.cancel()
            scope.cancel()
            #expect(live("order").isEmpty)
        }

        @Test func theyHaveTheirSourceLocationAndNumberOfRuns() {
            let x = Observable(0)
            let named = autorun(named: "counted") { _ = x.value }
            let line = #line - 1
            let unnamed = autorun { _ = x.value }
            x.value = 1
            x.value = 2
            let entry = live("counted").first
            #expect(entry?.site == "LiveReactionTests.swift:\(line)")
            #expect(entry?.runCount == 3)
            #expect(entry?.description == "counted (LiveReactionTests.swift:\(line)), ran 3 times")
            #expect(
                live("LiveReactionTests.swift:\(line + 2)").map(\.description)
                    == ["LiveReactionTests.swift:\(line + 2), ran 3 times"])
            named.cancel()
            unnamed.cancel()
        }

        @Test func ownedReactionsAreListedUntilTheirOwnerRunsAgain() {
            let x = Observable(0)
            let owner = autorun(named: "outer") {
                let round = x.value
                autorun(named: "inner \(round)") {}
            }
            #expect(live("inner").map(\.name) == ["inner 0"])
            x.value = 1
            #expect(live("inner").map(\.name) == ["inner 1"])
            owner.cancel()
            #expect(live("inner").isEmpty)
        }

        @Test func aWhenThatHasFiredIsNotListed() {
            let x = Observable(false)
            when(named: "fires") {
                x.value
            } effect: {
            }
            #expect(live("fires").count == 1)
            x.value = true
            #expect(live("fires").isEmpty)
        }

        @Test func listingReactionsInARunSubscribesNobody() {
            let x = Observable(0)
            let r = autorun(named: "listed") { _ = x.value }
            var counts: [Int] = []
            let listing = autorun { counts.append(live("listed").count) }
            x.value = 1
            r.cancel()
            #expect(counts == [1])
            listing.cancel()
        }
    }
}
