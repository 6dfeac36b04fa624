// The pictures: positions, and files that are well formed.

import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

@testable import Harness

struct PictureTests {
    @Test func aLogarithmicScaleGivesEachPowerTheSameSpace() {
        let scale = LogScale(for: [0.5, 900], from: 0, to: 400)
        #expect(scale.powers == -1...3)
        #expect(scale.position(of: 0.1) == 0)
        #expect(scale.position(of: 1) == 100)
        #expect(scale.position(of: 1000) == 400)
    }

    @Test func aScaleForOneValueIncludesTheValue() {
        let scale = LogScale(for: [1], from: 0, to: 100)
        #expect(scale.powers == 0...1)
    }

    @Test func thePicturesAreWellFormedAndShowTheMeasurements() throws {
        var record = Record(sides: ["limit", "ours", "a < \"b\" & c"], samples: 1)
        record.comparisons = [
            comparison("broad", .milliseconds, [10, 12.5, 4000]), comparison("only ours", .milliseconds, [1, 2, nil]),
            comparison("mem observable", .bytes, [48, 96, nil]),
        ]
        record.scaling = Curve.allCases.flatMap { curve in
            Curve.sizes.map { comparison(curve.row(size: $0), .nanosecondsPerOperation, [7, 9]) }
        }
        for svg in [record.barChart, record.curveChart] {
            #expect(XMLParser(data: Data(svg.utf8)).parse())
            #expect(svg.contains("prefers-color-scheme: dark"))
        }
        #expect(record.barChart.contains("a &lt; &quot;b&quot; &amp; c"))
        #expect(record.barChart.contains(">400<"))
        #expect(!record.barChart.contains("only ours"))
        #expect(record.curveChart.contains(">96<"))
    }

    @Test func aRecordSurvivesEncodingAndDecoding() throws {
        var record = Record(sides: ["limit", "ours"], samples: 3)
        record.comparisons = [comparison("broad", .milliseconds, [10, nil])]
        let copy = try JSONDecoder().decode(Record.self, from: record.json)
        #expect(copy.origin == record.origin)
        #expect(copy.comparisons[0].summary(of: "limit") == record.comparisons[0].summary(of: "limit"))
        #expect(copy.comparisons[0].summary(of: "ours") == nil)
    }

    private func comparison(_ row: String, _ unit: Harness.Unit, _ numbers: [Double?]) -> Comparison {
        let entries = zip(["limit", "ours", "a < \"b\" & c"], numbers).map { side, number in
            Comparison.Entry(side: side, summary: number.map { Summary(minimum: $0, median: $0) })
        }
        return Comparison(row: row, unit: unit, isSummarized: false, entries: entries)
    }
}
