// The server as a process of its own, on a free port of this machine, with a database or a folder that is removed at
// the end.

import Foundation
import Testing

/// A running LiveBoard.
final class ServerProcess {
    private var process = Process()
    /// The address at which the program listens, according to its output.
    private(set) var address = ""
    let folder: URL
    private let names: [String]
    private let database: String?

    init(names: [String] = [], database: String? = nil) throws {
        self.names = names
        self.database = database
        folder = FileManager.default.temporaryDirectory.appending(path: "boards-\(UUID().uuidString)")
        try start(port: 0)
    }

    deinit {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(at: folder)
    }

    private static var program: URL {
        // The program is in the folder of all products; on Apple's systems, inside a bundle there.
        let bundle = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
        let products = bundle?.deletingLastPathComponent() ?? Bundle.main.bundleURL
        return products.appending(path: "LiveBoard")
    }

    /// Returns the error of a program that ends by itself.
    static func complaint(of arguments: String...) throws -> (status: Int32, text: String) {
        let process = Process()
        let errors = Pipe()
        process.executableURL = program
        process.arguments = arguments
        process.standardError = errors
        try process.run()
        // If it serves instead of reporting an error, it must not delay the tests.
        let identifier = process.processIdentifier
        let limit = DispatchWorkItem { Foundation.kill(identifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(patience), execute: limit)
        defer { limit.cancel() }
        let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    private func start(port: Int) throws {
        process = Process()
        process.executableURL = ServerProcess.program
        let home = database.map { ["--database", $0] } ?? ["--folder", folder.path]
        process.arguments = ["--port", "\(port)"] + home + names.flatMap { ["--name", $0] }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var line = Data()
        while !line.contains(UInt8(ascii: "\n")) {
            var polled = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            let isReady = poll(&polled, 1, Int32(1000 * patience)) > 0
            let piece = isReady ? output.fileHandleForReading.availableData : Data()
            guard !piece.isEmpty else { throw Browser.Failure(description: "the server did not start") }
            line += piece
        }
        let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        address = String(words.last ?? "")
    }

    /// Starts the server again on the same port.
    func restart() throws { try start(port: port) }

    /// Ends it immediately, as a power failure would.
    func kill() { end(SIGKILL) }

    /// Requests its end.
    ///
    /// - Returns: The exit code, or less than 0 if a signal has ended it.
    @discardableResult
    func terminate() -> Int32 { end(SIGTERM) }

    @discardableResult
    private func end(_ signal: Int32) -> Int32 {
        let identifier = process.processIdentifier
        Foundation.kill(identifier, signal)
        // If it does not end, it must not delay the tests.
        let limit = DispatchWorkItem { Foundation.kill(identifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(patience), execute: limit)
        process.waitUntilExit()
        limit.cancel()
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    /// Suspends it, or lets it continue.
    func setStopped(_ isStopped: Bool) { Foundation.kill(process.processIdentifier, isStopped ? SIGSTOP : SIGCONT) }

    /// The port of the server.
    var port: Int { URL(string: address)?.port ?? 0 }

    /// Sends a request.
    ///
    /// - Returns: The status and the body.
    func request(
        _ path: String, method: String = "GET", body: String = "", headers: [String: String] = [:]
    ) throws -> (status: Int, body: String) {
        let connection = try RawConnection(port: port)
        let defaults = ["Host": "127.0.0.1:\(port)", "Connection": "close", "Content-Length": "\(body.utf8.count)"]
        let lines = defaults.merging(headers) { $1 }.map { "\($0): \($1)\r\n" }
        connection.send("\(method) /\(path) HTTP/1.1\r\n\(lines.joined())\r\n\(body)")
        let answer = connection.read()
        let head = answer.prefix { $0 != "\r\n" }.split(separator: " ")
        let rest = answer.range(of: "\r\n\r\n").map { String(answer[$0.upperBound...]) }
        return (head.count > 1 ? Int(head[1]) ?? 0 : 0, rest ?? "")
    }

    /// Follows a board until the first update arrives.
    func events(after position: String? = nil) throws -> String {
        let connection = try RawConnection(port: port)
        let query = position.map { "?after=\($0)" } ?? ""
        connection.send("GET /boards/welcome/events\(query) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        return connection.read(until: "\n\n")
    }

    /// Sends a command as a page of the server would.
    func send(
        _ command: String, to board: String = "welcome", id: String? = nil
    ) throws -> (status: Int, body: String) {
        var headers = ["Content-Type": "application/json", "Origin": String(address.dropLast())]
        headers["Idempotency-Key"] = id
        return try request("boards/\(board)/commands", method: "POST", body: command, headers: headers)
    }

    /// Sends a command until it is saved, as a page does: the server may be busy, or its database may not answer in time.
    func sendUntilSaved(_ command: String, id: String) throws {
        let deadline = ContinuousClock.now + .seconds(patience)
        var answer = try send(command, id: id)
        while answer.status == 503, ContinuousClock.now < deadline { answer = try send(command, id: id) }
        #expect(answer.status == 200, "\(answer.body)")
    }
}
