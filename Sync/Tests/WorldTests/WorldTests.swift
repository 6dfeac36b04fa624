// Many simulated worlds, and worlds with deliberate faults, which must be found.
//
// A world needs a process of its own: it replaces functions of the system, orders sets and dictionaries without a random
// seed, and handles the issues of the process. So each test starts the program Worlds (Tests/Worlds/main.swift).

#if DEBUG
import Foundation
import SyncTestSupport
import Testing

@Suite struct WorldTests {
    /// The number of worlds. They take about two minutes on two cores.
    private static let count = 1_000
    /// The number of worlds in which each deliberate fault must be found.
    private static let faultyCount = 200
    private static let isReplaying = ProcessInfo.processInfo.environment["REACTIVE_TEST_SEED"] != nil

    /// Runs the program, and returns its lines of output.
    private func worlds(_ arguments: [String]) async throws -> [String] {
        let process = Process()
        let folder = Bundle.main.executableURL?.deletingLastPathComponent()
        process.executableURL = folder?.appending(path: "Worlds")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // The tests' own threads must not wait for programs.
        let lines = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let data = output.fileHandleForReading.readDataToEndOfFile()
                continuation.resume(returning: String(decoding: data, as: UTF8.self).split(separator: "\n"))
            }
        }
        process.waitUntilExit()
        if process.terminationReason != .exit {
            Issue.record("Worlds has crashed in the world after this line: \(lines.last ?? "the first one")")
        }
        return lines.map(String.init)
    }

    @Test(arguments: 0..<Seeds.groups) func worldsKeepAllPromises(group: Int) async throws {
        let seeds = Seeds.seeds(of: group, count: Self.count)
        if seeds.isEmpty { return }
        for line in try await worlds(seeds.map(String.init)) where line.contains(" broke a promise: ") {
            Issue.record("\(line); repeat it with REACTIVE_TEST_SEED")
        }
    }

    @Test(.enabled(if: !isReplaying), arguments: WorldFault.allCases)
    func aDeliberateFaultIsFound(_ fault: WorldFault) async throws {
        let lines = try await worlds(["--until-broken", "--fault", fault.rawValue, "0-\(Self.faultyCount - 1)"])
        #expect(lines.contains { $0.contains(" broke a promise: ") }, "\(lines.last ?? "")")
    }

    @Test(.enabled(if: !isReplaying)) func aSeedDeterminesItsHistory() async throws {
        for seed in 0..<3 {
            let history = try await worlds(["--trace", "\(seed)"]).dropLast()
            // A world does not depend on the worlds before it in its process, either.
            let later = try await worlds(["--trace", "\(seed + 10)", "\(seed)"]).dropLast()
            #expect(history.count > 50)
            #expect(later.suffix(history.count) == history, "seed \(seed)")
        }
    }
}
#endif
