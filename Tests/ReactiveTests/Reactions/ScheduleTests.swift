// `schedule:`: when due reactions run. Time advances only when the test advances it.

import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct ScheduleTests {
        let clock = ManualClock()
        let x = Observable(0)
        let log = Shared<[Int]>([])

        /// Waits until the log has `count` entries.
        private func logged(_ count: Int) async {
            await eventually { log.value.count >= count }
        }

        private func note(_ value: Int) { log.withLock { $0.append(value) } }

        @Test func immediateIsTheDefault() {
            let r = autorun(schedule: .immediate) { note(x.value) }
            x.value = 1
            #expect(log.value == [0, 1])
            r.cancel()
        }

        // MARK: - Throttled

        @Test func throttledRunsTheFirstChangeImmediatelyAndThenOncePerInterval() async {
            let r = autorun(schedule: .throttled(every: .seconds(10), clock: clock)) { note(x.value) }
            #expect(log.value == [0])
            x.value = 1
            #expect(log.value == [0, 1])
            x.value = 2
            x.value = 3
            await clock.hasSleepers(1)
            clock.advance(by: .seconds(9))
            #expect(log.value == [0, 1])
            x.value = 4
            clock.advance(by: .seconds(1))
            await logged(3)
            #expect(log.value == [0, 1, 4])
            x.value = 5
            #expect(log.value == [0, 1, 4])
            await clock.hasSleepers(1)
            clock.advance(by: .seconds(10))
            await logged(4)
            #expect(log.value == [0, 1, 4, 5])
            clock.advance(by: .seconds(10))
            x.value = 6
            #expect(log.value == [0, 1, 4, 5, 6])
            r.cancel()
        }

        @Test func throttledSleepsOnlyWhileAChangeWaits() async {
            let r = autorun(schedule: .throttled(every: .seconds(10), clock: clock)) { note(x.value) }
            x.value = 1
            await letOthersRun()
            #expect(clock.sleeperCount == 0)
            x.value = 2
            await clock.hasSleepers(1)
            clock.advance(by: .seconds(10))
            await logged(3)
            await letOthersRun()
            #expect(clock.sleeperCount == 0)
            r.cancel()
        }

        @Test func throttledChangesWithoutNetEffectDoNotRun() async {
            let r = autorun(schedule: .throttled(every: .seconds(10), clock: clock)) { note(x.value) }
            x.value = 1
            inTransaction {
                x.value = 2
                x.value = 1
            }
            #expect(log.value == [0, 1])
            r.cancel()
        }

        @Test func aCancelledThrottleEndsItsTimer() async {
            let r = autorun(schedule: .throttled(every: .seconds(10), clock: clock)) { note(x.value) }
            x.value = 1
            x.value = 2
            await clock.hasSleepers(1)
            r.cancel()
            await clock.hasSleepers(0)
            #expect(log.value == [0, 1])
        }

        // MARK: - Debounced

        @Test func debouncedRunsOnceNothingHasChangedForTheTime() async {
            let r = autorun(schedule: .debounced(for: .seconds(10), clock: clock)) { note(x.value) }
            #expect(log.value == [0])
            x.value = 1
            await clock.hasSleepers(1)
            clock.advance(by: .seconds(6))
            x.value = 2
            clock.advance(by: .seconds(6))
            // The first quiet interval is over, but a change interrupted it: the timer sleeps again.
            await clock.hasSleepers(1)
            #expect(log.value == [0])
            clock.advance(by: .seconds(4))
            await logged(2)
            #expect(log.value == [0, 2])
            x.value = 3
            await clock.hasSleepers(1)
            clock.advance(by: .seconds(10))
            await logged(3)
            #expect(log.value == [0, 2, 3])
            r.cancel()
        }

        @Test func aCancelledDebounceEndsItsTimer() async {
            let r = autorun(schedule: .debounced(for: .seconds(10), clock: clock)) { note(x.value) }
            x.value = 1
            await clock.hasSleepers(1)
            r.cancel()
            await clock.hasSleepers(0)
            #expect(log.value == [0])
        }

        @Test func debouncedReactionsCompareWithTheLastReportedValue() async {
            let r = reaction(schedule: .debounced(for: .seconds(10), clock: clock)) {
                x.value
            } onChange: {
                note($0)
            }
            x.value = 1
            await clock.hasSleepers(1)
            x.value = 0
            x.value = 2
            clock.advance(by: .seconds(10))
            await logged(1)
            #expect(log.value == [2])
            r.cancel()
        }

        // MARK: - Custom

        @Test func aCustomSchedulerDecidesWhenToRun() {
            var pending: [@Sendable () -> Void] = []
            let r = autorun(schedule: .custom { pending.append($0) }) { note(x.value) }
            #expect(pending.isEmpty)
            x.value = 1
            x.value = 2
            #expect(log.value == [0])
            #expect(pending.count == 1)
            pending.removeFirst()()
            #expect(log.value == [0, 2])
            x.value = 3
            #expect(pending.count == 1)
            pending.removeFirst()()
            #expect(log.value == [0, 2, 3])
            r.cancel()
        }

        @Test func aCustomSchedulerMayRunImmediately() {
            let r = autorun(schedule: .custom { run in run() }) { note(x.value) }
            x.value = 1
            x.value = 2
            #expect(log.value == [0, 1, 2])
            r.cancel()
        }

        @Test func runningTwiceOrAfterTheEndDoesNothing() {
            var pending: [@Sendable () -> Void] = []
            let r = autorun(schedule: .custom { pending.append($0) }) { note(x.value) }
            x.value = 1
            pending[0]()
            pending[0]()
            #expect(log.value == [0, 1])
            x.value = 2
            pending[0]()
            #expect(log.value == [0, 1])
            r.cancel()
            pending[1]()
            #expect(log.value == [0, 1])
        }

        @Test func aValueRestoredBeforeTheRunDoesNotHideTheNextChange() {
            var pending: [@Sendable () -> Void] = []
            let r = reaction(schedule: .custom { pending.append($0) }) {
                x.value
            } onChange: {
                note($0)
            }
            x.value = 1
            x.value = 0
            pending.removeFirst()()
            #expect(log.value == [])
            x.value = 2
            pending.removeFirst()()
            #expect(log.value == [2])
            r.cancel()
        }

        @Test func theCauseOfAScheduledRunNamesAllWritesSinceTheLast() {
            var pending: [@Sendable () -> Void] = []
            let a = Observable(0, named: "a"), b = Observable(0, named: "b")
            let r = autorun(schedule: .custom { pending.append($0) }) { _ = a.value + b.value }
            a.value = 1
            b.value = 1
            pending.removeFirst()()
            #expect(r.lastCause?.writes == ["a", "b"])
            r.cancel()
        }

        @Test func aScopesOutputIsNotStaleWhileItsRenderIsPending() {
            var pending: [@Sendable () -> Void] = []
            let scope = ObserverScope(schedule: .custom { pending.append($0) }) {
                x.value
            } onRender: {
                note($0)
            }
            x.value = 1
            #expect(log.value == [0])
            #expect(scope.output == 1)
            #expect(scope.renderCount == 2)
            pending.removeFirst()()
            #expect(log.value == [0, 1])
            #expect(scope.renderCount == 2)
            x.value = 2
            pending.removeFirst()()
            #expect(log.value == [0, 1, 2])
            scope.cancel()
        }

        @Test func writesThatAreRolledBackScheduleNothing() {
            var pending: [@Sendable () -> Void] = []
            let x = Observable(0)
            var log: [Int] = []
            let r = autorun(schedule: .custom { pending.append($0) }) { log.append(x.value) }
            try? inTransaction {
                x.value = 1; throw CancellationError()
            }
            #expect(pending.isEmpty)
            pending.forEach { $0() }
            #expect(log == [0])
            x.value = 2
            #expect(pending.count == 1)
            pending.last?()
            #expect(log == [0, 2])
            r.cancel()
        }

        @Test func aRunThatChangesItsInputIsScheduledAgain() {
            var pending: [@Sendable () -> Void] = []
            let x = Observable(0)
            var log: [Int] = []
            let r = autorun(schedule: .custom { pending.append($0) }) {
                log.append(x.value); if x.value % 3 != 0 { x.value += 1 }
            }
            x.value = 1
            while !pending.isEmpty { pending.removeFirst()() }
            #expect(log == [0, 1, 2, 3])
            r.cancel()
        }

        @Test func aRunReleasedInATransactionWaitsForItsEnd() {
            var pending: [@Sendable () -> Void] = []
            let x = Observable(0)
            var log: [Int] = []
            let r = autorun(schedule: .custom { pending.append($0) }) { log.append(x.value) }
            x.value = 1
            inTransaction {
                pending.removeFirst()(); #expect(log == [0]); x.value = 2
            }
            #expect(log == [0, 2])
            #expect(pending.isEmpty)
            x.value = 3
            #expect(pending.count == 1)
            r.cancel()
        }

        @Test func aReleaseWithoutAChangeDoesNotCountForTheNextChange() {
            var pending: [@Sendable () -> Void] = []
            let x = Observable(0)
            let tens = Computed { x.value / 10 }
            var log: [Int] = []
            let r = autorun(schedule: .custom { pending.append($0) }) { log.append(tens.value) }
            x.value = 10
            x.value = 0
            pending.removeFirst()()
            let afterRelease = log.count
            x.value = 20
            #expect(log.count == afterRelease)
            #expect(pending.count == 1)
            r.cancel()
        }

        @Test func aScopeThatWasReadAndChangedAgainRendersTheNewestOnRelease() {
            var pending: [@Sendable () -> Void] = []
            let x = Observable(0)
            var log: [Int] = []
            let scope = ObserverScope(schedule: .custom { pending.append($0) }) {
                x.value
            } onRender: {
                log.append($0)
            }
            x.value = 1
            _ = scope.output
            x.value = 2
            pending.removeFirst()()
            #expect(log == [0, 2])
            x.value = 3
            #expect(log == [0, 2])
            #expect(pending.count == 1)
            scope.cancel()
        }
    }
}
