// `benchmark scaling`: the cost of a changed node, by the size of the graph.

import ArgumentParser
import Harness

struct ScalingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scaling",
        abstract: "Prints what each node that changes costs in graphs of 100 to 1,000,000 of them.")

    @Option(help: "Samples of each row.")
    var samples = 5

    @Flag(help: "Print a table in Markdown.")
    var markdown = false

    func run() throws {
        var options = MeasuringOptions()
        options.samples = samples
        try options.validate()
        _ = try options.measure(Row.scaling, on: [.limit, .ours], format: markdown ? .markdown : .plain)
    }
}
