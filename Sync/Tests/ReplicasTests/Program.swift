// The built program in a process of its own, behind pipes, and its files.

import Foundation
import Testing

/// All tests of this target: one after the other, because they start processes.
@Suite(.serialized) enum ReplicasTests {}

/// The program `Replicas` in a process of its own. It is killed with this object.
final class Program {
    private let process = Process()
    private let input: FileHandle
    private let output = Pipe()
    /// Output that has not been returned as a line yet.
    private var unread = Data()

    /// Starts the program. Its error output is part of its output.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of the program.
    ///   - isOnTerminal: Whether its input is a terminal.
    init(_ arguments: [String], isOnTerminal: Bool = false) throws {
        // A program that has ended does not read its input.
        signal(SIGPIPE, SIG_IGN)
        if isOnTerminal {
            var (master, slave): (Int32, Int32) = (-1, -1)
            try #require(openpty(&master, &slave, nil, nil, nil) == 0)
            input = FileHandle(fileDescriptor: master, closeOnDealloc: true)
            process.standardInput = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
        } else {
            let pipe = Pipe()
            input = pipe.fileHandleForWriting
            process.standardInput = pipe
        }
        process.executableURL = try Self.folder.appendingPathComponent("Replicas")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try output.fileHandleForWriting.close()
    }

    deinit { kill() }

    /// The folder of the programs that were built with these tests.
    private static var folder: URL {
        get throws {
            let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
            return bundle.map { $0.bundleURL.deletingLastPathComponent() } ?? Bundle.main.bundleURL
        }
    }

    /// Writes lines to the program's input.
    func type(_ lines: String...) throws {
        for line in lines { try input.write(contentsOf: Data((line + "\n").utf8)) }
    }

    /// Returns the next line that the program prints; `nil` once it has ended, or has printed nothing for a minute.
    func readLine() -> String? {
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
    func wait(for line: String) -> Bool { wait { $0 == line } }

    /// Reads until the program prints a line that meets a condition; returns whether it does.
    func wait(for isWanted: (String) -> Bool) -> Bool {
        var printed: [String] = []
        while let line = readLine() {
            if isWanted(line) { return true }
            printed.append(line)
        }
        Issue.record("instead, the program printed:\n\(printed.joined(separator: "\n"))")
        return false
    }

    /// Requests all notes; returns whether they equal the given ones, in the first answer or a later one.
    func shows(_ notes: String...) throws -> Bool {
        var last: [String] = []
        let end = Date(timeIntervalSinceNow: 60)
        while Date() < end {
            try type("show", "unknown")
            last = []
            while let line = readLine(), !line.hasPrefix("there is no command unknown") {
                if line.hasPrefix("[") { last.append(line) }
            }
            if last == notes { return true }
        }
        try type("status")
        Issue.record("instead, the program shows:\n\((last + [readLine() ?? ""]).joined(separator: "\n"))")
        return false
    }

    /// Requests the status; returns whether it has the given prefix, in the first answer or a later one.
    func hasStatus(_ prefix: String) throws -> Bool {
        let end = Date(timeIntervalSinceNow: 60)
        var last: String?
        repeat {
            try type("status", "unknown")
            last = nil
            while let line = readLine(), !line.hasPrefix("there is no command unknown") { last = line }
            if last?.hasPrefix(prefix) == true { return true }
        } while Date() < end
        Issue.record("instead, the status is \(last ?? "unknown")")
        return false
    }

    /// Ends the input, and waits for the end of the program.
    ///
    /// - Returns: The output that was not read before, and the exit code.
    func end() throws -> (output: [String], exitCode: Int32) {
        try input.close()
        var lines: [String] = []
        while let line = readLine() { lines.append(line) }
        process.waitUntilExit()
        return (lines, process.terminationStatus)
    }

    /// Ends the program as a power failure would.
    func kill() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

/// A folder for a test, with a log that can be killed and restarted. It is removed with this object.
final class Workspace {
    private let url = FileManager.default.temporaryDirectory.appendingPathComponent(
        "replicas-\(UUID().uuidString.prefix(8))")
    private var log: Program?

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The path of a file in the folder.
    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Copies a file, and returns the copy.
    func copy(_ file: URL) throws -> URL {
        let copy = url.appendingPathComponent(UUID().uuidString)
        try FileManager.default.copyItem(at: file, to: copy)
        return copy
    }

    var socket: String { path("socket") }
    var file: URL { url.appendingPathComponent("log") }

    func startLog() throws {
        let log = try Program(["log", socket, file.path])
        try #require(log.wait { $0.hasPrefix("ready: ") })
        self.log = log
    }

    func killLog() { log?.kill() }

    func startPeer(_ arguments: String...) throws -> Program { try Program(["peer", socket] + arguments) }
}
