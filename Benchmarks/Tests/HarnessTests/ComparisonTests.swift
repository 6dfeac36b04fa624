// Comparisons: samples of several sides, and their ratios.

import Testing

@testable import Harness

struct ComparisonTests {
    @Test func allSidesAreComparedWithTheFirst() throws {
        let sides = [side("by hand", 4), side("ours", 6)]
        let comparison = try Comparison(of: row(0), on: sides, samples: 3)
        #expect(comparison.ratio(of: "ours") == Summary(minimum: 1.5, median: 1.5))
        #expect(comparison.ratio(of: "by hand") == Summary(minimum: 1, median: 1))
        #expect(comparison.ratio(of: "nobody") == nil)
    }

    @Test func aRowThatTheFirstSideOmitsHasNoRatios() throws {
        let sides = [Side(name: "by hand", rows: []), side("ours", 6)]
        let comparison = try Comparison(of: row(0), on: sides, samples: 1)
        #expect(comparison.ratio(of: "ours") == nil)
        #expect(comparison.summary(of: "ours") == Summary(minimum: 6, median: 6))
    }

    @Test(arguments: [TimeSource.processor, .real])
    func anOperationIsWarmedUpAndShortOnesAreRepeated(time: TimeSource) {
        var counts: [Int] = []
        let sample = Row.repeating("write", unit: .nanosecondsPerOperation, time: time, 10) { { counts.append($0) } }
            .prepare()
        #expect(counts == [10, 10])
        #expect(sample() > 0)
        #expect(sample() > 0)
        #expect(counts.count == 4 && counts[2] == counts[3] && counts[2].isMultiple(of: 10) && counts[2] <= 10_000)
    }

    @Test func aFilterThatLeavesNoRowIsAnError() throws {
        var options = TableOptions()
        options.filter = "rea"
        try options.requireRows(of: [row(0)])
        options.filter = "red"
        #expect(throws: (any Error).self) { try options.requireRows(of: [row(0)]) }
        options.filter = nil
        try options.requireRows(of: [row(0)])
    }

    private func side(_ name: String, _ number: Double) -> Side { Side(name: name, rows: [row(number)]) }

    private func row(_ number: Double) -> Row { Row(name: "read", unit: .milliseconds) { { number } } }
}
