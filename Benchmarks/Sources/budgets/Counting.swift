// Runs `hot-path` under a counting tool and parses the counts.

import ArgumentParser
import Foundation

/// A path of `hot-path`.
struct Path {
    let name: String
    /// The number of operations in the shorter of two runs.
    let repetitions: Int
    /// Whether its instructions are counted in addition to its allocations.
    let hasInstructions: Bool
}

/// The program `hot-path`, and the tool that counts its instructions if there is one.
struct Counting {
    let program: URL
    let valgrind: URL?

    /// Finds the program in this program's folder, and valgrind in the search path.
    init() throws {
        let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        program = folder.appendingPathComponent("hot-path")
        guard FileManager.default.isExecutableFile(atPath: program.path) else {
            throw ValidationError("There is no \(program.path): build the product hot-path in the same configuration.")
        }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        valgrind = path.split(separator: ":").lazy
            .map { URL(fileURLWithPath: String($0)).appendingPathComponent("valgrind") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// Returns the list of all paths from the program.
    func paths() throws -> [Path] {
        try output(of: program, []).standardOutput.split(separator: "\n").map { line in
            let words = line.split(separator: " ", maxSplits: 2)
            guard words.count == 3, let repetitions = Int(words[0]) else {
                throw ValidationError("Instead of repetitions, a count and a name there came: \(line)")
            }
            return Path(
                name: String(words[2]), repetitions: repetitions, hasInstructions: words[1] == "instructions")
        }
    }

    /// Returns the cost of one operation of a path: the additional cost of twice the repetitions, divided by the
    /// repetitions.
    ///
    /// The start and the end of a program vary by some thousand instructions with addresses and the environment. With
    /// more repetitions, this variation is divided by a larger number.
    func cost(of path: Path) throws -> Cost {
        let once = try total(path, path.repetitions)
        let twice = try total(path, 2 * path.repetitions)
        func each(_ one: Double, _ two: Double) -> Double { (two - one) / Double(path.repetitions) }
        var cost = Cost(instructions: nil, allocations: each(once.allocations, twice.allocations))
        if let one = once.instructions, let two = twice.instructions { cost.instructions = each(one, two) }
        return cost
    }

    /// Returns the cost of a whole run.
    private func total(_ path: Path, _ repetitions: Int) throws -> Cost {
        let arguments = [path.name, String(repetitions)]
        guard path.hasInstructions, let valgrind else {
            return Cost(instructions: nil, allocations: try number(output(of: program, arguments).standardOutput))
        }
        let result = try output(
            of: valgrind,
            ["--tool=callgrind", "--callgrind-out-file=/dev/null", program.path] + arguments)
        guard let collected = result.standardError.firstMatch(of: /Collected : (\d+)/) else {
            throw ValidationError("valgrind did not say how many instructions it counted:\n\(result.standardError)")
        }
        return Cost(instructions: try number(String(collected.1)), allocations: try number(result.standardOutput))
    }

    private func number(_ text: String) throws -> Double {
        guard let number = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)), number >= 0 else {
            throw ValidationError("Instead of a count there came: \(text)")
        }
        return number
    }
}

/// Returns the current compiler and architecture, such as "Swift version 6.2 (swift-6.2-RELEASE),
/// x86_64-unknown-linux-gnu".
func currentToolchain() throws -> String {
    struct Information: Decodable {
        struct Target: Decodable { let unversionedTriple: String }
        let compilerVersion: String
        let target: Target
    }
    let text = try output(of: URL(fileURLWithPath: "/usr/bin/env"), ["swiftc", "-print-target-info"]).standardOutput
    let information = try JSONDecoder().decode(Information.self, from: Data(text.utf8))
    return "\(information.compilerVersion), \(information.target.unversionedTriple)"
}

/// Runs a program to its end; throws if it fails.
private func output(
    of program: URL, _ arguments: [String]
) throws -> (standardOutput: String, standardError: String) {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    // Deterministic hashing, so that runs do not differ.
    process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
    let (standardOutput, standardError) = (Pipe(), Pipe())
    process.standardOutput = standardOutput
    process.standardError = standardError
    try process.run()
    // Both outputs are a few lines and fit into their pipes.
    process.waitUntilExit()
    let texts = [standardOutput, standardError].map {
        String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
    guard process.terminationStatus == 0 else {
        throw ValidationError(
            "\(program.lastPathComponent) \(arguments.joined(separator: " ")) failed:\n\(texts[0])\(texts[1])")
    }
    return (texts[0], texts[1])
}
