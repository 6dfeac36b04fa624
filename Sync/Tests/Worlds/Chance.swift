// The source of random numbers of a world: an object, because decisions are made inside of others.

#if DEBUG
import SyncTestSupport

/// Random numbers that a seed determines.
final class Chance: RandomNumberGenerator {
    private var generator: SplitMix64

    init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    func next() -> UInt64 { generator.next() }

    func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    func oneIn(_ count: Int) -> Bool { below(count) == 0 }
}
#endif
