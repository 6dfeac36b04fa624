// The command line: its commands, and the sides that several of them measure.

import ArgumentParser
import ByHandPeer
import Harness
import ObservationPeer
import OpenCombinePeer

@main
struct BenchmarkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmark",
        abstract:
            "Measures the library beside its limit, a minimal C++ engine that does the same work, "
            + "and beside its peers.",
        subcommands: [CompareCommand.self, ScalingCommand.self, ThreadsCommand.self, PictureCommand.self],
        defaultSubcommand: CompareCommand.self)
}

/// The sides to measure.
struct SideOptions: ParsableArguments {
    @Flag(help: "Without peers: only the library and the limit.")
    var noPeers = false

    /// The limit, the library, then the peers.
    func sides(_ measuring: MeasuringOptions) throws -> [Side] {
        let peers = noPeers ? [] : [observation, openCombine, byHand]
        return try [.limit, .ours] + peers + measuring.peers(with: Row.all)
    }
}
