// Objects that are released once the thread has released its graph, and no later.

import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct DeferredReleaseTests {
        private let tracker = LifetimeTracker()

        private func cancellable() -> AnyCancellable {
            let token = tracker.token()
            return AnyCancellable { [token] in _ = token }
        }

        @Test func cancellingFreesWhatTheActionHasCaptured() {
            let cancellable = cancellable()
            #expect(tracker.alive == 1)
            cancellable.cancel()
            #expect(tracker.alive == 0)
        }

        /// A deinitialiser may run any code, and so must not run while the graph is locked.
        @Test func cancellingInATransactionFreesItWhenTheTransactionEnds() {
            let cancellable = cancellable()
            inTransaction {
                cancellable.cancel()
                #expect(tracker.alive == 1)
            }
            #expect(tracker.alive == 0)
        }
    }
}
