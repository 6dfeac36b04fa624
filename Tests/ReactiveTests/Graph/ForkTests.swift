// Forks a process while other threads use graphs. The child has one thread and finds each graph between two operations.

#if os(Linux) || os(macOS)
import Foundation
import Reactive
import TestSupport
import Testing

extension ReactiveTests {
    /// The thread sanitizer does not support a child of a process with threads.
    @Suite(.alone, .inDefaultGraph, .enabled(if: !isUnderThreadSanitizer)) struct ForkTests {
        /// State that other threads change all the time: the two numbers are equal outside transactions.
        private final class World: Sendable {
            let graph: IndependentGraph?
            let first: Observable<Int>
            let second: Observable<Int>
            let isOver = Shared(false)

            init(_ graph: IndependentGraph? = nil) {
                self.graph = graph
                (first, second) = graph?.run { (Observable(0), Observable(0)) } ?? (Observable(0), Observable(0))
            }

            private func inGraph<R>(_ body: () -> R) -> R { graph?.run(body) ?? body() }

            func change() {
                inGraph {
                    inTransaction {
                        first.value += 1
                        second.value += 1
                    }
                }
            }

            /// The body of a child: reads, writes and reacts. Returns 0 if everything works.
            func use() -> Int32 {
                inGraph {
                    let sum = Computed { [first, second] in first.value + second.value }
                    var seen = 0
                    let reaction = autorun { seen = sum.value }
                    defer { reaction.cancel() }
                    for _ in 0..<10 { change() }
                    let isWhole = inTransaction { first.value == second.value }
                    return isWhole && seen == sum.value ? 0 : 1
                }
            }
        }

        @Test func aChildFindsTheGraphsUsableThatOtherThreadsUse() {
            let worlds = [World(), World(IndependentGraph())]
            let results = worlds.map { $0.use() }
            #expect(results == [0, 0])
            let ends = worlds.map { world in
                inBackground { while !world.isOver.value { world.change() } }
            }
            for _ in 0..<20 {
                let result = inForkedChild { worlds[0].use() + 10 * worlds[1].use() }
                #expect(result == 0)
            }
            for world in worlds { world.isOver.value = true }
            ends.forEach { $0() }
        }

        @Test func aTransactionContinuesInBothProcessesAfterAFork() {
            let world = World()
            #expect(world.use() == 0)
            let end = inBackground { while !world.isOver.value { world.change() } }
            for _ in 0..<10 {
                let result: Int32 = inTransaction {
                    world.first.value += 1
                    defer { world.second.value += 1 }
                    return inForkedChild {
                        world.second.value += 1
                        return world.first.value == world.second.value ? 0 : 1
                    }
                }
                #expect(result == 0)
            }
            world.isOver.value = true
            end()
        }

        @Test func aForkInAnEffectFindsTheGraphUsable() {
            let world = World()
            var results: [Int32] = []
            let reaction = reaction {
                world.first.value
            } onChange: { _ in
                // Reactions to an effect's writes run when the effect ends.
                results.append(
                    inForkedChild {
                        world.change()
                        return inTransaction { world.first.value == world.second.value } ? 0 : 1
                    })
            }
            world.change()
            reaction.cancel()
            #expect(results == [0])
        }

        /// Waiting for the second graph could last forever, so the child gives up.
        @Test func aGraphThatTheChildCannotLockIsReported() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let (isHeld, isForked) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                let number = Observable(0)
                let end = inBackground {
                    inTransaction {
                        isHeld.signal()
                        isForked.wait()
                    }
                }
                isHeld.wait()
                let child = IndependentGraph().run { inTransaction { forkProcess() } }
                if child == 0 {
                    number.value += 1
                    return
                }
                isForked.signal()
                end()
                number.value += 1
                precondition(TestSupport.result(ofChild: child) == 128 + SIGABRT)
            }
            expectMessage(
                result, "was forked inside a transaction of one graph while another thread had a second graph locked")
        }
    }
}
#endif
