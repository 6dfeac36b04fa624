// The options of commands that measure rows.

import ArgumentParser
import CLimit
import Foundation

/// The options of measuring.
package struct MeasuringOptions: ParsableArguments {
    @Option(help: "Samples of each row.")
    package var samples = 5

    @Option(help: "A folder of programs that measure peers on other runtimes; see the README.")
    package var peers: String?

    package init() {}

    package func validate() throws {
        if samples < 1 { throw ValidationError("--samples must be at least 1, not \(samples).") }
    }

    /// Returns the programs in the folder of `--peers`, if there is one.
    ///
    /// - Parameter rows: All rows.
    package func peers(with rows: [Row]) throws -> [Side] {
        try peers.map { try Side.peers(in: URL(fileURLWithPath: $0), rows: rows) } ?? []
    }

    /// Measures rows. Prints each row when it is measured, unless the format is JSON.
    package func measure(_ rows: [Row], on sides: [Side], format: Format) throws -> [Comparison] {
        measure_start_second_thread()
        var table = format == .json ? nil : Table(sides: sides.map(\.name), isMarkdown: format == .markdown)
        let comparisons = try rows.map { row in
            let comparison = try Comparison(of: row, on: sides, samples: samples)
            table?.add(comparison)
            return comparison
        }
        table?.end(comparisons)
        return comparisons
    }
}

/// The output format.
package enum Format: String, EnumerableFlag {
    case plain, markdown, json

    package static func help(for value: Format) -> ArgumentHelp? {
        switch value {
        case .plain: "Print a table for a terminal."
        case .markdown: "Print a table in Markdown."
        case .json: "Print JSON."
        }
    }
}
