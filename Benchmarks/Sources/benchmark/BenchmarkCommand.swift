// The command line: which rows, how many samples, and how to print them.

import ArgumentParser
import CLimit

@main
struct BenchmarkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmark",
        abstract: "Measures the library beside a minimal C++ engine that does the same work: its limit.",
        discussion: """
            Each row is a test that both run, sample by sample in turn. Times are processor time of the measuring thread. A \
            ratio of 1.5 means that the library takes one and a half times as long as the limit.
            """)

    @Argument(help: "Only rows whose name contains this.")
    var filter: String?

    @Option(help: "Samples of each row.")
    var samples = 5

    @Flag(help: "Print a table in Markdown.")
    var markdown = false

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Only list the rows.")
    var list = false

    func validate() throws {
        if samples < 1 { throw ValidationError("--samples must be at least 1, not \(samples).") }
        if markdown && json { throw ValidationError("--markdown and --json exclude each other.") }
        if rows.isEmpty { throw ValidationError("No row's name contains \"\(filter ?? "")\"; --list names them.") }
    }

    func run() throws {
        if list {
            for row in rows { print(row.name) }
            return
        }
        measure_start_second_thread()
        let report: Report = markdown ? .markdown : json ? .json : .plain
        report.begin()
        var measurements: [Measurement] = []
        for row in rows {
            guard let measurement = Measurement(of: row, samples: samples) else {
                throw ValidationError("The limit has no row named \"\(row.name)\".")
            }
            report.add(measurement)
            measurements.append(measurement)
        }
        try report.end(measurements)
    }

    private var rows: [Row] {
        guard let filter, !filter.isEmpty else { return Row.all }
        return Row.all.filter { $0.name.contains(filter) }
    }
}
