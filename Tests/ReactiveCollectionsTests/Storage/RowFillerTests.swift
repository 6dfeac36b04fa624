import TestSupport
import Testing

@testable import ReactiveCollections

@Suite struct RowFillerTests {
    @Test(arguments: seeds(8)) func holdsTheValuesOfItsRows(seed: UInt64) {
        follow(seed: seed, vacant: false) { $0 % 3 == 0 }
        follow(seed: seed, vacant: -1) { $0 }
        follow(seed: seed, vacant: "none") { "element \($0)" }
        follow(seed: seed, vacant: [Int]?.none) { [$0, $0, $0] }
    }

    private func follow<Element: Equatable>(seed: UInt64, vacant: Element, _ element: (Int) -> Element) {
        var random = SplitMix64(seed: seed)
        for count in [0, 1, 7, 64, 700, 3_000] {
            var rows = Array(0..<count)
            if random.oneIn(2) { rows.removeAll { _ in random.oneIn(3) } }
            if random.oneIn(2) { rows.shuffle(using: &random) }
            var expected = [Element](repeating: vacant, count: (rows.max() ?? -1) + 1)
            var filler = RowFiller(vacant: vacant)
            var differences = 0
            for (index, row) in rows.enumerated() {
                expected[row] = element(row)
                filler.set(element(row), at: UInt32(row))
                let earlier = rows[random.below(index + 1)]
                if filler.pointer(to: UInt32(earlier)).pointee != expected[earlier] { differences += 1 }
            }
            var array = filler.finish()
            // The result can be changed and appended to.
            array.append(vacant)
            expected.append(vacant)
            array[0] = element(5)
            expected[0] = element(5)
            var elements: [Element] = []
            array.withContiguousChunks { elements += $0 }
            #expect(elements == expected && differences == 0)
        }
    }

    @Test func appendsCopies() {
        for (start, count) in [(0, 0), (0, 5), (3, 64), (64, 128), (100, 1_000)] {
            var array = Chunked((0..<start).map { "\($0)" })
            let more = (start..<start + count).map { "\($0)" }
            more.withUnsafeBufferPointer { array.append(copying: $0) }
            array.append("end")
            var elements: [String] = []
            array.withContiguousChunks { elements += $0 }
            #expect(elements == (0..<start + count).map { "\($0)" } + ["end"])
        }
    }
}
