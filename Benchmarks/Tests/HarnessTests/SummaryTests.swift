// Summaries of samples.

import Testing

@testable import Harness

struct SummaryTests {
    @Test func aSummaryHasTheLeastAndTheMedian() {
        #expect(Summary([5, 1, 9, 3, 7]) == Summary(minimum: 1, median: 5))
        #expect(Summary([4]) == Summary(minimum: 4, median: 4))
    }

    @Test func ratiosCompareMinimaWithMinimaAndMediansWithMedians() {
        let ratio = Summary(minimum: 3, median: 8).ratio(to: Summary(minimum: 2, median: 4))
        #expect(ratio == Summary(minimum: 1.5, median: 2))
    }

    @Test func theGeometricMeanOfAThirdAndThreeIsOne() {
        #expect(abs(geometricMean([1.0 / 3, 3]) - 1) < 1e-12)
    }

    @Test func sidesAreSampledInTurn() throws {
        var log = ""
        func side(_ name: String) -> Side {
            Side(
                name: name,
                rows: [
                    Row(name: "row", unit: .bytes) {
                        {
                            log += name
                            return Double(log.count)
                        }
                    }
                ])
        }
        let row = Row(name: "row", unit: .bytes) { { 0 } }
        let comparison = try Comparison(of: row, on: [side("a"), side("b")], samples: 3)
        #expect(log == "ababab")
        #expect(comparison.summary(of: "a") == Summary(minimum: 1, median: 3))
        #expect(comparison.summary(of: "b") == Summary(minimum: 2, median: 4))
    }

    @Test func aRowThatASideOmitsHasAReason() throws {
        let side = Side(name: "peer", rows: [], leftOut: ["cellx": "it never ends"])
        let row = Row(name: "cellx1000", unit: .milliseconds) { { 0 } }
        let comparison = try Comparison(of: row, on: [side], samples: 1)
        #expect(comparison.summary(of: "peer") == nil)
        #expect(comparison.entries[0].remark == "it never ends")
    }

    @Test func aRowWithoutALimitIsAnError() {
        let row = Row(name: "no such row", unit: .bytes) { { 0 } }
        #expect(throws: HarnessError.self) { try Comparison(of: row, on: [.limit], samples: 1) }
    }
}
