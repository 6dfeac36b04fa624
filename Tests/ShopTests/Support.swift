// What the tests of the shop share.

import Foundation
import PseudoTerminal
import Testing

/// A catalogue with a bit of everything.
let small = #"""
    code,name,category,price,stock
    A,"Apple, red",Fruit,0.50,20
    B,"Banana ""Cavendish""",Fruit,0.25,3
    C,Crème,Dairy,1.99,0

    """#

/// The path of the program that was built with these tests.
let shopExecutable: String = {
    for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
        return bundle.bundleURL.deletingLastPathComponent().appendingPathComponent("Shop").path
    }
    return Bundle.main.bundleURL.appendingPathComponent("Shop").path
}()

/// The program in a process of its own, without a terminal.
struct ShopRun {
    let process = Process()
    let input = Pipe()
    let output = Pipe()
    let errors = Pipe()

    /// Starts the program.
    init(_ arguments: [String]) throws {
        // A program that has ended does not read what it is given.
        signal(SIGPIPE, SIG_IGN)
        process.executableURL = URL(fileURLWithPath: shopExecutable)
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

    /// Gives the program these few lines, and waits for its end.
    func run(_ lines: [String] = []) throws -> Outcome {
        for line in lines { try type(line) }
        try input.fileHandleForWriting.close()
        let printed = self.lines(of: output)
        let complaints = self.lines(of: errors)
        process.waitUntilExit()
        return Outcome(output: printed, errors: complaints, exitCode: process.terminationStatus)
    }

    private func lines(of pipe: Pipe) -> [String] {
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}

/// A folder that is removed with this object.
final class TemporaryFolder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("ShopTests-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Returns the path of a file in the folder.
    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Writes a file and returns its path.
    @discardableResult
    func file(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: url.appendingPathComponent(name))
        return path(name)
    }
}

/// The text of a file.
func contents(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
