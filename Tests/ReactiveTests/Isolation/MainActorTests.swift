// Reactions created on the main actor run there: synchronously for a write on the main actor, otherwise after one
// coalesced hop.

import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @MainActor @Suite(.inDefaultGraph) struct MainActorTests {
        let x = Observable(0)

        @Test func aWriteOnTheMainActorRunsReactionsSynchronously() {
            var log: [String] = []
            let reactions = [
                autorun { log.append("autorun \(x.value)") },
                reaction {
                    x.value
                } onChange: {
                    log.append("effect \($0)")
                },
            ]
            x.value = 1
            #expect(log == ["autorun 0", "autorun 1", "effect 1"])
            inTransaction {
                x.value = 2
                x.value = 3
            }
            #expect(log == ["autorun 0", "autorun 1", "effect 1", "autorun 3", "effect 3"])
            reactions.forEach { $0.cancel() }
        }

        @Test func writesElsewhereReachAnAutorunByOneCoalescedHop() async {
            let x = x
            let (runs, continuation) = AsyncStream.makeStream(of: Int.self)
            let reaction = autorun {
                MainActor.assertIsolated()
                continuation.yield(x.value)
            }
            // The main actor waits meanwhile, so the hop cannot happen before the last write.
            onOtherThread { for value in 1...100 { x.value = value } }
            #expect(reaction.runCount == 1)
            var seen: [Int] = []
            for await value in runs {
                seen.append(value)
                if value == 100 { break }
            }
            #expect(seen == [0, 100])
            #expect(reaction.runCount == 2)
            reaction.cancel()
        }

        @Test func effectsRunOnTheMainActorAfterAWriteElsewhere() async {
            let x = x
            let (values, continuation) = AsyncStream.makeStream(of: Int.self)
            let reaction = reaction {
                MainActor.assertIsolated()
                return x.value
            } onChange: {
                MainActor.assertIsolated()
                continuation.yield($0)
            }
            onOtherThread { x.value = 1 }
            var iterator = values.makeAsyncIterator()
            #expect(await iterator.next() == 1)
            reaction.cancel()
        }

        @Test func aScopeRendersOnTheMainActorAfterAWriteElsewhere() async {
            let x = x
            let (renders, continuation) = AsyncStream.makeStream(of: Int.self)
            let scope = ObserverScope {
                MainActor.assertIsolated()
                return x.value
            } onRender: {
                MainActor.assertIsolated()
                continuation.yield($0)
            }
            onOtherThread { for value in 1...10 { x.value = value } }
            #expect(scope.renderCount == 1)
            #expect(scope.output == 10)  // Never stale, although the hop has not happened yet.
            var iterator = renders.makeAsyncIterator()
            #expect(await iterator.next() == 0)
            #expect(await iterator.next() == 10)
            #expect(scope.renderCount == 2)
            scope.cancel()
        }

        @Test func whenFiresOnTheMainActorAfterAWriteElsewhere() async {
            let x = x
            let (done, continuation) = AsyncStream.makeStream(of: Void.self)
            when {
                MainActor.assertIsolated()
                return x.value == 3
            } _: {
                MainActor.assertIsolated()
                continuation.yield()
            }
            onOtherThread { for value in 1...3 { x.value = value } }
            var iterator = done.makeAsyncIterator()
            #expect(await iterator.next() != nil)
        }

        @Test func theSuspendingWhenEvaluatesItsPredicateOnTheMainActor() async throws {
            let x = x
            let join = inBackground { x.value = 3 }
            try await when {
                MainActor.assertIsolated()
                return x.value == 3
            }
            MainActor.assertIsolated()
            join()
            #expect(x.value == 3)
        }

        @Test func valuesEvaluateTheirExpressionOnTheMainActor() async {
            let x = x
            let join = inBackground { for value in 1...50 { x.value = value } }
            var seen: [Int] = []
            for await value in values(of: {
                MainActor.assertIsolated()
                return x.value
            }) {
                MainActor.assertIsolated()
                seen.append(value)
                if value == 50 { break }
            }
            join()
            #expect(seen == seen.sorted())
            #expect(seen.last == 50)
        }

        @Test func aReactionCancelledBeforeItsHopDoesNotRun() async {
            let x = x
            let reaction = autorun { _ = x.value }
            onOtherThread { x.value = 1 }
            reaction.cancel()
            // All jobs enqueued on the main actor before this one have run when it returns.
            await Task { @MainActor in }.value
            await Task { @MainActor in }.value
            #expect(reaction.runCount == 1)
        }

        @Test func aWriteOnTheMainActorDoesNotWaitForAHopInFlight() async {
            let x = x
            var log: [Int] = []
            let reaction = autorun { log.append(x.value) }
            onOtherThread { x.value = 1 }
            x.value = 2
            #expect(log == [0, 2])
            await Task { @MainActor in }.value
            await Task { @MainActor in }.value
            #expect(log == [0, 2])
            reaction.cancel()
        }

        @Test func aWriteOnTheMainActorRunsReactionsOfComputedsThatWaitForAHop() async {
            let x = x
            var log: [Int] = []
            let half = Computed { x.value / 2 }
            let sum = Computed { half.value + half.value }
            let reaction = autorun { log.append(sum.value) }
            onOtherThread { x.value = 2 }
            #expect(log == [0])
            x.value = 4
            #expect(log == [0, 4])
            onOtherThread { x.value = 6 }
            x.value = 5
            #expect(log == [0, 4])
            await Task { @MainActor in }.value
            await Task { @MainActor in }.value
            #expect(log == [0, 4])
            reaction.cancel()
        }

        @Test func cleanupsRunWhereTheNextRunHappens() async {
            let x = x
            let (cleanups, continuation) = AsyncStream.makeStream(of: Int.self)
            let reaction = autorun {
                let value = x.value
                onCleanup {
                    MainActor.assertIsolated()
                    continuation.yield(value)
                }
            }
            onOtherThread { x.value = 1 }
            var iterator = cleanups.makeAsyncIterator()
            #expect(await iterator.next() == 0)
            reaction.cancel()
            #expect(await iterator.next() == 1)
        }

        @Test func reactionsOfTheMainActorAndOfNoIsolationShareOneSource() async {
            let x = x
            let elsewhere = Shared<[Int]>([])
            let (runs, continuation) = AsyncStream.makeStream(of: Int.self)
            let here = autorun { continuation.yield(x.value) }
            let anywhere = Self.watch(x, elsewhere)
            onOtherThread {
                x.value = 1
                #expect(elsewhere.value == [0, 1])  // Synchronously, on the writing thread.
            }
            var iterator = runs.makeAsyncIterator()
            #expect(await iterator.next() == 0)
            #expect(await iterator.next() == 1)
            here.cancel()
            anywhere.cancel()
        }

        private nonisolated static func watch(_ x: Observable<Int>, _ seen: Shared<[Int]>) -> Reaction {
            autorun { seen.withLock { $0.append(x.value) } }
        }
    }
}
