// `benchmark picture`: the table and the curves as pictures.

import ArgumentParser
import Foundation
import Harness

struct PictureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "picture",
        abstract: "Measures everything and writes results.svg (the table), scaling.svg (the curves) and results.json.")

    @OptionGroup var options: MeasuringOptions
    @OptionGroup var sides: SideOptions

    @Option(help: "The folder that the files go into.")
    var output = "Benchmarks"

    @Option(help: "Draw what results.json of an earlier run says, without measuring.")
    var from: String?

    func run() throws {
        let folder = URL(fileURLWithPath: output)
        guard (try? folder.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true else {
            throw ValidationError("There is no folder \(folder.path); name one with --output.")
        }
        let record: Record
        if let from {
            record = try JSONDecoder().decode(Record.self, from: Data(contentsOf: URL(fileURLWithPath: from)))
        } else {
            record = try measured()
            try record.json.write(to: folder.appendingPathComponent("results.json"))
        }
        for (name, svg) in [("results.svg", record.barChart), ("scaling.svg", record.curveChart)] {
            try Data(svg.utf8).write(to: folder.appendingPathComponent(name))
        }
    }

    private func measured() throws -> Record {
        let sides = try sides.sides(options)
        var record = Record(sides: sides.map(\.name), samples: options.samples)
        record.comparisons = try options.measure(Row.all, on: sides, format: .plain)
        record.scaling = try options.measure(Row.scaling, on: Array(sides.prefix(2)), format: .plain)
        return record
    }
}
