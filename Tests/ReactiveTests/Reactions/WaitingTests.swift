// Reactions that wait for their schedule, and tasks that wait for a value: what is asked for, and what is kept.

#if DEBUG
import Foundation
@testable import Reactive
import TestSupport
import Testing

extension ReactiveTests {
    @Suite struct WaitingTests {
        private let clock = ManualClock()
        private let count = Observable(0)
        private let log = Shared<[Int]>([])

        private var pause: Schedule { .debounced(for: .seconds(2), clock: clock) }

        private func note(_ value: Int) { log.withLock { $0.append(value) } }

        /// Lets a second pass, and everything run that is due then.
        private func wait(seconds: Int = 1) async {
            for _ in 0..<seconds {
                await letOthersRun()
                clock.advance(by: .seconds(1))
            }
            await letOthersRun()
        }

        // MARK: - Hosts

        /// Computeds are not evaluated until the host renders.
        @Test func aNotifyOnlyScopeReportsChangesWithEqualResultsOnceItIsStale() {
            let tens = Computed { count.value / 10 }
            var reports = 0
            let scope = ObserverScope(schedule: .notifyOnly { reports += 1 }) { tens.value }
            count.value = 1
            #expect(reports == 0)
            for value in 10...12 { count.value = value }
            #expect(reports == 3 && tens.evaluationCount == 3)
            #expect(scope.output == 1)
            scope.cancel()
        }

        @Test func aNotifyOnlyScopeKeepsItsNewestOutputForItsHost() {
            let tracker = LifetimeTracker()
            let scope = ObserverScope(schedule: .notifyOnly {}) {
                _ = count.value
                return tracker.token()
            } onRender: { _ in
                note(1)
            }
            for value in 1...3 {
                count.value = value
                _ = scope.output
                #expect(tracker.alive == 1)
            }
            #expect(log.value == [])
            scope.cancel()
        }

        // MARK: - Timers

        @Test func changesInTheIntervalOfAThrottleStartOneTimer() async {
            let r = autorun(schedule: .throttled(every: .seconds(2), clock: clock)) { note(count.value) }
            for value in 1...4 { count.value = value }
            await letOthersRun()
            #expect(clock.sleeperCount == 1)
            await wait(seconds: 2)
            #expect(log.value == [0, 1, 4])
            r.cancel()
        }

        @Test func changesInAPauseStartOneTimer() async {
            let r = autorun(schedule: pause) { note(count.value) }
            for value in 1...4 { count.value = value }
            await letOthersRun()
            #expect(clock.sleeperCount == 1)
            r.cancel()
            await letOthersRun()
            #expect(clock.sleeperCount == 0 && log.value == [0])
        }

        /// The scope has rendered ahead of its schedule, and the change after that has an equal result.
        @Test func theChangeAfterAReleaseThatFoundNothingWaitsForTheSchedule() {
            var pending: [@Sendable () -> Void] = []
            let tens = Computed { count.value / 10 }
            let scope = ObserverScope(schedule: .custom { pending.append($0) }) {
                tens.value
            } onRender: {
                note($0)
            }
            count.value = 10
            #expect(scope.output == 1)
            count.value = 11
            pending.removeFirst()()
            #expect(log.value == [0, 1])
            count.value = 20
            #expect(log.value == [0, 1] && pending.count == 1)
            pending.removeFirst()()
            #expect(log.value == [0, 1, 2])
            scope.cancel()
        }

        // MARK: - Debounced

        @Test func anInvalidationOfADebouncedReactionThatReadsNothingIsNotLost() async {
            let r = autorun(schedule: pause) { note(1) }
            r.invalidate()
            await wait(seconds: 2)
            #expect(log.value == [1, 1])
            r.invalidate()
            r.invalidate()
            await wait(seconds: 2)
            #expect(log.value == [1, 1, 1])
            r.cancel()
        }

        @Test func aChangeOfAPartProlongsThePause() async {
            let flags = (0..<2).map { Observable($0) }
            let follower = ToyFollower.start(0..<2, schedule: pause) { flags[$0].value }
            flags[0].value = 5
            await wait()
            flags[1].value = 6
            await wait()
            #expect(follower.delivered == [])
            await wait()
            #expect(follower.delivered == [0, 1])
            follower.cancel()
        }

        @Test func aCurrentComputedBehindTheFirstChangedSourceIsNoChange() async {
            let other = Observable(0)
            let (tens, same) = (Computed { count.value / 10 }, Computed { other.value })
            let r = autorun(schedule: pause) { note(tens.value + same.value) }
            count.value = 10
            await wait()
            count.value = 11
            #expect(GraphHandle.current.brokenInvariants == [])
            await wait()
            #expect(log.value == [0, 1])
            r.cancel()
        }

        @Test func aComputedBehindUnchangedSourcesIsEvaluated() async {
            let other = Observable(0)
            other.value = 1
            let tens = Computed { count.value / 10 }
            let r = autorun(schedule: pause) { note(other.value + tens.value) }
            count.value = 10
            await wait()
            count.value = 11
            await wait()
            #expect(log.value == [1, 2])
            r.cancel()
        }

        @Test func aChangeWithAnEqualResultAfterAnInvalidationDoesNotProlongThePause() async {
            let tens = Computed { count.value / 10 }
            let r = autorun(schedule: pause) { note(tens.value) }
            r.invalidate()
            await wait()
            count.value = 1
            await wait()
            #expect(log.value == [0, 0])
            r.cancel()
        }

        @Test(arguments: [false, true])
        func computedsOfActorsElsewhereInTheGraphDoNotMatter(_ isBehindView: Bool) async {
            let view = ToyView(ToyList([1])) { _, value in value * count.value }
            let tens = Computed { (isBehindView ? view.sum : count.value) / 10 }
            let r = startedAnywhere(tens)
            let end = await confinedReader()
            count.value = 10
            await wait()
            count.value = 11
            await wait()
            #expect(log.value == [0, 1])
            await end()
            r.cancel()
        }

        private nonisolated func startedAnywhere(_ tens: Computed<Int>) -> Reaction {
            let log = log
            return autorun(schedule: pause, isolation: nil) { log.withLock { $0.append(tens.value) } }
        }

        @MainActor private func confinedReader() -> @MainActor () -> Void {
            let graph = GraphHandle(of: count)
            return graph.run {
                let other = Observable(1)
                let confined = Computed { 2 * other.value }
                let reader = autorun { _ = confined.value }
                return { reader.cancel() }
            }
        }

        @Test func aReactionThatTheComparisonCancelsAsksForNothing() async {
            let own = Shared<Reaction?>(nil)
            let tens = Computed {
                if count.value == 20 { own.value?.cancel() }
                return count.value / 10
            }
            own.value = autorun(schedule: pause) { note(tens.value) }
            count.value = 10
            await wait()
            count.value = 20
            await letOthersRun()
            #expect(clock.sleeperCount == 0 && own.value?.isStale == false)
            await wait(seconds: 3)
            #expect(log.value == [0])
        }

        /// The pause ends while the reaction is in the queue of a thread whose effect blocks.
        @Test func aRunThatIsReleasedWhileTheReactionIsQueuedNeedsNoSecondPause() async {
            let trigger = Observable(0)
            let (entered, mayEnd) = (Shared(false), DispatchSemaphore(value: 0))
            let count = count
            let tens = Computed { count.value / 10 }
            let blocking = reaction({ trigger.value }) { _ in
                count.value = 11
                entered.value = true
                mayEnd.wait()
            }
            let r = autorun(schedule: pause) { note(tens.value) }
            count.value = 10
            await letOthersRun()
            let end = inBackground { trigger.value = 1 }
            await eventually { entered.value }
            await wait(seconds: 2)
            mayEnd.signal()
            end()
            await letOthersRun()
            #expect(log.value == [0, 1])
            blocking.cancel()
            r.cancel()
        }

        // MARK: - Tasks

        @Test func tasksThatWaitForTheNextValueAllGetIt() async {
            let count = count
            let sequence = values(of: { count.value })
            let seen = Shared<[Int]>([])
            let tasks = (0..<3).map { _ in
                Task {
                    for await value in sequence {
                        seen.withLock { $0.append(value) }
                        if value == 7 { break }
                    }
                }
            }
            await eventually { seen.value.count == 3 }
            await letOthersRun()
            count.value = 7
            await letOthersRun()
            #expect(seen.value.sorted() == [0, 0, 0, 7, 7, 7])
            tasks.forEach { $0.cancel() }
        }

        /// On one actor, so that the task continues only after the cancellation.
        @MainActor @Test(.inDefaultGraph) func aTaskMayBeCancelledWhenItsSequenceHasEnded() async {
            let count = Observable(1)
            let sequence = values(of: { count.value })
            let seen = Shared<[Int]>([])
            let task = Task { @MainActor in for await value in sequence { seen.withLock { $0.append(value) } } }
            while seen.value.isEmpty { await Task.yield() }
            sequence.subscription.cancel()
            task.cancel()
            await task.value
            #expect(seen.value == [1])
        }

        @MainActor @Test(.inDefaultGraph) func aTaskMayBeCancelledWhenItsConditionHasBecomeTrue() async throws {
            let isReady = Observable(false)
            let task = Task { @MainActor in try await when(named: "waiting test") { isReady.value } }
            while !Diagnostics.liveReactions.contains(where: { $0.name == "waiting test" }) { await Task.yield() }
            isReady.value = true
            task.cancel()
            try await task.value
        }

        @Test func aWhenThatHasFiredIsFreed() {
            weak var freed: Reaction?
            do {
                let reaction = when({ count.value == 1 }) { note(1) }
                freed = reaction
                count.value = 1
            }
            #expect(freed == nil && log.value == [1])
        }
    }
}
#endif
