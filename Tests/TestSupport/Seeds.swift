// The number of random tests, and the length of chains whose links must not each take a stack frame.

import Foundation

/// The seeds of a random test: `usual` of them, a tenth of that under the thread sanitizer.
///
/// In the environment, `REACTIVE_TEST_SEEDS=10` requests ten times as many, `REACTIVE_TEST_SEEDS=0.5` half of them, and
/// `REACTIVE_TEST_SEED=17` only this one.
package func seeds(_ usual: Int) -> Range<UInt64> {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["REACTIVE_TEST_SEED"].flatMap(UInt64.init) { return seed..<seed + 1 }
    let count = isUnderThreadSanitizer ? max(1, usual / 10) : usual
    let factor = environment["REACTIVE_TEST_SEEDS"].flatMap(Double.init) ?? 1
    return 0..<UInt64(max(1, (Double(count) * factor).rounded()))
}

/// A depth at which 512 kB are not sufficient for a stack frame for each level. Frames are larger under a sanitizer.
#if DEBUG
package let deep = isUnderSanitizer ? 5_000 : 20_000
#else
package let deep = isUnderSanitizer ? 5_000 : 100_000
#endif
