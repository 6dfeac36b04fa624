// The end of a reaction: what is left of it, and when its cleanups run.

import Reactive
import Testing
import TestSupport

#if DEBUG
import CReactive
@testable import Reactive
#endif

/// The owner of reactions in these tests.
private final class Holder {}

private actor Silent {
    /// Begins to follow `x` with a closure that does not keep the actor.
    func follow(_ x: Observable<Int>, in graph: IndependentGraph, schedule: Schedule = .immediate) -> Reaction {
        graph.run { autorun(schedule: schedule, isolation: self) { _ = x.value } }
    }
}

extension ReactiveTests {
    @Suite struct CancellationTests {
        let x = Observable(0)

        @Test func aReactionCancelledInItsCleanupDoesNotRunAgain() {
            var reaction: Reaction?
            reaction = autorun {
                _ = x.value
                onCleanup { reaction?.cancel() }
            }
            x.value = 1
            #expect(reaction?.runCount == 1)
        }

        @Test func inAnEffectTheCleanupsRunBeforeCancelReturns() {
            var log: [String] = []
            let other = autorun { onCleanup { log.append("cleanup") } }
            let canceller = reaction {
                x.value
            } onChange: { _ in
                other.cancel()
                log.append("effect ends")
            }
            x.value = 1
            #expect(log == ["cleanup", "effect ends"])
            canceller.cancel()
        }

        @Test func cancellingInATransactionOfAnotherGraphWaitsForItsEnd() {
            let graph = IndependentGraph()
            var log: [String] = []
            let plain = autorun { _ = x.value }
            let owner = autorun { onCleanup { log.append("cleanup") } }
            graph.run {
                inTransaction {
                    plain.cancel()
                    owner.cancel()
                    log.append("transaction ends")
                }
            }
            #expect(log == ["transaction ends", "cleanup"])
            #expect(plain.isCancelled && owner.isCancelled)
        }

        #if DEBUG
        private let marks: NodeFlags = [.stale, .maybeStale, .sourceChanged]

        @Test func aCancelledReactionHasNoMarks() {
            let reaction = autorun { _ = x.value }
            inTransaction {
                x.value = 1
                reaction.invalidate()
                #expect(reaction.observer.flags.isSuperset(of: marks))
                reaction.cancel()
                #expect(reaction.observer.flags.isDisjoint(with: marks))
            }
        }

        @Test func cancellingAReactionEndsTheCheckOfItsSources() {
            var reaction: Reaction?
            let computed = Computed { () -> Int in
                guard x.value == 1, let reaction else { return 0 }
                #expect(reaction.observer.flags.isSuperset(of: [.maybeStale, .checking]))
                reaction.cancel()
                #expect(reaction.observer.flags.isDisjoint(with: [.maybeStale, .checking]))
                return 0
            }
            reaction = autorun { _ = computed.value }
            x.value = 1
            #expect(reaction?.isCancelled == true)
        }
        #endif

        // MARK: - Without an owner

        @Test func aReactionWhoseOwnerIsGoneDoesNotRunAgain() {
            var model: Holder? = Holder()
            let reaction = autorun(of: model!) { _ in _ = x.value }
            model = nil
            x.value = 1
            #expect(reaction.isCancelled)
            #expect(reaction.runCount == 1)
        }

        @Test func abandonedReactionsAreFoundAmongOthers() {
            let owner = Holder()
            var others: [Reaction] = []
            var abandoned: [Reaction] = []
            others.append(autorun(of: owner) { _ in _ = x.value })
            do {
                let models = (0..<100).map { _ in Holder() }
                abandoned = models.map { autorun(of: $0) { _ in _ = x.value } }
            }
            // Two are looked at for each of these.
            for _ in 0..<200 { others.append(autorun(of: owner) { _ in _ = x.value }) }
            #expect(abandoned.allSatisfy { $0.isCancelled })
            #expect(others.allSatisfy { !$0.isCancelled })
            others.forEach { $0.cancel() }
        }

        @Test func reactionsOfAnActorThatIsGoneAreFoundToo() async {
            let graph = IndependentGraph()
            let x = graph.run { Observable(0) }
            let reaction = await withFreedActor(Silent.init) { await $0.follow(x, in: graph) }
            let owner = Holder()
            graph.run { _ = autorun(of: owner) { _ in } }
            #expect(reaction.isCancelled)
            graph.cancelReactions()
        }

        @Test func aReactionThatReportsTheLossOfItsActorIsNoneOfThem() async {
            let losses = Shared(0)
            let graph = IndependentGraph()
            let x = graph.run { Observable(0) }
            let reaction = await withFreedActor(Silent.init) {
                await $0.follow(x, in: graph, schedule: .immediate.keepingActor { losses.withLock { $0 += 1 } })
            }
            let owner = Holder()
            graph.run { for _ in 0..<3 { _ = autorun(of: owner) { _ in } } }
            #expect(!reaction.isCancelled)
            x.value = 1
            #expect(losses.value == 1)
            #expect(reaction.isCancelled)
            graph.cancelReactions()
        }
    }
}
