// A rectangle of cells, "A1:C9".

/// A rectangle of cells, independent of the two corners in its name.
package struct CellRange: Hashable, Sendable, CustomStringConvertible {
    /// The columns of the range.
    package let columns: ClosedRange<Int>
    /// The rows of the range.
    package let rows: ClosedRange<Int>

    /// Creates the rectangle that has these two cells in opposite corners.
    package init(_ first: Position, _ second: Position) {
        columns = min(first.column, second.column)...max(first.column, second.column)
        rows = min(first.row, second.row)...max(first.row, second.row)
    }

    init(columns: ClosedRange<Int>, rows: ClosedRange<Int>) {
        self.columns = columns
        self.rows = rows
    }

    /// Creates a range from its name (`A1:C9`, or `B2` for a single cell); `nil` if the name is invalid.
    package init?(_ name: some StringProtocol) {
        let corners = name.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...2).contains(corners.count), let first = Position(corners[0]),
            let second = Position(corners[corners.count - 1])
        else { return nil }
        self.init(first, second)
    }

    /// The name, such as `A1:C9`.
    package var description: String {
        "\(first):"
            + "\(Position(column: columns.upperBound, row: rows.upperBound))"
    }

    /// The cell in the upper left corner.
    var first: Position { Position(column: columns.lowerBound, row: rows.lowerBound) }

    /// The number of cells.
    package var cellCount: Int { columns.count * rows.count }

    /// Returns the part inside the first `extent.rows` rows and `extent.columns` columns; `nil` if it has no cell.
    func clipped(to extent: Extent) -> CellRange? {
        guard columns.lowerBound <= extent.columns, rows.lowerBound <= extent.rows else { return nil }
        return CellRange(
            columns: columns.lowerBound...min(columns.upperBound, extent.columns),
            rows: rows.lowerBound...min(rows.upperBound, extent.rows))
    }

    /// Calls `body` with each position, row by row.
    package func forEach(_ body: (Position) throws -> Void) rethrows {
        for row in rows {
            for column in columns {
                try body(Position(column: column, row: row))
            }
        }
    }
}

/// The size of the part of a sheet that has ever been filled.
package struct Extent: Hashable, Sendable {
    /// The lowest filled row.
    package var rows = 0
    /// The rightmost filled column.
    package var columns = 0

    /// Whether a cell is inside.
    func contains(_ position: Position) -> Bool {
        position.row <= rows && position.column <= columns
    }

    /// Whether all cells of a range are inside.
    func contains(_ range: CellRange) -> Bool {
        range.rows.upperBound <= rows && range.columns.upperBound <= columns
    }

    /// Grows to contain a cell.
    mutating func include(_ position: Position) {
        rows = max(rows, position.row)
        columns = max(columns, position.column)
    }
}
