// Reactions while several threads write: no change is missed, no effects overlap, and no value is older than the one
// before.

import Foundation
import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct ConcurrentReactionTests {
        static let threads = 4

        // x1 … x4 ──▶ sum ──▶ autorun
        @Test func anAutorunEndsUpWithTheLatestValues() {
            for _ in 0..<20 {
                let cells = (1...Self.threads).map { Observable(0, named: "x\($0)") }
                let sum = Computed { cells.reduce(0) { $0 + $1.value } }
                let seen = Shared<[Int]>([])
                let reaction = autorun { seen.withLock { $0.append(sum.value) } }
                onThreads(Self.threads) { thread in
                    for round in 1...200 { cells[thread].value = round }
                }
                #expect(seen.value.last == Self.threads * 200)
                #expect(seen.value == seen.value.sorted())
                reaction.cancel()
            }
        }

        @Test func closuresOfAGraphNeedNoLockForWhatTheyShare() {
            let x = Observable(0)
            // The graph orders all accesses: each tally belongs to one closure.
            let (transactions, evaluations) = (UnguardedTally(), UnguardedTally())
            let (runs, effects) = (UnguardedTally(), UnguardedTally())
            let next = Computed {
                evaluations.record(x.value)
                return x.value + 1
            }
            let reactions = [
                autorun { runs.record(next.value) },
                reaction {
                    next.value
                } onChange: {
                    effects.record($0)
                },
            ]
            onThreads(Self.threads) { _ in
                for _ in 0..<200 {
                    inTransaction {
                        x.value += 1
                        transactions.record(x.value)
                    }
                }
            }
            reactions.forEach { $0.cancel() }
            let last = Self.threads * 200
            #expect(transactions.count == last && transactions.last == last && transactions.isIncreasing)
            #expect(evaluations.count >= runs.count && evaluations.last == last && evaluations.isIncreasing)
            #expect(runs.first == 1 && runs.last == last + 1 && runs.isIncreasing)
            #expect(effects.last == last + 1 && effects.isIncreasing)
        }

        /// Without this, the test above would prove little under the thread sanitizer.
        @Test(.enabled(if: isUnderThreadSanitizer)) func theSanitizerReportsATallyThatNothingOrders() async {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let tally = UnguardedTally()
                let (isFirstHere, isSecondHere) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                onThreads(2) { thread in
                    // What orders the starts of both threads is over when either of them records.
                    (thread == 0 ? isFirstHere : isSecondHere).signal()
                    (thread == 0 ? isSecondHere : isFirstHere).wait()
                    for value in 1...100 { tally.record(value) }
                }
            }
            let report = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(report.contains("data race") && report.contains("UnguardedTally"))
        }

        @Test func noChangeIsMissedBetweenReadAndSubscription() {
            for round in 1...300 {
                let x = Observable(0)
                let last = Shared(-1)
                let reactions = Shared<[Reaction]>([])
                onThreads(2) { thread in
                    if thread == 0 {
                        x.value = round
                    } else {
                        let reaction = autorun { last.value = x.value }
                        reactions.withLock { $0.append(reaction) }
                    }
                }
                #expect(last.value == round)
                reactions.value.forEach { $0.cancel() }
            }
        }

        @Test func noChangeIsMissedBetweenTheFirstValueAndTheFirstEffect() {
            for round in 1...300 {
                let x = Observable(0)
                let last = Shared(-1)
                let reactions = Shared<[Reaction]>([])
                onThreads(2) { thread in
                    if thread == 0 {
                        x.value = round
                    } else {
                        let reaction = reaction(fireImmediately: true) {
                            x.value
                        } onChange: {
                            last.value = $0
                        }
                        reactions.withLock { $0.append(reaction) }
                    }
                }
                #expect(last.value == round)
                reactions.value.forEach { $0.cancel() }
            }
        }

        @Test func effectsOfOneReactionNeverOverlapAndNeverGoBackInTime() {
            let x = Observable(0)
            let running = Shared(0)
            let overlapped = Shared(false)
            let seen = Shared<[Int]>([])
            let reaction = reaction {
                x.value
            } onChange: { value in
                let others = running.withLock { count in
                    defer { count += 1 }
                    return count
                }
                if others != 0 { overlapped.value = true }
                seen.withLock { $0.append(value) }
                running.withLock { $0 -= 1 }
            }
            onThreads(Self.threads) { _ in
                for _ in 0..<1_000 { inTransaction { x.value += 1 } }
            }
            #expect(!overlapped.value)
            #expect(seen.value == seen.value.sorted())
            #expect(Set(seen.value).count == seen.value.count)
            #expect(seen.value.last == Self.threads * 1_000)
            reaction.cancel()
        }

        @Test func changesDuringAnEffectCoalesceToTheLatest() {
            let x = Observable(0)
            let isInEffect = DispatchSemaphore(value: 0)
            let mayEnd = DispatchSemaphore(value: 0)
            let seen = Shared<[Int]>([])
            let reaction = reaction {
                x.value
            } onChange: { value in
                seen.withLock { $0.append(value) }
                if value == 1 {
                    isInEffect.signal()
                    mayEnd.wait()
                }
            }
            let join = inBackground { x.value = 1 }
            isInEffect.wait()
            for value in 2...50 { x.value = value }
            mayEnd.signal()
            join()
            #expect(seen.value == [1, 50])
            reaction.cancel()
        }

        // A run that another thread's write causes does not count as a turn of a loop.
        @Test func manyChangesByOthersDuringEffectsAreNotALoop() {
            let x = Observable(0)
            let seen = Shared<[Int]>([])
            let isInEffect = DispatchSemaphore(value: 0)
            let mayContinue = DispatchSemaphore(value: 0)
            let reaction = reaction(named: "slow") {
                x.value
            } onChange: { value in
                seen.withLock { $0.append(value) }
                isInEffect.signal()
                mayContinue.wait()
            }
            let join = inBackground { x.value = 1 }
            for value in 2...500 {
                isInEffect.wait()
                x.value = value
                mayContinue.signal()
            }
            isInEffect.wait()
            mayContinue.signal()
            join()
            #expect(seen.value == Array(1...500))
            reaction.cancel()
        }

        @Test func manyChangesByAnotherEffectAreNotALoop() {
            let x = Observable(0)
            let start = Observable(0)
            let seen = Shared<[Int]>([])
            let isInEffect = DispatchSemaphore(value: 0)
            let mayContinue = DispatchSemaphore(value: 0)
            let slow = reaction(named: "slow") {
                x.value
            } onChange: { value in
                seen.withLock { $0.append(value) }
                isInEffect.signal()
                mayContinue.wait()
            }
            let writer = reaction(named: "writer") {
                start.value
            } onChange: { _ in
                for value in 2...500 {
                    isInEffect.wait()
                    x.value = value
                    mayContinue.signal()
                }
            }
            let join = inBackground { x.value = 1 }
            start.value = 1
            isInEffect.wait()
            mayContinue.signal()
            join()
            #expect(seen.value == Array(1...500))
            slow.cancel()
            writer.cancel()
        }

        @Test func readsByOtherThreadsDuringARunAreNotDependencies() {
            let x = Observable(0)
            let y = Observable(0)
            let runs = Shared(0)
            let isRunning = DispatchSemaphore(value: 0)
            let hasRead = DispatchSemaphore(value: 0)
            let join = inBackground {
                isRunning.wait()
                // A read of plain bits waits for the run, although no thread writes them: the graph is locked.
                hasRead.signal()
                _ = y.value
            }
            let reaction = autorun {
                runs.withLock { $0 += 1 }
                _ = x.value
                if runs.value == 1 {
                    isRunning.signal()
                    hasRead.wait()
                }
            }
            join()
            y.value = 1
            #expect(runs.value == 1)
            x.value = 1
            #expect(runs.value == 2)
            reaction.cancel()
        }

        @Test func anUncontendedWriteRunsEverythingOnTheWritingThread() {
            let x = Observable(0)
            let double = Computed { x.value * 2 }
            let log = Shared<[String]>([])
            let ran = Shared<[ObjectIdentifier]>([])
            let reactions = [
                autorun {
                    log.withLock { $0.append("autorun \(double.value)") }
                    ran.withLock { $0.append(currentThread) }
                },
                reaction {
                    double.value
                } onChange: { value in
                    log.withLock { $0.append("effect \(value)") }
                    ran.withLock { $0.append(currentThread) }
                },
            ]
            log.value = []
            ran.value = []
            onOtherThread {
                let me = currentThread
                x.value = 1
                #expect(log.value == ["autorun 2", "effect 2"])
                inTransaction {
                    x.value = 2
                    x.value = 3
                }
                #expect(log.value == ["autorun 2", "effect 2", "autorun 6", "effect 6"])
                #expect(ran.value.allSatisfy { $0 == me })
            }
            reactions.forEach { $0.cancel() }
        }

        @Test func cancellingFromAnotherThreadDoesNotWaitForTheEffect() {
            let x = Observable(0)
            let isInEffect = DispatchSemaphore(value: 0)
            let mayContinue = DispatchSemaphore(value: 0)
            let log = Shared<[String]>([])
            let reaction = reaction {
                x.value
            } onChange: { value in
                onCleanup { log.withLock { $0.append("cleanup \(value)") } }
                isInEffect.signal()
                mayContinue.wait()
                log.withLock { $0.append("effect \(value)") }
            }
            let join = inBackground { x.value = 1 }
            isInEffect.wait()
            reaction.cancel()
            #expect(reaction.isCancelled)
            x.value = 2
            #expect(log.value == [])
            mayContinue.signal()
            join()
            #expect(log.value == ["effect 1", "cleanup 1"])
        }

        @Test func noRenderBeginsWhileACleanupOfTheRenderBeforeRuns() {
            let x = Observable(0)
            let isInCleanup = DispatchSemaphore(value: 0)
            let mayContinue = DispatchSemaphore(value: 0)
            let log = Shared<[String]>([])
            let scopes = Shared<[ObserverScope<Int>]>([])
            // The older reaction reads the scope before the scope's own render.
            let older = reaction {
                x.value
            } onChange: { _ in
                _ = scopes.value.first?.output
            }
            let scope = ObserverScope {
                let value = x.value
                log.withLock { $0.append("render \(value)") }
                if value == 0 {
                    onCleanup {
                        isInCleanup.signal()
                        mayContinue.wait()
                        log.withLock { $0.append("cleanup 0") }
                    }
                }
                return value
            }
            scopes.value = [scope]
            let join = inBackground { x.value = 1 }
            isInCleanup.wait()
            x.value = 2
            #expect(log.value == ["render 0"])
            mayContinue.signal()
            join()
            #expect(log.value == ["render 0", "cleanup 0", "render 2"])
            #expect(scope.output == 2)
            scope.cancel()
            scopes.value = []
            older.cancel()
        }

        @Test func reactionsAreCreatedAndCancelledFromSeveralThreads() {
            let x = Observable(0)
            let name = "made by threads"
            onThreads(Self.threads) { thread in
                var bag: Set<AnyCancellable> = []
                for round in 0..<300 {
                    let seen = Shared(-1)
                    let own = autorun(named: name) { seen.value = x.value }
                    own.store(in: &bag)
                    reaction(named: name) {
                        x.value
                    } onChange: { _ in
                        onCleanup { seen.value = -2 }
                    }.store(in: &bag)
                    if thread == 0 { x.value += 1 }
                    if round % 10 == 9 { bag.removeAll() }
                }
            }
            #expect(!Diagnostics.liveReactions.contains { $0.name == name })
        }
    }
}
