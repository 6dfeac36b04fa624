// Places where the contract promises that no library lock is held: another thread can write, and the closure can wait
// for it.

import Foundation
import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct LockReleasedTests {
        /// Writes on another thread and waits for it: a deadlock if this thread holds the lock.
        static func writeElsewhere(_ y: Observable<Int>) {
            onOtherThread { inTransaction { y.value += 1 } }
        }

        let x = Observable(0)
        let y = Observable(0)

        @Test func inTheEffectOfAReaction() {
            let y = y
            let reaction = reaction {
                x.value
            } onChange: { _ in
                Self.writeElsewhere(y)
            }
            x.value = 1
            #expect(y.value == 1)
            reaction.cancel()
        }

        @Test func inTheFirstEffectOfAReaction() {
            let y = y
            let reaction = reaction(fireImmediately: true) {
                x.value
            } onChange: { _ in
                Self.writeElsewhere(y)
            }
            #expect(y.value == 1)
            reaction.cancel()
        }

        @Test func inOnRender() {
            let y = y
            let scope = ObserverScope {
                x.value
            } onRender: { _ in
                Self.writeElsewhere(y)
            }
            x.value = 1
            #expect(y.value == 2)
            scope.cancel()
        }

        @Test func inTheEffectOfWhen() {
            let y = y
            when {
                x.value == 1
            } _: {
                Self.writeElsewhere(y)
            }
            x.value = 1
            #expect(y.value == 1)
        }

        @Test func inACleanupBeforeTheNextRun() {
            let y = y
            let reaction = autorun {
                _ = x.value
                onCleanup { Self.writeElsewhere(y) }
            }
            x.value = 1
            #expect(y.value == 1)
            reaction.cancel()
        }

        @Test func inACleanupOnCancel() {
            let y = y
            let reaction = autorun { onCleanup { Self.writeElsewhere(y) } }
            reaction.cancel()
            #expect(y.value == 1)
        }

        @Test func inACleanupOnCancelInsideATransaction() {
            let y = y
            let reaction = autorun { onCleanup { Self.writeElsewhere(y) } }
            inTransaction {
                reaction.cancel()
                #expect(y.value == 0)
            }
            #expect(y.value == 1)
        }

        @Test func inACleanupOnCancelInsideAnEffect() {
            let y = y
            let inner = autorun { onCleanup { Self.writeElsewhere(y) } }
            let outer = reaction {
                x.value
            } onChange: { _ in
                inner.cancel()
            }
            x.value = 1
            #expect(y.value == 1)
            outer.cancel()
        }

        @Test func inACleanupOfAScopeThatIsReadBeforeItsNextRenderIsDue() {
            let y = y
            let scope = ObserverScope(schedule: .custom { _ in }) {
                onCleanup { Self.writeElsewhere(y) }
                return x.value
            }
            x.value = 1
            #expect(scope.output == 1)
            #expect(y.value == 1)
            scope.cancel()
        }

        @Test func inAnErrorHandler() {
            struct Failure: Error {}
            let y = y
            let reaction = autorun(onError: { _ in Self.writeElsewhere(y) }) {
                if x.value == 1 { throw Failure() }
            }
            x.value = 1
            #expect(y.value == 1)
            reaction.cancel()
        }

        @Test(.alone) func inAnIssueHandler() {
            let y = y
            let before = Diagnostics.onIssue
            Diagnostics.onIssue = { _ in Self.writeElsewhere(y) }
            defer { Diagnostics.onIssue = before }
            inTransaction { onCleanup {} }
            #expect(y.value == 1)
        }

        @Test func inACustomScheduler() {
            let y = y
            let reaction = autorun(
                schedule: .custom { run in
                    Self.writeElsewhere(y)
                    run()
                }
            ) { _ = x.value }
            x.value = 1
            #expect(y.value == 1)
            #expect(reaction.runCount == 2)
            reaction.cancel()
        }

        @Test func inTheDeinitialiserOfAReplacedValue() {
            let y = y
            let tracker = LifetimeTracker()
            let object = Observable(tracker.token { Self.writeElsewhere(y) })
            let reaction = autorun { _ = object.value }
            object.value = tracker.token { Self.writeElsewhere(y) }
            #expect(y.value == 1)
            inTransaction {
                object.value = tracker.token()
                object.value = tracker.token()
            }
            #expect(y.value == 2)
            reaction.cancel()
        }

        @Test func inTheDeinitialiserOfAComputedsOldResult() {
            let (x, y) = (x, y)
            let tracker = LifetimeTracker()
            let made = Computed {
                _ = x.value
                return tracker.token { Self.writeElsewhere(y) }
            }
            let reaction = autorun { _ = made.value }
            x.value = 1
            #expect(y.value == 1)
            inTransaction {
                x.value = 2
                _ = made.value
            }
            #expect(y.value == 2)
            reaction.cancel()
        }

        @Test func inTheDeinitialiserOfAReactionsOldValue() {
            let (x, y) = (x, y)
            let tracker = LifetimeTracker()
            let reaction = reaction {
                _ = x.value
                return tracker.token { Self.writeElsewhere(y) }
            } onChange: { _ in
            }
            x.value = 1
            x.value = 2
            #expect(y.value == 2)
            reaction.cancel()
        }

        @Test func inTheDeinitialiserOfARenderedOutput() {
            let (x, y) = (x, y)
            let tracker = LifetimeTracker()
            let scope = ObserverScope {
                _ = x.value
                return tracker.token { Self.writeElsewhere(y) }
            }
            x.value = 1
            #expect(y.value == 1)
            scope.cancel()
        }

        @Test func inTheDeinitialiserOfARolledBackValue() {
            struct Failure: Error {}
            let y = y
            let tracker = LifetimeTracker()
            let object = Observable(tracker.token())
            try? inTransaction {
                object.value = tracker.token { Self.writeElsewhere(y) }
                throw Failure()
            }
            #expect(y.value == 1)
        }

        @Test func inTheDeinitialiserOfAnObjectThatACancelledReactionHeld() {
            let (x, y) = (x, y)
            let tracker = LifetimeTracker()
            func start() -> Reaction {
                let token = tracker.token { Self.writeElsewhere(y) }
                return autorun { _ = (x.value, token.number) }
            }
            inTransaction {
                start().cancel()
                #expect(y.value == 0)
            }
            #expect(y.value == 1)
        }
    }
}
