// Counts how many of its objects are alive, to catch leaks and objects released too late or twice.

import Foundation

package final class LifetimeTracker: @unchecked Sendable {
    // Sendable because the counts are accessed only under the lock.
    private let lock = NSLock()
    private var counts = (created: 0, freed: 0)

    package init() {}

    /// An object that the tracker counts.
    package final class Token: @unchecked Sendable {
        // Sendable because it never changes after its initialiser; the test is responsible for `onDeinit`.
        package let number: Int
        private let tracker: LifetimeTracker
        private let onDeinit: (() -> Void)?

        fileprivate init(_ number: Int, _ tracker: LifetimeTracker, _ onDeinit: (() -> Void)?) {
            self.number = number
            self.tracker = tracker
            self.onDeinit = onDeinit
        }

        deinit {
            tracker.lock.withLock { tracker.counts.freed += 1 }
            onDeinit?()
        }
    }

    /// A new object; `onDeinit` runs when it is freed.
    package func token(onDeinit: (() -> Void)? = nil) -> Token {
        let number = lock.withLock {
            counts.created += 1
            return counts.created
        }
        return Token(number, self, onDeinit)
    }

    package var created: Int { lock.withLock { counts.created } }
    package var freed: Int { lock.withLock { counts.freed } }
    package var alive: Int { lock.withLock { counts.created - counts.freed } }
}
