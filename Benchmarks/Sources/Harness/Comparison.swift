// The result of one row: summaries of the samples of all sides.

/// The least and the median of some samples.
package struct Summary: Codable, Equatable {
    package let minimum: Double
    package let median: Double

    package init(minimum: Double, median: Double) {
        self.minimum = minimum
        self.median = median
    }

    /// Summarises samples. Precondition: there is at least one.
    package init(_ samples: [Double]) {
        let sorted = samples.sorted()
        minimum = sorted[0]
        median = sorted[sorted.count / 2]
    }

    /// Returns the ratios of the minima and of the medians to those of `other`.
    package func ratio(to other: Summary) -> Summary {
        Summary(minimum: minimum / other.minimum, median: median / other.median)
    }
}

/// A row's result.
package struct Comparison: Codable {
    /// One side's result.
    package struct Entry: Codable {
        package let side: String
        /// `nil` if the side leaves the row out.
        package let summary: Summary?
        /// A remark for readers, or the reason why the row is left out.
        package let remark: String?

        package init(side: String, summary: Summary?, remark: String? = nil) {
            self.side = side
            self.summary = summary
            self.remark = remark
        }
    }

    package let row: String
    package let unit: Unit
    package let isSummarized: Bool
    package let entries: [Entry]

    package init(row: String, unit: Unit, isSummarized: Bool, entries: [Entry]) {
        self.row = row
        self.unit = unit
        self.isSummarized = isSummarized
        self.entries = entries
    }

    /// Takes samples of all sides in turn, so that other work on the machine affects all of them.
    package init(of row: Row, on sides: [Side], samples: Int) throws {
        let tests = try sides.map { try $0.entry(row) }
        var taken = tests.map { _ in [Double]() }
        for _ in 0..<samples {
            for (index, test) in tests.enumerated() {
                if case .test(let sample, _) = test { taken[index].append(sample()) }
            }
        }
        let entries = zip(sides, zip(tests, taken)).map { side, result in
            switch result.0 {
            case .test(_, let remark): Entry(side: side.name, summary: Summary(result.1), remark: remark)
            case .measured(let summary): Entry(side: side.name, summary: summary)
            case .leftOut(let reason): Entry(side: side.name, summary: nil, remark: reason)
            }
        }
        self.init(row: row.name, unit: row.unit, isSummarized: row.isSummarized, entries: entries)
    }

    /// Returns the summary of a side.
    package func summary(of side: String) -> Summary? { entries.first { $0.side == side }?.summary }

    /// Returns the ratio of a side to the first side.
    package func ratio(of side: String) -> Summary? {
        guard let first = entries.first?.summary else { return nil }
        return summary(of: side)?.ratio(to: first)
    }
}
