// A program that was built with the tests, in a process of its own, without a terminal.

import Foundation

/// The path of a program that was built with these tests.
package func executable(_ name: String) -> String {
    for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
        return bundle.bundleURL.deletingLastPathComponent().appendingPathComponent(name).path
    }
    return Bundle.main.bundleURL.appendingPathComponent(name).path
}

/// A program in a process of its own, whose standard streams are pipes to the test. It ends with this object.
package final class PipedProgram {
    /// The input of the program.
    package let input = Pipe()
    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()
    /// Output that has not been returned as a line yet.
    private var unread = Data()

    /// Starts a program that was built with these tests.
    ///
    /// - Parameter environment: Variables that differ from those of this process; `nil` for none.
    package init(_ name: String, _ arguments: [String] = [], environment: [String: String?] = [:]) throws {
        // A program that has ended does not read its input.
        signal(SIGPIPE, SIG_IGN)
        process.executableURL = URL(fileURLWithPath: executable(name))
        process.arguments = arguments
        var variables = ProcessInfo.processInfo.environment
        for (name, value) in environment { variables[name] = value }
        process.environment = variables
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
    }

    deinit { kill() }

    /// Writes lines to the program's input.
    package func type(_ lines: String...) throws {
        for line in lines { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }
    }

    /// Returns the next line that the program prints; `nil` once it has ended, or has printed nothing for a minute.
    package func readLine() -> String? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread = Data(unread[(end + 1)...]) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            var polled = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, 60_000) > 0 else { return nil }
            let piece = output.fileHandleForReading.availableData
            if piece.isEmpty { return nil }
            unread += piece
        }
    }

    /// Reads until the program prints a line; returns whether it does.
    package func wait(for line: String) -> Bool {
        while let printed = readLine() {
            if printed == line { return true }
        }
        return false
    }

    /// Ends the program as a power failure would.
    package func kill() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The output of a program that has ended, and its exit code.
    package struct Outcome {
        /// Standard output that was not read before.
        package let outputText: String
        /// All of standard error.
        package let errorText: String
        /// The exit code.
        package let exitCode: Int32

        /// The lines of ``outputText``.
        package var output: [String] { Self.lines(of: outputText) }
        /// The lines of ``errorText``.
        package var errors: [String] { Self.lines(of: errorText) }

        private static func lines(of text: String) -> [String] {
            text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        }
    }

    /// Writes lines to the program's input, and waits for its end.
    package func run(_ lines: [String] = []) throws -> Outcome {
        // Written while the output is read: neither pipe can hold everything.
        let text = Data(lines.map { $0 + "\n" }.joined().utf8)
        let input = input.fileHandleForWriting
        DispatchQueue.global().async {
            try? input.write(contentsOf: text)
            try? input.close()
        }
        let printed = unread + output.fileHandleForReading.readDataToEndOfFile()
        let complaints = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Outcome(
            outputText: String(decoding: printed, as: UTF8.self),
            errorText: String(decoding: complaints, as: UTF8.self),
            exitCode: process.terminationStatus)
    }
}
