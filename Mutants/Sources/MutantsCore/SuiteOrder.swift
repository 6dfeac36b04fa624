// The order in which suites try a mutant.

import Foundation

/// In which order to run suites: first those that found mutants of the same file, then the fast ones.
final class SuiteOrder: @unchecked Sendable {
    // Sendable because everything is accessed under the lock.
    private let lock = NSLock()
    private let all: [TestSuite]
    private var finds: [String: [String: Double]] = [:]

    init(_ suites: [TestSuite]) { all = suites.sorted { $0.seconds < $1.seconds } }

    func suites(reaching number: Int, in file: String) -> [TestSuite] {
        let finds: [String: Double] = lock.withLock { self.finds[file] ?? [:] }
        var reaching = all.filter { $0.reached.contains(number) }
        // Sorting keeps the order of equal elements.
        reaching.sort { (finds[$0.filter] ?? 0) > (finds[$1.filter] ?? 0) }
        return reaching
    }

    /// One of these suites found a mutant.
    func note(_ suites: [String], found file: String) {
        lock.withLock {
            for suite in suites { finds[file, default: [:]][suite, default: 0] += 1 / Double(suites.count) }
        }
    }
}
