// The measured server. It is a separate process, so that its memory can be measured.

import Foundation

/// A LiveBoard on a free port, with a database or with a folder that is removed at the end.
final class Server {
    private var process = Process()
    private let folder = FileManager.default.temporaryDirectory.appending(path: "load-\(UUID().uuidString)")
    private(set) var port = 0

    private let database: String?

    /// Starts the LiveBoard program in this program's folder.
    ///
    /// - Parameter database: The database for the boards; `nil` for a folder.
    init(database: String?) throws {
        self.database = database
        try start()
    }

    deinit {
        end(SIGKILL)
        try? FileManager.default.removeItem(at: folder)
    }

    private func start() throws {
        process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
            path: "LiveBoard")
        let home = database.map { ["--database", $0] } ?? ["--folder", folder.path]
        process.arguments = ["--port", "\(port)"] + home
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let address = line.split(whereSeparator: \.isWhitespace).last.flatMap({ URL(string: String($0)) }) else {
            throw Failure("the server did not start")
        }
        port = address.port ?? 0
    }

    /// Kills the server, like a power cut, and starts it again.
    func killAndRestart() throws {
        end(SIGKILL)
        try start()
    }

    /// Asks the server to end.
    ///
    /// - Returns: The exit code.
    func terminate() -> Int32 {
        end(SIGTERM)
        return process.terminationStatus
    }

    private func end(_ signal: Int32) {
        guard process.isRunning else { return }
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
    }

    /// The memory of the server in bytes, if the system reports it.
    var memory: Int {
        let pages = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/statm", encoding: .utf8))?
            .split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return (pages ?? 0) * 4096
    }

    /// The page of a board.
    func page(of board: String) throws -> String {
        let connection = try Connection(port: port)
        try connection.send("GET /boards/\(board) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        return try connection.readAnswer().body
    }
}
