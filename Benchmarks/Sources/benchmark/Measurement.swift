// Samples of one row from both sides, and what the table says about them.

import CLimit

/// The least and the median of some samples.
struct Summary: Codable {
    let minimum: Double
    let median: Double

    /// Summarizes samples, of which there must be one.
    init(_ samples: [Double]) {
        let sorted = samples.sorted()
        minimum = sorted[0]
        median = sorted[sorted.count / 2]
    }
}

/// A row's result.
struct Measurement: Codable {
    let name: String
    let unit: Unit
    let isSummarized: Bool
    let library: Summary
    let limit: Summary

    /// The library's number over the limit's; smaller is better.
    var ratioOfMinima: Double { library.minimum / limit.minimum }
    var ratioOfMedians: Double { library.median / limit.median }

    /// Takes samples of the library and the limit in turn, so that whatever else the machine does meets both alike.
    init?(of row: Row, samples: Int) {
        guard let limitRow = LimitRow(named: row.name) else { return nil }
        let sampleLibrary = row.prepare()
        var library: [Double] = []
        var limit: [Double] = []
        for _ in 0..<samples {
            library.append(sampleLibrary())
            limit.append(limitRow.sample())
        }
        name = row.name
        unit = row.unit
        isSummarized = row.isSummarized
        self.library = Summary(library)
        self.limit = Summary(limit)
    }
}
