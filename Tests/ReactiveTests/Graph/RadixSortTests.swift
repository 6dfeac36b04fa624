// Sorting by a number, against the sort of the standard library.

#if DEBUG
@testable import Reactive
import Testing
import TestSupport

extension ReactiveTests {
    @Suite struct RadixSortTests {
        private func sorted(_ numbers: [UInt64]) -> [UInt64] {
            var sorted = numbers
            sorted.withUnsafeMutableBufferPointer { $0.sort(byNumber: { $0 }) }
            return sorted
        }

        /// Few elements and many, in small ranges and large ones, at both ends of what a number can be.
        @Test func numbersAreSorted() {
            for seed in seeds(100) {
                var random = SplitMix64(seed: seed)
                let count = random.below(random.oneIn(2) ? 40 : 400)
                let range = UInt64(1) << random.below(64)
                let lowest = random.pick([0, .max - range, random.next() % (.max - range)])
                let numbers = (0..<count).map { _ in lowest + random.next() % range }
                #expect(sorted(numbers) == numbers.sorted(), "seed \(seed)")
            }
        }

        @Test(arguments: [0, 1, 2, 31, 32, 33, 34, 255, 256, 257]) func countsNearALimitAreSorted(count: Int) {
            let numbers = (0..<UInt64(count)).map { $0 &* 0x9E37_79B9_7F4A_7C15 }
            #expect(sorted(numbers) == numbers.sorted())
            #expect(sorted(numbers.sorted()) == numbers.sorted())
        }
    }
}
#endif
