// Events in their order, from any thread.

import Foundation

package final class Log: @unchecked Sendable {
    // Sendable because the entries are touched under the lock only.
    private let lock = NSLock()
    private var entries: [String] = []

    package init() {}

    package func callAsFunction(_ entry: String) { lock.withLock { entries.append(entry) } }

    /// The number of entries.
    package var count: Int { lock.withLock { entries.count } }

    /// Returns the entries so far, and removes them.
    package func take() -> [String] {
        lock.withLock {
            defer { entries = [] }
            return entries
        }
    }
}
