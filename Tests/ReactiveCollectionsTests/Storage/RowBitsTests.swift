// Free row numbers, and the search for the next row across gaps.

import TestSupport
import Testing

@testable import ReactiveCollections

extension ReactiveCollectionsTests {
    @Suite struct RowBitsTests {
        @Test func theLastFreeNumberIsReused() {
            var numbers = RowNumbers()
            #expect((0..<4).map { _ in numbers.take() } == [0, 1, 2, 3])
            numbers.release(1)
            numbers.release(2)
            #expect((0..<3).map { _ in numbers.take() } == [2, 1, 4])
        }

        @Test func theNextRowIsFoundAcrossGaps() {
            var bits = RowBits()
            // A group has 4096 rows.
            for row: Row in [0, 4_032, 12_293, 30_000] { bits.insert(row) }
            #expect(bits.first(from: 0) == 0 && bits.first(from: 1) == 4_032)
            #expect(bits.first(from: 4_033) == 12_293 && bits.first(from: 12_294) == 30_000)
            #expect(bits.first(from: 30_001) == nil && bits.first(from: 50_000) == nil)
            bits.remove(30_000)
            #expect(bits.first(from: 12_294) == nil)
            bits.remove(12_293)
            #expect(bits.first(from: 4_033) == nil)
            var short = RowBits()
            short.insert(4_032)
            #expect(short.first(from: 4_033) == nil)
        }

        @Test(arguments: seeds(4)) func theNextRowIsThatOfASortedSet(seed: UInt64) {
            var random = SplitMix64(seed: seed)
            var bits = RowBits()
            var rows: Set<Int> = []
            var differences = 0
            for _ in 0..<300 {
                let row = random.below(random.oneIn(2) ? 200 : 40_000)
                if let removed = rows.remove(row) {
                    bits.remove(Row(removed))
                } else {
                    rows.insert(row)
                    bits.insert(Row(row))
                }
                let start = random.below(45_000)
                if bits.first(from: start) != rows.filter({ $0 >= start }).min() { differences += 1 }
                if bits.contains(Row(start)) != rows.contains(start) { differences += 1 }
            }
            #expect(differences == 0)
        }
    }
}
