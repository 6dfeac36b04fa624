// What the tests of the outline share.

import Foundation
import OutlineCore
import Testing

extension Outline {
    /// Creates an outline from the text of a file.
    init(json: String) throws {
        self = try JSONDecoder().decode(Outline.self, from: Data(json.utf8))
    }
}

/// The program in a process of its own, where no other test uses the library at the same time.
struct OutlineProcess {
    let process = Process()
    let input = Pipe()
    let output = Pipe()
    let errors = Pipe()

    /// Starts the program.
    init(_ arguments: [String]) throws {
        // A program that has ended does not read what it is given.
        signal(SIGPIPE, SIG_IGN)
        process.executableURL = Self.productsDirectory.appendingPathComponent("Outline")
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
    }

    /// Gives the program a line.
    func type(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

    /// Returns the next line that the program prints, or nothing once it has ended.
    func readLine() -> String? {
        var line: [UInt8] = []
        while let byte = output.fileHandleForReading.readData(ofLength: 1).first {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    /// Ends the program as a failure of the power would.
    func kill() {
        #expect(Foundation.kill(process.processIdentifier, SIGKILL) == 0)
        process.waitUntilExit()
    }

    /// What the program has printed once it has ended, and how it ended.
    struct Outcome {
        let output: [String]
        let errors: [String]
        let exitCode: Int32
    }

    /// Gives the program these lines, and waits for its end.
    func run(_ lines: [String]) throws -> Outcome {
        // Written while the output is read: neither pipe can hold all.
        let text = Data(lines.map { $0 + "\n" }.joined().utf8)
        let input = input.fileHandleForWriting
        DispatchQueue.global().async {
            try? input.write(contentsOf: text)
            try? input.close()
        }
        let printed = printedLines(of: output)
        let complaints = printedLines(of: errors)
        process.waitUntilExit()
        return Outcome(output: printed, errors: complaints, exitCode: process.terminationStatus)
    }

    private func printedLines(of pipe: Pipe) -> [String] {
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    private static var productsDirectory: URL {
        for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
            return bundle.bundleURL.deletingLastPathComponent()
        }
        return Bundle.main.bundleURL
    }
}

/// Returns what the program says to these lines about a file, but for the line about the file itself.
func replies(to lines: [String], on path: String) throws -> [String] {
    let outcome = try OutlineProcess([path]).run(lines)
    #expect(outcome.errors == [] && outcome.exitCode == 0)
    return Array(outcome.output.dropFirst())
}

/// Returns what the program says to these lines about an outline of a few items.
func replies(to lines: String..., on outline: String = small) throws -> [String] {
    let folder = try TemporaryFolder()
    return try replies(to: lines, on: folder.file("outline.json", outline))
}

/// A file that holds nothing.
let empty = "{\"items\": []}"

/// Three items, two of them below the first.
let small = """
    {"items": [{"title": "a", "items": [{"title": "b"}, {"title": "c", "isDone": true}]}, {"title": "d"}]}
    """

/// A small generator of random numbers that gives the same ones for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// A folder that is removed with this object.
final class TemporaryFolder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("OutlineTests-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Returns the path of a file in the folder.
    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Writes a file and returns its path.
    func file(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: url.appendingPathComponent(name))
        return path(name)
    }
}
