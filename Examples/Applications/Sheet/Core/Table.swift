// Formats a part of a sheet as a table, with numbers aligned right and all other values left.

import Conversation

/// The table of a part of a sheet.
package enum Table {
    /// The maximum number of rows without a given range.
    static let defaultRows = 30
    static let defaultColumns = 10
    /// The maximum number of cells in a table.
    static let maximumCells = 20_000
    /// The maximum width of a column. Longer texts are cut.
    static let maximumWidth = 24

    /// Returns the lines of a table.
    ///
    /// - Parameter range: The part to print; `nil` for the filled area, or its beginning if it is large.
    package static func lines(of sheet: Sheet, in range: CellRange?) -> [String] {
        if let range {
            guard range.cellCount <= maximumCells else {
                return ["\(range) has \(range.cellCount) cells; show draws at most \(maximumCells)"]
            }
            return draw(sheet, range)
        }
        let extent = sheet.filledExtent
        guard extent.rows > 0 else { return ["the sheet is empty; B2 = 40 fills a cell"] }
        let corner = Position(column: min(extent.columns, defaultColumns), row: min(extent.rows, defaultRows))
        let lines = draw(sheet, CellRange(Position(column: 1, row: 1), corner))
        guard corner.row < extent.rows || corner.column < extent.columns else { return lines }
        let size = "\(extent.rows.of("row")) and \(extent.columns.of("column"))"
        return lines + ["… of \(size); show A1:C9 draws any part"]
    }

    private static func draw(_ sheet: Sheet, _ range: CellRange) -> [String] {
        let values = range.rows.map { row in
            range.columns.map { column in sheet.shownValue(at: Position(column: column, row: row)) }
        }
        let texts = values.map { $0.map { cut($0.display) } }
        let headings = range.columns.map(Position.columnName)
        let widths = headings.indices.map { column in
            max(headings[column].count, texts.map { $0[column].count }.max() ?? 0)
        }
        let margin = String(range.rows.upperBound).count

        let heading = zip(headings, widths).map { pad($0, to: $1) }
        var lines = [line([pad("", to: margin)] + heading)]
        for (row, number) in zip(values.indices, range.rows) {
            let fields = widths.indices.map { column -> String in
                let isNumber = if case .number = values[row][column] { true } else { false }
                return pad(texts[row][column], to: widths[column], right: isNumber)
            }
            lines.append(line([pad(String(number), to: margin, right: true)] + fields))
        }
        return lines
    }

    private static func cut(_ text: String) -> String {
        text.count <= maximumWidth ? text : text.prefix(maximumWidth - 1) + "…"
    }

    private static func pad(_ text: String, to width: Int, right: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, width - text.count))
        return right ? space + text : text + space
    }

    /// Joins fields without trailing spaces.
    private static func line(_ fields: [String]) -> String {
        var line = fields.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        return line
    }
}
