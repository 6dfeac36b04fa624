// A thread runs the reactions that its own writes made due, and no others.

import Foundation
import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct DueWorkTests {
        /// A worker that is inside the effect of `first`, with `second` due after it.
        ///
        ///     x ──▶ first          effect waits for `mayContinue`
        ///     x ──▶ d ──▶ second   e ──▶ second
        private final class Worker: Sendable {
            let x = Observable(0, named: "x")
            let y = Observable([0], named: "y")
            let ran = Shared<[(value: Int, thread: ObjectIdentifier)]>([])
            let thread = Shared<ObjectIdentifier?>(nil)
            private let mustWait = Shared(false)
            private let isInEffect = DispatchSemaphore(value: 0)
            private let mayContinue = DispatchSemaphore(value: 0)
            private let reactions = Shared<[Reaction]>([])

            init() {
                let (x, y, ran, mustWait, isInEffect, mayContinue) = (x, y, ran, mustWait, isInEffect, mayContinue)
                let first = reaction(named: "first") {
                    x.value
                } onChange: { _ in
                    guard
                        mustWait.withLock({ mustWait in
                            defer { mustWait = false }
                            return mustWait
                        })
                    else { return }
                    isInEffect.signal()
                    mayContinue.wait()
                }
                let sum = Computed { x.value + y.value.reduce(0, +) }
                let second = reaction(named: "second") {
                    sum.value
                } onChange: { value in
                    ran.withLock { $0.append((value, currentThread)) }
                }
                reactions.value = [first, second]
            }

            /// Runs `body` while the worker waits in its effect, and returns the values that `second` has seen until
            /// then.
            func pausing(_ body: () -> Void) -> [(value: Int, thread: ObjectIdentifier)] {
                let join = inBackground { [self] in
                    thread.value = currentThread
                    mustWait.value = true
                    x.value += 1
                }
                isInEffect.wait()
                body()
                let before = ran.value
                mayContinue.signal()
                join()
                return before
            }

            /// Makes `second` run again although nothing has changed.
            func invalidateSecond() { reactions.value[1].invalidate() }

            func end() { reactions.value.forEach { $0.cancel() } }
        }

        @Test func otherUsesOfTheGraphRunNoReactionsOfOtherThreads() {
            let worker = Worker()
            let list = Observable([1, 2])
            let unobserved = Observable("a")
            let observed = Observable(0)
            let other = autorun { _ = observed.value }
            let before = worker.pausing {
                _ = list.value.count
                _ = other.runCount
                _ = Diagnostics.liveReactions
                _ = Diagnostics.graph()
                _ = other.lastCause
                autorun { _ = list.value }.cancel()
                reaction(fireImmediately: true) {
                    list.value
                } onChange: { _ in
                }.cancel()
                unobserved.value = "b"
                observed.value += 1
                list.value.append(3)
                inTransaction { observed.value += 1 }
                _ = Computed { worker.x.value }.value
                ObserverScope { worker.x.value }.invalidate()
                onOtherThread { unobserved.value = "c" }
            }
            #expect(before.isEmpty)
            #expect(worker.ran.value.map(\.value) == [1])
            #expect(worker.ran.value.first?.thread == worker.thread.value)
            other.cancel()
            worker.end()
        }

        @Test func aThreadThatWritesASourceOfAWaitingReactionTakesItOver() {
            let worker = Worker()
            let before = worker.pausing { worker.y.value = [10] }
            #expect(before.map(\.value) == [11])
            #expect(before.first?.thread == currentThread)
            #expect(worker.ran.value.count == 1)
            worker.end()
        }

        @Test func aThreadThatInvalidatesAWaitingReactionTakesItOver() {
            let worker = Worker()
            let before = worker.pausing { worker.invalidateSecond() }
            #expect(before.map(\.value) == [1])
            #expect(before.first?.thread == currentThread)
            #expect(worker.ran.value.count == 1)
            worker.end()
        }

        @Test func aReactionThatWasTakenOverCanBecomeDueAgainForItsFirstThread() {
            let worker = Worker()
            let again = reaction {
                worker.x.value
            } onChange: { _ in
                worker.x.value = 50
            }
            let before = worker.pausing {
                worker.y.value = [10]
                worker.y.value = [20]
            }
            #expect(before.map(\.value) == [11, 21])
            #expect(worker.ran.value.map(\.value).last == 70)
            #expect(worker.ran.value.last?.thread == worker.thread.value)
            again.cancel()
            worker.end()
        }

        @Test func rolledBackOrRestoredValuesTakeNoReactionOver() {
            struct Refused: Error {}
            let worker = Worker()
            let observed = Observable(0)
            let inner = autorun {
                guard observed.value > 0 else { return }
                let y = worker.y.value
                worker.y.value = [7]
                worker.y.value = y
            }
            let before = worker.pausing {
                try? inTransaction {
                    worker.y.value = [10]
                    worker.x.value += 1
                    throw Refused()
                }
                inTransaction {
                    worker.x.value += 1
                    worker.x.value -= 1
                }
            }
            #expect(before.isEmpty)
            #expect(worker.ran.value.map(\.value) == [1])
            #expect(worker.ran.value.first?.thread == worker.thread.value)
            inner.cancel()
            worker.end()
        }

        @Test func aWaitingReactionCanBeCancelledByAnotherThread() {
            let tracker = LifetimeTracker()
            let worker = Worker()
            let reactions = Shared<[Reaction]>([])
            for _ in 0..<3 {
                let token = tracker.token()
                let y = worker.y
                let x = worker.x
                reactions.withLock {
                    $0.append(
                        autorun {
                            _ = x.value + y.value.count
                            withExtendedLifetime(token) {}
                        })
                }
            }
            _ = worker.pausing {
                reactions.value[0].cancel()
                worker.y.value = [1]
                reactions.value[1].cancel()
                worker.y.value = [2]
            }
            reactions.value[2].cancel()
            reactions.value = []
            #expect(tracker.alive == 0)
            worker.end()
        }

        @Test func deferredCleanupsBelongToTheThreadOfTheirRun() {
            let worker = Worker()
            let cleanedUpOn = Shared<ObjectIdentifier?>(nil)
            let victim = autorun {
                onCleanup { cleanedUpOn.value = currentThread }
            }
            let killer = autorun { if worker.x.value > 0 { victim.cancel() } }
            // `killer` runs after `first`, and so does its deferred clean-up.
            _ = worker.pausing { _ = worker.y.value.count }
            #expect(cleanedUpOn.value == worker.thread.value)
            killer.cancel()
            worker.end()
        }

        /// The queue that a different thread has emptied still contains the addresses of its reactions.
        @Test func aReactionThatAnotherThreadRanAndFreedIsNotDue() {
            let x = Observable(0)
            let y = Observable(0)
            let isInEffect = DispatchSemaphore(value: 0)
            let mayContinue = DispatchSemaphore(value: 0)
            let cleanups = Shared(0)
            let runs = Shared(0)
            let victim = autorun { onCleanup { cleanups.withLock { $0 += 1 } } }
            let first = reaction {
                x.value
            } onChange: { _ in
                isInEffect.signal()
                mayContinue.wait()
                inTransaction { victim.cancel() }
            }
            let second = autorun {
                _ = x.value
                runs.withLock { $0 += 1 }
            }
            let join = inBackground { x.value = 1 }
            isInEffect.wait()
            let others = (0..<3).map { _ in
                autorun {
                    _ = y.value
                    runs.withLock { $0 += 100 }
                }
            }
            y.value = 1
            others.forEach { $0.cancel() }
            mayContinue.signal()
            join()
            #expect(runs.value == 602)
            #expect(cleanups.value == 1)
            first.cancel()
            second.cancel()
        }

        @Test func aSuspendedReactionResumesForAnotherThreadsChange() {
            let x = Observable(0)
            let other = Observable(0)
            let isBlocked = DispatchSemaphore(value: 0)
            let mayContinue = DispatchSemaphore(value: 0)
            let last = Shared((x: 0, other: 0))
            let loops = Shared(true)
            let caught = issues {
                let loop = autorun(named: "loop") {
                    last.value = (x.value, other.value)
                    if x.value > 0, loops.value { x.value += 1 }
                }
                let late = reaction {
                    x.value > 0
                } onChange: { _ in
                    isBlocked.signal()
                    mayContinue.wait()
                }
                let join = inBackground { x.value = 1 }
                isBlocked.wait()
                loops.value = false
                other.value = 1
                #expect(last.value.other == 1)
                mayContinue.signal()
                join()
                loop.cancel()
                late.cancel()
            }
            #expect(caught.map(\.kind) == [.loop])
        }

        @Test func twoReactionsThatSyncToAQueueWhichUsesTheGraph() {
            let queue = DispatchQueue(label: "ui")
            let x = Observable(0)
            let unrelated = Observable(0)
            let list = Observable([1])
            let observer = autorun { _ = unrelated.value }
            let synced = Shared(0)
            let reactions = (0..<2).map { _ in
                reaction {
                    x.value
                } onChange: { _ in
                    queue.sync { synced.withLock { $0 += 1 } }
                }
            }
            let isOver = Shared(false)
            let join = inBackground {
                for round in 1...500 { x.value = round }
                isOver.value = true
            }
            while !isOver.value {
                queue.sync {
                    for _ in 0..<50 {
                        unrelated.value += 1
                        _ = list.value.count
                        _ = observer.runCount
                    }
                }
            }
            join()
            #expect(synced.value == 1000)
            reactions.forEach { $0.cancel() }
            observer.cancel()
        }

        /// Threads write sources of their own. Reactions read those of one thread or of two, directly, through
        /// computeds, and from other reactions' effects.
        @Test(arguments: 1...6) func effectsRunOnThreadsThatWroteTheirSources(seed: UInt64) {
            let threads = 3
            let sources = (0..<threads).map { thread in (0..<3).map { Observable(0, named: "\(thread).\($0)") } }
            let sums = sources.map { own in Computed { own.reduce(0) { $0 + $1.value } } }
            let ids = Shared<[ObjectIdentifier: Int]>([:])
            let strangers = Shared<[String]>([])
            let values = Shared<[String: Int]>([:])
            var reactions: [Reaction] = []
            for first in 0..<threads {
                for second in 0..<threads {
                    let isDirect = (first + second) % 2 == 0
                    let track: @Sendable () -> Int = {
                        isDirect
                            ? sources[first][0].value + sources[second][1].value
                            : sums[first].value + sums[second].value
                    }
                    reactions.append(
                        reaction(named: "\(first)+\(second)", track) { value in
                            let thread = ids.withLock { $0[currentThread] }
                            if thread != first, thread != second {
                                strangers.withLock { $0.append("\(first)+\(second) on \(thread ?? -1)") }
                            }
                            values.withLock { $0["\(first)+\(second)"] = value }
                            // Other threads run in between.
                            sched_yield()
                        })
                }
            }
            let list = Observable([0])
            onThreads(threads + 1) { thread in
                var random = SplitMix64(seed: seed * 100 + UInt64(thread))
                ids.withLock { $0[currentThread] = thread }
                for round in 1...300 {
                    guard thread < threads else {
                        _ = list.value.count
                        _ = Diagnostics.liveReactions.count
                        autorun { _ = sums[0].value }.cancel()
                        list.value = [round]
                        continue
                    }
                    switch random.next() % 4 {
                    case 0: inTransaction { for source in sources[thread] { source.value = round } }
                    case 1:
                        try? inTransaction {
                            sources[(thread + 1) % threads][0].value += 1000
                            throw CancellationError()
                        }
                    default: sources[thread][Int(random.next() % 3)].value = round
                    }
                }
            }
            #expect(strangers.value.isEmpty, "seed \(seed)")
            for first in 0..<threads {
                for second in 0..<threads {
                    let expected =
                        (first + second) % 2 == 0
                        ? sources[first][0].value + sources[second][1].value : sums[first].value + sums[second].value
                    #expect(values.value["\(first)+\(second)"] == expected, "seed \(seed)")
                }
            }
            reactions.forEach { $0.cancel() }
        }
    }
}
