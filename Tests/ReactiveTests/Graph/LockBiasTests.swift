// A graph that one thread has locked many times in a row is biased towards that thread: it locks the graph without
// atomic operations until a second thread needs it. Each round has a graph of its own, because a graph takes longer to
// get a bias again each time it loses one.

import Dispatch
import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct LockBiasTests {
        /// Two numbers that are always the same, in a value without references, so that it is read without the lock.
        private struct Twins: Equatable {
            var first = 0
            var second = 0

            mutating func grow() {
                first += 1
                second += 1
            }
        }

        /// How often a thread must lock a graph before the graph is biased towards it.
        static let untilRegular = 2_200

        private func pause(_ random: inout SplitMix64) {
            for _ in 0..<Int.random(in: 0..<2_000, using: &random) { _ = random.next() }
        }

        @Test(arguments: seeds(4)) func noWriteIsLostWhenTheBiasChanges(seed: UInt64) {
            for round in 0..<100 {
                let graph = IndependentGraph()
                let twins = graph.run { Observable(Twins()) }
                let rare = 40
                onThreads(3) { thread in
                    var random = SplitMix64(seed: seed &* 1_000 &+ UInt64(round * 3 + thread))
                    switch thread {
                    case 0:
                        for _ in 0..<3 * Self.untilRegular { twins.value.grow() }
                    case 1:
                        for _ in 0..<rare {
                            pause(&random)
                            twins.value.grow()
                        }
                    default:
                        for _ in 0..<rare {
                            pause(&random)
                            let seen = twins.value
                            #expect(seen.first == seen.second)
                        }
                    }
                }
                let expected = 3 * Self.untilRegular + rare
                #expect(twins.value == Twins(first: expected, second: expected))
            }
        }

        // The value is behind a pointer that the first evaluation stores. (Only processors that reorder loads let a
        // reader see the flags before the pointer; Tests/LockModel explores all interleavings.)
        @Test func firstValuesBehindAPointerAreReadCompletely() {
            struct Large: Equatable {
                var numbers = (0, 0, 0, 0)
                static func == (a: Large, b: Large) -> Bool { a.numbers == b.numbers }
            }
            for _ in 0..<300 {
                let x = Observable(1)
                let large = Computed { Large(numbers: (x.value, x.value, x.value, x.value)) }
                onThreads(2) { thread in
                    for value in 2..<20 {
                        if thread == 0 { x.value = value }
                        let seen = large.value.numbers
                        #expect(seen.0 > 0 && seen == (seen.0, seen.0, seen.0, seen.0))
                    }
                }
            }
        }

        @Test func theBiasPassesFromThreadToThread() {
            let graph = IndependentGraph()
            let (count, sum) = graph.run { (Observable(0), Observable(0)) }
            let copy = Shared(0)
            let reaction = graph.run { autorun { copy.withLock { [sum] in $0 = sum.value } } }
            // Each thread ends while the graph is biased towards it.
            for turn in 1...6 {
                onOtherThread {
                    graph.run {
                        for _ in 0..<turn * 2 * Self.untilRegular {
                            inTransaction {
                                count.value += 1
                                sum.value += count.value
                            }
                        }
                    }
                }
                let turns = turn * (turn + 1) * Self.untilRegular
                #expect(count.value == turns)
                #expect(copy.withLock { $0 } == turns * (turns + 1) / 2)
            }
            reaction.cancel()
        }

        @Test func aWaitingThreadGetsAGraphThatIsAlwaysInUse() {
            let graph = IndependentGraph()
            let (writes, isOver) = graph.run { (Observable(0), Observable(false)) }
            let isRegular = DispatchSemaphore(value: 0)
            onThreads(2) { thread in
                if thread == 0 {
                    for _ in 0..<Self.untilRegular { writes.value += 1 }
                    isRegular.signal()
                    while !isOver.value { writes.value += 1 }
                } else {
                    isRegular.wait()
                    isOver.value = true
                }
            }
            #expect(writes.value >= Self.untilRegular)
        }

        @Test func oneThreadHasTheBiasOfManyGraphs() {
            let counts = (0..<4).map { _ in IndependentGraph().run { Observable(0) } }
            for _ in 0..<Self.untilRegular {
                for count in counts { count.value += 1 }
            }
            onThreads(2) { thread in
                for count in counts[(thread * 2)..<(thread * 2 + 2)] {
                    for _ in 0..<2 * Self.untilRegular { count.value += 1 }
                }
            }
            for count in counts {
                count.value += 1
                #expect(count.value == 3 * Self.untilRegular + 1)
            }
        }
    }
}
