// Printing comparisons as a table, row by row, for a terminal or for a page.
//
// The first side and the library are printed in the row's unit; then all sides as multiples of the first: "1.05 / 1.07"
// is the ratio of the minima and that of the medians. A number in brackets refers to a remark under the table.

import Foundation

/// A table in progress.
package struct Table {
    private let sides: [String]
    private let isMarkdown: Bool
    private var remarks: [String] = []

    /// Prints the head of the table.
    ///
    /// - Parameter sides: The names of the sides: first the base of the comparison, then the library, then all others.
    package init(sides: [String], isMarkdown: Bool) {
        self.sides = sides
        self.isMarkdown = isMarkdown
        line(
            ["row", "unit"] + sides.prefix(2).map { "\($0), least" } + sides.dropFirst().map { "\($0) ÷ \(sides[0])" })
        if isMarkdown { print("|---|---|" + String(repeating: "---:|", count: sides.count + 1)) }
    }

    /// Prints a row.
    package mutating func add(_ comparison: Comparison) {
        let least = sides.prefix(2).map { comparison.summary(of: $0).map { number($0.minimum) } ?? "–" }
        var ratios: [String] = []
        for side in sides.dropFirst() {
            var cell = comparison.ratio(of: side).map(pair) ?? "–"
            if let remark = comparison.entries.first(where: { $0.side == side })?.remark {
                cell += " [\(reference(to: remark))]"
            }
            ratios.append(cell)
        }
        line([comparison.row, comparison.unit.rawValue] + least + ratios)
    }

    /// Prints the end of the table: the mean and the remarks.
    package func end(_ comparisons: [Comparison]) {
        let ratios = comparisons.filter(\.isSummarized).compactMap { $0.ratio(of: sides[1]) }
        if ratios.count > 1 {
            let mean = Summary(
                minimum: geometricMean(ratios.map(\.minimum)), median: geometricMean(ratios.map(\.median)))
            line(
                ["geometric mean (kairo, cellx, dyn)", "", "", "", pair(mean)]
                    + sides.dropFirst(2).map { _ in "" })
        }
        if !remarks.isEmpty { print() }
        for (index, remark) in remarks.enumerated() { print("\(isMarkdown ? "- " : "")[\(index + 1)] \(remark)") }
    }

    private mutating func reference(to remark: String) -> Int {
        if let index = remarks.firstIndex(of: remark) { return index + 1 }
        remarks.append(remark)
        return remarks.count
    }

    private func line(_ cells: [String]) {
        if isMarkdown {
            print("| " + cells.joined(separator: " | ") + " |")
        } else {
            let widths = [46, 7, 13, 13]
            print(
                cells.enumerated().map { index, cell in
                    let width = index < widths.count ? widths[index] : 22
                    let padding = String(repeating: " ", count: max(1, width - cell.count))
                    return index < 2 ? cell + padding : padding + cell
                }.joined())
        }
        fflush(nil)
    }
}

/// The geometric mean of some positive numbers.
package func geometricMean(_ values: [Double]) -> Double {
    exp(values.reduce(0) { $0 + log($1) } / Double(values.count))
}

private func pair(_ summary: Summary) -> String { "\(number(summary.minimum)) / \(number(summary.median))" }

/// Returns a number with a sensible number of decimals.
func number(_ value: Double) -> String {
    String(format: value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
}
