// A tally without a lock, for tests of the order that the library gives to closures.

/// The number of values that were recorded, the first and the last one, and whether each was greater than the one before.
///
/// Nothing protects the accesses, so two closures that call `record` at the same time race. This module is compiled
/// under a sanitizer together with the library, unlike the tests: the thread sanitizer reports such a race.
package final class UnguardedTally: @unchecked Sendable {
    // Sendable because each test that shares a tally says who orders the accesses.
    package private(set) var count = 0
    package private(set) var first = 0
    package private(set) var last = 0
    package private(set) var isIncreasing = true

    package init() {}

    // Not inlined, because the accesses would then be part of the test.
    @inline(never) package func record(_ value: Int) {
        if count == 0 {
            first = value
        } else if value <= last {
            isIncreasing = false
        }
        last = value
        count += 1
    }
}
