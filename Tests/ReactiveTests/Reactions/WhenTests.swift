// `when`: waits for a condition and fires once, with an effect or as an asynchronous function.

import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct WhenTests {
        // MARK: - With an effect

        @Test func firesOnceWhenTheConditionBecomesTrue() {
            let x = Observable(0)
            var log: [Int] = []
            let r = when {
                x.value > 1
            } effect: {
                log.append(x.value)
            }
            x.value = 1
            #expect(log == [])
            x.value = 2
            #expect(log == [2])
            x.value = 0
            x.value = 3
            #expect(log == [2])
            #expect(r.isCancelled)
        }

        @Test func firesImmediatelyIfTheConditionIsTrueAlready() {
            var fired = 0
            let r = when {
                true
            } effect: {
                fired += 1
            }
            #expect(fired == 1)
            #expect(r.isCancelled)
        }

        @Test func anEffectThatTogglesTheConditionFiresOnce() {
            let x = Observable(0)
            var fired = 0
            when {
                x.value % 2 == 1
            } effect: {
                fired += 1
                x.value += 1
                x.value += 1
            }
            x.value = 1
            #expect(fired == 1)
        }

        @Test func aCancelledWhenDoesNotFire() {
            let x = Observable(false)
            var fired = 0
            let r = when {
                x.value
            } effect: {
                fired += 1
            }
            r.cancel()
            x.value = true
            #expect(fired == 0)
        }

        @Test func itsEffectIsUntrackedAndBatched() {
            let x = Observable(false), y = Observable(0), z = Observable(0)
            var log: [String] = []
            let observer = autorun { log.append("\(y.value) \(z.value)") }
            when {
                x.value
            } effect: {
                y.value += 1
                z.value += 1
            }
            x.value = true
            #expect(log == ["0 0", "1 1"])
            observer.cancel()
        }

        @Test func onlyTheConditionAtTheEndOfATransactionCounts() {
            let x = Observable(false)
            var fired = 0
            let r = when {
                x.value
            } effect: {
                fired += 1
            }
            inTransaction {
                x.value = true
                x.value = false
            }
            #expect(fired == 0)
            inTransaction {
                x.value = true
                #expect(fired == 0)
            }
            #expect(fired == 1)
            #expect(r.isCancelled)
        }

        @Test func aWhenCreatedInATransactionWaitsForItsEnd() {
            let x = Observable(false)
            var fired = 0
            inTransaction {
                x.value = true
                when {
                    x.value
                } effect: {
                    fired += 1
                }
                #expect(fired == 0)
            }
            #expect(fired == 1)
        }

        @Test func aConditionThatHeldOnlyInsideATransactionDoesNotFire() {
            let x = Observable(false)
            var fired = 0
            let r = inTransaction {
                x.value = true
                let r = when {
                    x.value
                } effect: {
                    fired += 1
                }
                x.value = false
                return r
            }
            #expect(fired == 0)
            x.value = true
            #expect(fired == 1)
            #expect(r.isCancelled)
        }

        @Test func aConditionThatWasRolledBackDoesNotFire() {
            let x = Observable(false)
            var fired = 0
            var r: Reaction?
            try? inTransaction {
                x.value = true
                r = when {
                    x.value
                } effect: {
                    fired += 1
                }
                throw CancellationError()
            }
            #expect(fired == 0)
            #expect(r?.isCancelled == false)
            r?.cancel()
        }

        // MARK: - Suspending

        @Test func returnsImmediatelyIfTheConditionIsTrueAlready() async throws {
            try await when { true }
            try await when(timeout: .zero, clock: ManualClock()) { true }
        }

        /// A test that advances a clock would otherwise take this sleep for that of a different task.
        @Test func aConditionThatHoldsAlreadyStartsNoSleep() async throws {
            struct CountingClock: Clock {
                let sleeps = Shared(0)
                var now: ContinuousClock.Instant { .now }
                var minimumResolution: Duration { .zero }
                func sleep(until deadline: Instant, tolerance: Duration?) async throws {
                    sleeps.withLock { $0 += 1 }
                }
            }
            let clock = CountingClock()
            for _ in 0..<20 { try await when(timeout: .seconds(5), clock: clock) { true } }
            await letOthersRun()
            #expect(clock.sleeps.value == 0)
        }

        @Test(.inDefaultGraph) func resumesWhenTheConditionBecomesTrue() async throws {
            let x = Observable(0)
            let waiting = Task {
                try await when(named: "suspended") { x.value == 2 }
                return x.value
            }
            await eventually { Diagnostics.liveReactions.contains { $0.name == "suspended" } }
            x.value = 1
            x.value = 2
            #expect(try await waiting.value == 2)
            #expect(!Diagnostics.liveReactions.contains { $0.name == "suspended" })
        }

        @Test func throwsItsOwnErrorWhenTheTimeIsUp() async throws {
            let clock = ManualClock()
            let waiting = Task { try await when(timeout: .seconds(5), clock: clock, named: "never") { false } }
            await clock.hasSleepers(1)
            clock.advance(by: .seconds(5))
            let error = await #expect(throws: WhenTimeoutError.self) { try await waiting.value }
            #expect(error?.name == "never")
            #expect(error.map { "\($0)" }?.contains("never") == true)
            #expect(!Diagnostics.liveReactions.contains { $0.name == "never" })
        }

        @Test func theTimeoutOfAnUnnamedWhenNamesFileAndLine() async throws {
            let clock = ManualClock()
            let line = #line + 1
            let waiting = Task { try await when(timeout: .seconds(5), clock: clock) { false } }
            await clock.hasSleepers(1)
            clock.advance(by: .seconds(6))
            let error = await #expect(throws: WhenTimeoutError.self) { try await waiting.value }
            #expect(error?.name == "WhenTests.swift:\(line)")
        }

        @Test(.inDefaultGraph) func aConditionInTimeEndsTheTimer() async throws {
            let clock = ManualClock()
            let x = Observable(false)
            let waiting = Task { try await when(timeout: .seconds(5), clock: clock) { x.value } }
            await clock.hasSleepers(1)
            clock.advance(by: .seconds(4))
            x.value = true
            try await waiting.value
            await clock.hasSleepers(0)
        }

        @Test(.inDefaultGraph) func throwsCancellationErrorWhenItsTaskIsCancelled() async {
            let clock = ManualClock()
            let waiting = Task { try await when(timeout: .seconds(5), clock: clock, named: "cancelled") { false } }
            await clock.hasSleepers(1)
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            await clock.hasSleepers(0)
            #expect(!Diagnostics.liveReactions.contains { $0.name == "cancelled" })
        }

        @Test func throwsWithoutEvaluatingTheConditionInACancelledTask() async {
            let asked = Shared(0)
            let waiting = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await when {
                    asked.withLock { $0 += 1 }
                    return true
                }
            }
            await #expect(throws: CancellationError.self) { try await waiting.value }
            #expect(asked.value == 0)
        }
    }
}
