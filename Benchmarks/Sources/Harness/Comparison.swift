// The result of one row: samples of all sides, summarized.

/// The least and the median of some samples.
public struct Summary: Codable, Equatable {
    public let minimum: Double
    public let median: Double

    public init(minimum: Double, median: Double) {
        self.minimum = minimum
        self.median = median
    }

    /// Summarizes samples, of which there must be one.
    public init(_ samples: [Double]) {
        let sorted = samples.sorted()
        minimum = sorted[0]
        median = sorted[sorted.count / 2]
    }

    /// How many times as much as `other` this is, in the minimum and in the median.
    public func ratio(to other: Summary) -> Summary {
        Summary(minimum: minimum / other.minimum, median: median / other.median)
    }
}

/// A row's result.
public struct Comparison: Codable {
    /// One side's result.
    public struct Entry: Codable {
        public let side: String
        /// `nil` if the side leaves the row out.
        public let summary: Summary?
        /// What a reader must know, or why the row is left out.
        public let remark: String?

        public init(side: String, summary: Summary?, remark: String? = nil) {
            self.side = side
            self.summary = summary
            self.remark = remark
        }
    }

    public let row: String
    public let unit: Unit
    public let isSummarized: Bool
    public let entries: [Entry]

    public init(row: String, unit: Unit, isSummarized: Bool, entries: [Entry]) {
        self.row = row
        self.unit = unit
        self.isSummarized = isSummarized
        self.entries = entries
    }

    /// Takes samples of all sides in turn, so that whatever else the machine does meets all alike.
    public init(of row: Row, on sides: [Side], samples: Int) throws {
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

    /// A side's numbers.
    public func summary(of side: String) -> Summary? { entries.first { $0.side == side }?.summary }

    /// How many times as much as the limit a side takes.
    public func ratio(of side: String) -> Summary? {
        guard let limit = summary(of: Side.limitName) else { return nil }
        return summary(of: side)?.ratio(to: limit)
    }
}
