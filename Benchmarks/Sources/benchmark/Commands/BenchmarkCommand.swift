// The command line: its commands, and the options that several of them have.

import ArgumentParser
import ByHandPeer
import CLimit
import Foundation
import Harness
import ObservationPeer
import OpenCombinePeer

@main
struct BenchmarkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmark",
        abstract:
            "Measures the library beside its limit, a minimal C++ engine that does the same work, and beside its peers.",
        subcommands: [CompareCommand.self, ScalingCommand.self, ThreadsCommand.self, PictureCommand.self],
        defaultSubcommand: CompareCommand.self)
}

/// How to measure.
struct MeasuringOptions: ParsableArguments {
    @Option(help: "Samples of each row.")
    var samples = 5

    @Option(help: "A folder of programs that measure peers on other runtimes; see the README.")
    var peers: String?

    @Flag(help: "Without peers: only the library and the limit.")
    var noPeers = false

    func validate() throws {
        if samples < 1 { throw ValidationError("--samples must be at least 1, not \(samples).") }
    }

    /// The limit, the library, then the peers.
    func sides() throws -> [Side] {
        var sides = [Side.limit, Side.ours]
        if !noPeers { sides += [observation, openCombine, byHand] }
        if let peers { sides += try Side.peers(in: URL(fileURLWithPath: peers), rows: Row.all) }
        return sides
    }

    /// Measures rows and prints them as they come in, unless they will be printed as JSON.
    func measure(_ rows: [Row], on sides: [Side], format: Format) throws -> [Comparison] {
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

/// How to print.
enum Format: String, EnumerableFlag {
    case plain, markdown, json

    static func help(for value: Format) -> ArgumentHelp? {
        switch value {
        case .plain: "Print a table for a terminal."
        case .markdown: "Print a table in Markdown."
        case .json: "Print JSON."
        }
    }
}
