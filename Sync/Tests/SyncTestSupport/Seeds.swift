// Repeatable random numbers.

import Foundation

/// A generator of random numbers that a seed determines (Steele, Lea and Flood: Fast splittable pseudorandom number
/// generators, 2014).
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// The seeds of random tests.
package enum Seeds {
    /// The number of groups into which tests are divided, which run in parallel.
    package static let groups = 4

    /// The factor for the number of seeds: `REACTIVE_TEST_SEEDS` in the environment.
    private static var factor: Double {
        ProcessInfo.processInfo.environment["REACTIVE_TEST_SEEDS"].flatMap(Double.init) ?? 1
    }

    /// Returns the seeds of a group, of `count` seeds altogether. `REACTIVE_TEST_SEED` in the environment selects one.
    package static func seeds(of group: Int, count: Int) -> [UInt64] {
        if let seed = ProcessInfo.processInfo.environment["REACTIVE_TEST_SEED"].flatMap(UInt64.init) {
            return group == 0 ? [seed] : []
        }
        let count = max(groups, Int(Double(count) * factor))
        return (0..<count).filter { $0 % groups == group }.map(UInt64.init)
    }
}
