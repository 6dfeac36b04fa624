// Support for the tests of the sheet.

import SheetCore

/// Cells without any reactivity: a dictionary.
struct PlainCells: CellReading {
    var values: [Position: CellValue] = [:]

    init(_ values: [String: CellValue] = [:]) {
        for (name, value) in values { self.values[Position(name)!] = value }
    }

    func value(at position: Position) -> CellValue { values[position] ?? .empty }
}

/// Returns the value of a formula in cells of these values.
func value(of source: String, in cells: [String: CellValue] = [:]) throws -> CellValue {
    try Formula(source).value(reading: PlainCells(cells))
}

/// Returns the kind of error that a formula has for a value.
func errorKind(of source: String, in cells: [String: CellValue] = [:]) throws -> CellError.Kind? {
    if case .error(let error) = try value(of: source, in: cells) { error.kind } else { nil }
}

extension Sheet {
    /// Creates a sheet from a text of comma-separated values.
    convenience init(csv: String) throws {
        self.init(rows: try CSVReader.rows(of: Array(csv.utf8)))
    }

    /// Returns the value of a cell by its name.
    func value(_ name: String) -> CellValue { shownValue(at: Position(name)!) }

    /// Enters a text and returns the changes as they are printed.
    func changes(_ name: String, _ source: String) throws -> [String] {
        try enter(source, at: Position(name)!)
        return takeChanges().map(\.description)
    }
}

/// Returns a session's replies to these lines.
func replies(to lines: [String], on csv: String = "") throws -> [String] {
    var rest = lines[...]
    var output: [String] = []
    Session(
        sheet: try Sheet(csv: csv), reading: { rest.popFirst() }, writing: { output.append($0) },
        complaining: { output.append($0) }
    ).run()
    return output
}
