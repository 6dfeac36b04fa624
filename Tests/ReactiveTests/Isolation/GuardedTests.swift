// `Guarded`, the small locks: no value is destroyed while one is held, so a deinitialiser may use the lock again.

import Foundation
@testable import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct GuardedTests {
        let tracker = LifetimeTracker()

        @Test func threadsTakeTurns() {
            let count = Guarded(0)
            onThreads(4) { _ in for _ in 0..<5_000 { count.withLock { $0 += 1 } } }
            #expect(count.withLock { $0 } == 20_000)
        }

        @Test func replacedValuesAreReleasedOutsideTheLock() {
            let guarded = Guarded<[LifetimeTracker.Token]>([])
            let counts = Shared<[Int]>([])
            func token() -> LifetimeTracker.Token {
                tracker.token {
                    let count = guarded.withLock { $0.count }
                    counts.withLock { $0.append(count) }
                }
            }
            func put(_ tokens: [LifetimeTracker.Token]) { guarded.withLock { $0 = tokens } }
            put([token(), token()])
            guarded.withLock { _ = $0.removeLast() }
            put([])
            #expect(tracker.alive == 0)
            #expect(counts.value == [1, 0])
        }

        @Test(.alone) func aReleasedIssueHandlerMayReadOnIssue() {
            let before = Diagnostics.onIssue
            defer { Diagnostics.onIssue = before }
            let found = Shared<[Bool]>([])
            func handler() -> @Sendable (Diagnostics.Issue) -> Void {
                let token = tracker.token { found.withLock { $0.append(Diagnostics.onIssue != nil) } }
                return { _ in _ = token }
            }
            Diagnostics.onIssue = handler()
            Diagnostics.onIssue = handler()
            Diagnostics.onIssue = nil
            #expect(tracker.alive == 0)
            #expect(found.value == [true, false])
        }

        @Test func aValueOfAStreamMaySendAnotherWhenItIsReleased() async {
            let channel = LatestValue<LifetimeTracker.Token>()
            channel.send(tracker.token { [tracker] in channel.send(tracker.token()) })
            channel.send(tracker.token())
            #expect(tracker.alive == 1)
            #expect(await channel.next(after: 0, isolation: nil)?.0.number == 3)
        }

        @Test func theActionOfACancellableMayCancelItWhenItIsReleased() {
            let box = Shared<AnyCancellable?>(nil)
            let token = tracker.token { box.value?.cancel() }
            box.value = AnyCancellable { withExtendedLifetime(token) {} }
            box.value?.cancel()
            box.value = nil
        }

        /// A clock that stands still, whose instants own something.
        private struct OwningClock: Clock {
            struct Instant: InstantProtocol {
                let token: LifetimeTracker.Token
                func advanced(by duration: Duration) -> Instant { self }
                func duration(to other: Instant) -> Duration { .zero }
                static func < (a: Instant, b: Instant) -> Bool { false }
                static func == (a: Instant, b: Instant) -> Bool { true }
                func hash(into hasher: inout Hasher) {}
            }

            let makeToken: @Sendable () -> LifetimeTracker.Token
            var now: Instant { Instant(token: makeToken()) }
            var minimumResolution: Duration { .zero }
            func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
        }

        @Test func theInstantOfAScheduleMayCancelTheReactionWhenItIsReleased() {
            let x = Observable(0)
            let reaction = Shared<Reaction?>(nil)
            let clock = OwningClock { [tracker] in tracker.token { reaction.value?.cancel() } }
            reaction.value = autorun(schedule: .throttled(every: .seconds(1), clock: clock), isolation: nil) {
                _ = x.value
            }
            for value in 1...3 { x.value = value }
            #expect(reaction.value?.isCancelled == true)
            reaction.value = nil
        }

        // MARK: - The graph's lock

        @Test func aResultThatIsReplacedAgainInATransactionIsReleasedOutsideTheLock() {
            let heldGraph = Shared<[Bool]>([])
            let x = Observable(0)
            let computed = Computed { [tracker] in
                _ = x.value
                return tracker.token { heldGraph.withLock { $0.append(GraphHandle.held != nil) } }
            }
            _ = computed.value
            inTransaction {
                for number in 1...2 {
                    x.value = number
                    _ = computed.value
                }
            }
            #expect(heldGraph.value == [false, false])
        }

        @Test func anErrorThatIsReplacedBeforeItIsHandledIsReleasedOutsideTheLock() {
            final class Failure: Error, Sendable {
                let token: LifetimeTracker.Token
                init(_ token: LifetimeTracker.Token) { self.token = token }
            }
            let x = Observable(0)
            let heldGraph = Shared<[Bool]>([])
            let owner = inTransaction {
                let owner = autorun(onError: { _ in }) { [tracker] in
                    _ = x.value
                    throw Failure(tracker.token { heldGraph.withLock { $0.append(GraphHandle.held != nil) } })
                }
                owner.catchUpAfter { x.value = 1 }
                return owner
            }
            #expect(heldGraph.value.count == 2)
            #expect(!heldGraph.value.contains(true))
            owner.cancel()
        }

        @Test func aWaitOfAScheduleIsCancelledOutsideTheLock() async {
            let held = Shared<[Bool]>([])
            let clock = WatchedClock(onCancel: { held.withLock { $0.append(GraphHandle.held != nil) } })
            let x = Observable(0)
            let reaction = autorun(schedule: .debounced(for: .seconds(1), clock: clock), isolation: nil) { _ = x.value }
            x.value = 1
            await clock.isAsleep()
            inTransaction { reaction.cancel() }
            #expect(held.value == [false])
        }

        /// A clock whose sleepers sleep until they are cancelled.
        private final class WatchedClock: Clock, Sendable {
            typealias Instant = ContinuousClock.Instant
            let onCancel: @Sendable () -> Void
            private let sleepers = AsyncStream<Void>.makeStream()

            init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

            var now: Instant { ContinuousClock.now }
            var minimumResolution: Duration { .zero }

            func isAsleep() async {
                for await _ in sleepers.stream { return }
            }

            func sleep(until deadline: Instant, tolerance: Duration?) async throws {
                let (stream, continuation) = AsyncStream<Void>.makeStream()
                await withTaskCancellationHandler {
                    sleepers.continuation.yield()
                    for await _ in stream {}
                } onCancel: {
                    onCancel()
                    continuation.finish()
                }
                throw CancellationError()
            }
        }
    }
}

extension Reaction {
    /// Runs the tracked part once more within one transaction.
    fileprivate func catchUpAfter(_ change: () -> Void) {
        change()
        catchUp()
    }
}
