// `benchmark`, `benchmark compare`: the table of the tests.

import ArgumentParser
import Foundation
import Harness

struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Prints the table: the library, and each side as a multiple of the limit.",
        discussion: """
            Each row is a test that all sides run, sample by sample in turn. Times are processor time of the measuring thread. \
            "1.50 / 1.60" means: one and a half times the limit in the least of the samples, 1.6 times in the median.
            """)

    @Argument(help: "Only rows whose name contains this.")
    var filter: String?

    @OptionGroup var options: MeasuringOptions

    @Flag(exclusivity: .exclusive)
    var format = Format.plain

    @Flag(help: "Only list the rows.")
    var list = false

    func validate() throws {
        if rows.isEmpty { throw ValidationError("No row's name contains \"\(filter ?? "")\"; --list names them.") }
    }

    func run() throws {
        if list {
            for row in rows { print("\(row.name) (\(row.unit.rawValue))") }
            return
        }
        let sides = try options.sides()
        var record = Record(sides: sides.map(\.name), samples: options.samples)
        record.comparisons = try options.measure(rows, on: sides, format: format)
        if format == .json { print(String(decoding: try record.json, as: UTF8.self)) }
    }

    private var rows: [Row] {
        guard let filter, !filter.isEmpty else { return Row.all }
        return Row.all.filter { $0.name.contains(filter) }
    }
}
