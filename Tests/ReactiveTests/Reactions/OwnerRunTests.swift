// Which run of which part of which reaction owns something, where several could.

import Foundation
import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct OwnerRunTests {
        let x = Observable(0), y = Observable(0)

        // MARK: - Parts of a run

        @Test func anEffectStillOwnsWhatItCreatesAfterAReaction() {
            var log: [String] = []
            let owner = reaction {
                onCleanup { log.append("tracked") }
                return x.value / 10
            } onChange: { _ in
                autorun {}
                onCleanup { log.append("effect") }
            }
            x.value = 10
            #expect(log == ["tracked"])
            // The tracked closure runs again, and the effect does not.
            x.value = 11
            #expect(log == ["tracked", "tracked"])
            owner.cancel()
            #expect(log == ["tracked", "tracked", "effect", "tracked"])
        }

        @Test func anEffectOwnsAWhenAcrossRunsOfTheTrackedClosure() {
            var log: [String] = []
            let owner = reaction(fireImmediately: true) {
                onCleanup {}
                return x.value / 10
            } onChange: { _ in
                when {
                    y.value == 1
                } effect: {
                    onCleanup { log.append("cleanup") }
                }
            }
            x.value = 1
            y.value = 1
            #expect(log == [])
            owner.cancel()
            #expect(log == ["cleanup"])
        }

        @Test func aPredicateOwnsAWhenThatIsCreatedInIt() {
            var log: [String] = []
            let owner = autorun {
                when {
                    when {
                        y.value == 1
                    } effect: {
                        onCleanup { log.append("cleanup") }
                    }
                    return x.value == 2
                } effect: {
                    log.append("effect")
                }
            }
            y.value = 1
            #expect(log == [])
            // The predicate runs again.
            x.value = 1
            #expect(log == ["cleanup"])
            owner.cancel()
        }

        // MARK: - Runs that are over

        //  `waiting` is in flight when the run that created it ends, and nothing else of that run is left.
        @Test(arguments: [false, true]) func aRunThatIsOverLeavesNothingOfAWhenInFlightToTheNext(inEffect: Bool) {
            let round = Observable(0), fires = Observable(false), others = Observable(false)
            let isInFlight = DispatchSemaphore(value: 0), mayContinue = DispatchSemaphore(value: 0)
            let waiting = Shared<Reaction?>(nil), late = Shared<Reaction?>(nil)
            let create: @Sendable () -> Void = {
                waiting.value = when(isolation: nil) {
                    fires.value
                } effect: {
                    waiting.value?.cancel()
                    isInFlight.signal()
                    mayContinue.wait()
                    late.value = autorun(isolation: nil) {}
                }
                autorun(isolation: nil) {}.cancel()
                // As many that the last one makes the run look for ended items, of which there are 64 changes then.
                for _ in 0..<31 {
                    when(isolation: nil) {
                        others.value
                    } effect: {
                    }
                }
            }
            let owner =
                inEffect
                ? reaction(fireImmediately: true, isolation: nil) {
                    round.value
                } onChange: {
                    if $0 == 0 { create() }
                }
                : autorun(isolation: nil) { if round.value == 0 { create() } }
            let join = inBackground { fires.value = true }
            isInFlight.wait()
            others.value = true
            round.value = 1
            mayContinue.signal()
            join()
            #expect(late.value?.isCancelled == true)
            owner.cancel()
        }

        //  effect in another graph: runs the effect of `owner` twice, whose items wait for that graph
        @Test func anEmptyRunThatIsOverOwnsNothingThatArrivesLater() {
            let graph = IndependentGraph()
            let start = graph.run { Observable(0) }
            var made: [Reaction] = []
            let owner = reaction {
                x.value
            } onChange: { _ in
                graph.run { made.append(autorun {}) }
            }
            let starter = graph.run {
                reaction {
                    start.value
                } onChange: { _ in
                    x.value = 1
                    x.value = 2
                }
            }
            start.value = 1
            #expect(made.map(\.isCancelled) == [true, false])
            owner.cancel()
            #expect(made.map(\.isCancelled) == [true, true])
            starter.cancel()
        }

        // MARK: - Cleanups

        @Test func aCleanupIsNoPartOfTheRunThatCausesIt() {
            var made: Reaction?
            let other = autorun { onCleanup { made = autorun {} } }
            let owner = reaction {
                x.value
            } onChange: { _ in
                other.cancel()
            }
            x.value = 1
            #expect(made?.isCancelled == false)
            owner.cancel()
            #expect(made?.isCancelled == false)
            made?.cancel()
        }

        @Test func manyCleanupsOfOneRunAllRun() {
            var cleanups = 0
            let owner = autorun { for _ in 0..<200 { onCleanup { cleanups += 1 } } }
            owner.cancel()
            #expect(cleanups == 200)
        }

        @Test func aCancelledReactionRunsItsCleanupsOutsideTheRunThatCancelsIt() {
            var log: [String] = []
            let other = autorun { onCleanup { log.append("cleanup") } }
            let canceller = autorun {
                guard x.value == 1 else { return }
                other.cancel()
                log.append("run ends")
            }
            x.value = 1
            #expect(log == ["run ends", "cleanup"])
            canceller.cancel()
        }

        // MARK: - Graphs

        //  owner ─▶ first cleanup, reaction of another graph ─▶ its cleanup, last cleanup
        @Test(arguments: [false, true]) func eachCleanupBelongsToTheGraphOfItsReaction(inEffectOfOther: Bool) {
            let graph = IndependentGraph(named: "other")
            let own = GraphHandle.current.name
            var log: [String] = []
            func note(_ text: String) { log.append("\(text) in \(GraphHandle.current.name)") }
            let owner = reaction {
                x.value
            } onChange: { _ in
                onCleanup { note("first") }
                graph.run { autorun { onCleanup { note("foreign") } } }
                onCleanup { note("last") }
            }
            x.value = 1
            if inEffectOfOther {
                let isOver = graph.run { Observable(false) }
                let end = graph.run {
                    reaction {
                        isOver.value
                    } onChange: { _ in
                        owner.cancel()
                    }
                }
                isOver.value = true
                end.cancel()
            } else {
                owner.cancel()
            }
            #expect(log == ["last in \(own)", "foreign in graph other", "first in \(own)"])
        }

        @Test func manyReactionsOfAnotherGraphEndWithTheirOwner() {
            let graph = IndependentGraph()
            let owner = reaction {
                x.value
            } onChange: { _ in
                for _ in 0..<200 { graph.run { autorun {} } }
            }
            x.value = 1
            #expect(graph.run { Diagnostics.liveReactions.count } == 200)
            owner.cancel()
            #expect(graph.run { Diagnostics.liveReactions.count } == 0)
        }
    }
}
