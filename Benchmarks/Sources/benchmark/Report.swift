// Printing measurements: for a terminal, for a page, for a program.

import Foundation

/// A way to print measurements, row by row as they come in.
enum Report {
    case plain
    case markdown
    case json

    /// Prints what comes before the first row.
    func begin() {
        switch self {
        case .plain: print(Self.cells(Self.titles, widths: Self.widths))
        case .markdown:
            print("| " + Self.titles.joined(separator: " | ") + " |")
            print("|---|---|" + String(repeating: "---:|", count: Self.titles.count - 2))
        case .json: break
        }
    }

    /// Prints a row.
    func add(_ measurement: Measurement) {
        let numbers = [
            measurement.library.minimum, measurement.library.median, measurement.limit.minimum,
            measurement.limit.median,
        ].map { Self.number($0) }
        let ratios = [measurement.ratioOfMinima, measurement.ratioOfMedians].map { Self.number($0) }
        line([measurement.name, measurement.unit.rawValue] + numbers + ratios)
    }

    /// Prints what comes after the last row.
    func end(_ measurements: [Measurement]) throws {
        if case .json = self {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            print(String(decoding: try encoder.encode(measurements), as: UTF8.self))
            return
        }
        let summarized = measurements.filter(\.isSummarized)
        guard summarized.count > 1 else { return }
        let means = [summarized.map(\.ratioOfMinima), summarized.map(\.ratioOfMedians)].map {
            Self.number(Self.geometricMean($0))
        }
        line(["geometric mean (kairo, cellx, dyn)", "", "", "", "", ""] + means)
    }

    private func line(_ cells: [String]) {
        switch self {
        case .plain: print(Self.cells(cells, widths: Self.widths))
        case .markdown: print("| " + cells.joined(separator: " | ") + " |")
        case .json: break
        }
        fflush(nil)
    }

    private static let titles = [
        "row", "unit", "ours min", "ours median", "limit min", "limit median", "ratio of minima", "ratio of medians",
    ]
    private static let widths = [35, 6, 12, 12, 12, 13, 16, 17]

    private static func cells(_ cells: [String], widths: [Int]) -> String {
        var line = ""
        for (index, (cell, width)) in zip(cells, widths).enumerated() {
            let padding = String(repeating: " ", count: max(0, width - cell.count))
            line += index < 2 ? cell + padding : padding + cell
        }
        return line
    }

    private static func number(_ value: Double) -> String {
        String(format: value < 100 ? "%.2f" : "%.1f", value)
    }

    private static func geometricMean(_ values: [Double]) -> Double {
        exp(values.reduce(0) { $0 + log($1) } / Double(values.count))
    }
}
