// What happened, in order, from whichever thread.

import Foundation

package final class Log: @unchecked Sendable {
    // Sendable because the entries are touched under the lock only.
    private let lock = NSLock()
    private var entries: [String] = []

    package init() {}

    package func callAsFunction(_ entry: String) { lock.withLock { entries.append(entry) } }

    /// The number of entries.
    package var count: Int { lock.withLock { entries.count } }

    /// The entries so far, which are forgotten.
    package func take() -> [String] {
        lock.withLock {
            defer { entries = [] }
            return entries
        }
    }
}
