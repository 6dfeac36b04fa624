// The options of commands that print a table of rows.

import ArgumentParser
import Foundation

/// The selected rows and the output format.
package struct TableOptions: ParsableArguments {
    @Argument(help: "Only rows whose name contains this.")
    package var filter: String?

    @OptionGroup package var measuring: MeasuringOptions

    @Flag(exclusivity: .exclusive)
    package var format = Format.plain

    @Flag(help: "Only list the rows.")
    package var list = false

    package init() {}

    /// Throws if the filter selects none of `rows`.
    package func requireRows(of rows: [Row]) throws {
        guard selected(of: rows).isEmpty else { return }
        throw ValidationError("No row's name contains \"\(filter ?? "")\"; --list names them.")
    }

    /// Lists the selected rows, or measures and prints them.
    ///
    /// - Parameters:
    ///   - rows: All rows.
    ///   - sides: Returns the sides: first the base of the comparison, then the library, then all others.
    package func print(_ rows: [Row], _ sides: () throws -> [Side]) throws {
        let rows = selected(of: rows)
        if list {
            for row in rows { Swift.print("\(row.name) (\(row.unit.rawValue))") }
            return
        }
        let sides = try sides()
        var record = Record(sides: sides.map(\.name), samples: measuring.samples)
        record.comparisons = try measuring.measure(rows, on: sides, format: format)
        if format == .json { Swift.print(String(decoding: try record.json, as: UTF8.self)) }
    }

    private func selected(of rows: [Row]) -> [Row] {
        guard let filter, !filter.isEmpty else { return rows }
        return rows.filter { $0.name.contains(filter) }
    }
}
