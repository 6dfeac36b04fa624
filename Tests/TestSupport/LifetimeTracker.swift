// Counts how many of the objects it made are alive, to catch leaks and objects released too late or twice.

import Foundation

package final class LifetimeTracker: @unchecked Sendable {
    // Sendable because the counts are touched under the lock only.
    private let lock = NSLock()
    private var counts = (created: 0, freed: 0)

    package init() {}

    /// An object of the tracker's.
    package final class Token: @unchecked Sendable {
        // Sendable because it never changes after its initialiser; `onDeinit` is the test's own affair.
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
