// How much random tests try, and how long chains are that must not take a stack frame for each link.

import Foundation

/// The seeds of a random test: `usual` of them, a tenth of that under the thread sanitizer.
///
/// In the environment, `REACTIVE_TEST_SEEDS=10` asks for ten times as many, and `REACTIVE_TEST_SEED=17` for that one alone.
package func seeds(_ usual: Int) -> Range<UInt64> {
    func number(_ name: String) -> UInt64? { ProcessInfo.processInfo.environment[name].flatMap(UInt64.init) }
    if let seed = number("REACTIVE_TEST_SEED") { return seed..<seed + 1 }
    let count = isUnderThreadSanitizer ? max(1, usual / 10) : usual
    return 0..<UInt64(count) * (number("REACTIVE_TEST_SEEDS") ?? 1)
}

/// A depth at which 512 kB do not suffice for a stack frame for each level.
#if DEBUG
package let deep = 20_000
#else
package let deep = isUnderThreadSanitizer ? 20_000 : 100_000
#endif
