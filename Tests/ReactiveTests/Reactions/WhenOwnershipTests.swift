// A `when` ends when it fires. Reactions created in its effect belong to the run that created the `when`.

import Foundation
import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct WhenOwnershipTests {
        let tracker = LifetimeTracker()

        // MARK: - Without an owner

        @Test func reactionsCreatedInItsEffectHaveNoOwner() {
            let x = Observable(false), y = Observable(0)
            var log: [String] = []
            var inner: Reaction?
            let waiting = when(named: "fired") {
                x.value
            } effect: {
                inner = autorun { log.append("\(y.value)") }
            }
            x.value = true
            #expect(waiting.isCancelled)
            #expect(!Diagnostics.liveReactions.contains { $0.name == "fired" })
            waiting.cancel()
            y.value = 1
            #expect(log == ["0", "1"])
            inner?.cancel()
        }

        @Test func cancellingItInItsEffectDoesNotCancelReactionsCreatedThere() {
            let x = Observable(false)
            var inner: [Reaction] = []
            var waiting: Reaction?
            waiting = when {
                x.value
            } effect: {
                inner.append(autorun {})
                waiting?.cancel()
                inner.append(autorun {})
            }
            x.value = true
            #expect(inner.map(\.isCancelled) == [false, false])
            inner.forEach { $0.cancel() }
        }

        @Test func aCleanupInItsEffectIsReportedAndIgnored() {
            let x = Observable(false)
            let reported = issues {
                when {
                    x.value
                } effect: {
                    onCleanup { Issue.record("a cleanup without an owner ran") }
                }
                x.value = true
            }
            #expect(reported.map(\.kind) == [.misuse])
        }

        @Test func aWhenThatRearmsItselfKeepsNothing() {
            // A graph of its own, in which nothing else is live.
            let graph = IndependentGraph()
            let n = graph.run { Observable(0) }
            let rounds = isUnderSanitizer ? 2_000 : 20_000
            var fired = 0
            func arm() {
                let (last, token) = (n.value, tracker.token())
                when {
                    n.value > last
                } effect: {
                    withExtendedLifetime(token) { fired += 1 }
                    arm()
                }
            }
            graph.run(arm)
            for number in 1...rounds { n.value = number }
            #expect(fired == rounds)
            #expect(tracker.alive == 1)
            #expect(graph.run { Diagnostics.liveReactions.count } == 1)
            graph.cancelReactions()
            #expect(tracker.alive == 0)
        }

        @Test func reactionsCreatedInItsPredicateEndWhenItHasFired() {
            let x = Observable(false)
            var log: [String] = []
            when {
                onCleanup { log.append("predicate") }
                return x.value
            } effect: {
                log.append("effect")
            }
            x.value = true
            #expect(log == ["predicate", "effect", "predicate"])
        }

        // MARK: - With an owner

        //  owner ─▶ when ─▶ inner, clean-up: owned by the owner once the when has fired
        @Test func reactionsCreatedInItsEffectEndWithTheRunThatCreatedTheWhen() {
            let x = Observable(0), y = Observable(0)
            var log: [String] = []
            let owner = autorun {
                let round = x.value
                onCleanup { log.append("before \(round)") }
                when {
                    y.value > round
                } effect: {
                    onCleanup { log.append("cleanup \(round)") }
                    autorun { log.append("\(round): \(y.value)") }
                }
            }
            y.value = 1
            y.value = 2
            x.value = 1
            owner.cancel()
            y.value = 3
            #expect(
                log == [
                    "0: 1", "0: 2", "cleanup 0", "before 0", "1: 2", "cleanup 1", "before 1",
                ])
        }

        @Test func anEffectOwnsTheReactionsOfAWhenCreatedInIt() {
            let x = Observable(0), y = Observable(false)
            var log: [String] = []
            let owner = reaction {
                x.value
            } onChange: { value in
                when {
                    y.value
                } effect: {
                    onCleanup { log.append("end of \(value)") }
                }
            }
            x.value = 1
            y.value = true
            #expect(log == [])
            x.value = 2
            #expect(log == ["end of 1"])
            owner.cancel()
            #expect(log == ["end of 1", "end of 2"])
        }

        @Test func aWhenCreatedInTheEffectOfAWhenHasTheSameOwner() {
            let x = Observable(0)
            var inner: Reaction?
            let owner = autorun {
                when {
                    x.value > 0
                } effect: {
                    when {
                        x.value > 1
                    } effect: {
                        inner = autorun { _ = x.value }
                    }
                }
            }
            x.value = 1
            x.value = 2
            #expect(inner?.isCancelled == false)
            owner.cancel()
            #expect(inner?.isCancelled == true)
        }

        @Test func aWhenCancelledInItsEffectStillPassesReactionsToItsOwner() {
            let x = Observable(false)
            var inner: Reaction?
            let owner = autorun {
                var waiting: Reaction?
                waiting = when {
                    x.value
                } effect: {
                    inner = autorun {}
                    waiting?.cancel()
                }
            }
            x.value = true
            #expect(inner?.isCancelled == false)
            owner.cancel()
            #expect(inner?.isCancelled == true)
        }

        @Test(arguments: [true, false])
        func reactionsCreatedInItsEffectEndIfTheOwnerEndsMeanwhile(byCancelling: Bool) {
            let x = Observable(false), round = Observable(0)
            var log: [String] = []
            var inner: [Reaction] = []
            var owner: Reaction?
            owner = autorun {
                guard round.value == 0 else { return }
                when {
                    x.value
                } effect: {
                    inner.append(autorun {})
                    onCleanup { log.append("cleanup") }
                    if byCancelling { owner?.cancel() } else { round.value = 1 }
                    inner.append(autorun {})
                    log.append("effect ends")
                }
            }
            x.value = true
            #expect(log == ["effect ends", "cleanup"])
            owner?.cancel()
            #expect(log == ["effect ends", "cleanup"])
            #expect(inner.map(\.isCancelled) == [true, true])
        }

        @Test(arguments: [true, false])
        func reactionsCreatedInItsEffectEndIfAnotherThreadEndsTheOwner(byCancelling: Bool) {
            let x = Observable(false), round = Observable(0)
            let inner = Shared<[Reaction]>([]), log = Shared<[String]>([])
            let isInEffect = DispatchSemaphore(value: 0), mayContinue = DispatchSemaphore(value: 0)
            let owner = autorun(isolation: nil) {
                guard round.value == 0 else { return }
                when(isolation: nil) {
                    x.value
                } effect: {
                    inner.withLock { $0.append(autorun(isolation: nil) {}) }
                    onCleanup { log.withLock { $0.append("cleanup") } }
                    isInEffect.signal()
                    mayContinue.wait()
                    inner.withLock { $0.append(autorun(isolation: nil) {}) }
                    log.withLock { $0.append("effect ends") }
                }
            }
            let join = inBackground { x.value = true }
            isInEffect.wait()
            if byCancelling { owner.cancel() } else { round.value = 1 }
            mayContinue.signal()
            join()
            #expect(log.value == ["effect ends", "cleanup"])
            #expect(inner.value.map(\.isCancelled) == [true, true])
            owner.cancel()
        }

        @Test(arguments: [false, true]) func aWhenThatRearmsItselfLeavesNothingToItsOwner(inAnotherGraph: Bool) {
            let graph = IndependentGraph()
            let n = inAnotherGraph ? graph.run { Observable(0) } : Observable(0)
            let start = Observable(false)
            var fired: [WeakReaction] = []
            func arm() {
                let (last, token) = (n.value, tracker.token())
                let waiting = when {
                    n.value > last
                } effect: {
                    withExtendedLifetime(token) { if inAnotherGraph { graph.run(arm) } else { arm() } }
                }
                fired.append(WeakReaction(waiting))
            }
            let owner = reaction {
                start.value
            } onChange: { _ in
                if inAnotherGraph { graph.run(arm) } else { arm() }
            }
            start.value = true
            for number in 1...10_000 { n.value = number }
            #expect(fired.count == 10_001)
            #expect(tracker.alive == 1)
            #expect(fired.count { $0.reaction != nil } < 150)
            owner.cancel()
            #expect(tracker.alive == 0)
            #expect(fired.allSatisfy { $0.reaction == nil })
        }

        @Test func whensThatFireAtTheSameTimeLeaveNothingToTheirOwner() {
            let x = Observable(false)
            var fired: [WeakReaction] = []
            let owner = autorun {
                for _ in 0..<10_000 {
                    fired.append(
                        WeakReaction(
                            when {
                                x.value
                            } effect: {
                            }))
                }
            }
            x.value = true
            #expect(fired.count { $0.reaction != nil } < 150)
            owner.cancel()
        }

        // MARK: - Graphs

        @Test func reactionsCreatedInATransactionOfAnotherGraphAreOwned() {
            let graph = IndependentGraph()
            let y = graph.run { Observable(0) }
            let x = Observable(0)
            var log: [String] = []
            let owner = reaction {
                x.value
            } onChange: { value in
                graph.run {
                    inTransaction {
                        autorun { log.append("\(value): \(y.value)") }
                        onCleanup { log.append("cleanup \(value)") }
                    }
                }
            }
            x.value = 1
            y.value = 1
            x.value = 2
            y.value = 2
            owner.cancel()
            y.value = 3
            #expect(log == ["1: 0", "1: 1", "cleanup 1", "2: 1", "2: 2", "cleanup 2"])
        }

        // MARK: - Suspending

        @Test func aWaitThatBeginsInARunContinuesAfterIt() async throws {
            let isReady = Observable(false), x = Observable(0)
            var waits: [Task<Void, any Error>] = []
            let owner = autorun {
                _ = x.value
                waits.append(Task.immediate { try await when { isReady.value } })
            }
            x.value = 1
            owner.cancel()
            isReady.value = true
            for wait in waits { try await wait.value }
            #expect(waits.count == 2)
        }
    }
}

private struct WeakReaction {
    weak var reaction: Reaction?
    init(_ reaction: Reaction) { self.reaction = reaction }
}
