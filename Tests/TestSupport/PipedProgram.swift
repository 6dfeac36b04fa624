// A program that was built with the tests, in a process of its own, without a terminal.

import Foundation

/// The path of a program that was built with these tests.
package func executable(_ name: String) -> String {
    for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
        return bundle.bundleURL.deletingLastPathComponent().appendingPathComponent(name).path
    }
    return Bundle.main.bundleURL.appendingPathComponent(name).path
}

/// A program in a process of its own, whose standard streams are pipes to the test.
package struct PipedProgram {
    package let input = Pipe()
    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()

    /// Starts a program that was built with these tests.
    package init(_ name: String, _ arguments: [String] = []) throws {
        // A program that has ended does not read what it is given.
        signal(SIGPIPE, SIG_IGN)
        process.executableURL = URL(fileURLWithPath: executable(name))
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
    }

    /// Gives the program a line.
    package func type(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Returns the next line that the program prints, or nothing once it has ended.
    package func readLine() -> String? {
        var line: [UInt8] = []
        while let byte = output.fileHandleForReading.readData(ofLength: 1).first {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    /// Ends the program as a failure of the power would.
    package func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// What a program has printed once it has ended, and how it ended.
    package struct Outcome {
        package let output: [String]
        package let errors: [String]
        package let exitCode: Int32
    }

    /// Gives the program these lines, and waits for its end.
    package func run(_ lines: [String] = []) throws -> Outcome {
        // Written while the output is read: neither pipe can hold all.
        let text = Data(lines.map { $0 + "\n" }.joined().utf8)
        let input = input.fileHandleForWriting
        DispatchQueue.global().async {
            try? input.write(contentsOf: text)
            try? input.close()
        }
        let printed = Self.lines(of: output)
        let complaints = Self.lines(of: errors)
        process.waitUntilExit()
        return Outcome(output: printed, errors: complaints, exitCode: process.terminationStatus)
    }

    private static func lines(of pipe: Pipe) -> [String] {
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}
