// Commands of the system, run with a limit on their time and memory.

import Foundation

/// How a command ended.
enum CommandEnd: Equatable {
    case exited(Int32)
    /// It was stopped, because it printed a line that was waited for.
    case stopped
    case timedOut
}

struct Command {
    var arguments: [String]
    var folder: URL
    var environment: [String: String] = [:]
    var seconds = 3600
    /// The most memory that it may reserve, in gigabytes.
    var gigabytes: Int?

    /// Runs the command, and stops it once it prints a line for which `isEnough` returns `true`.
    ///
    /// `setsid` runs it in a session of its own. When it ends, all processes of the session are ended, too: they may
    /// hang, and keep the pipe open, although they have left the process group.
    func run(_ read: (Substring) -> Bool = { _ in false }) throws -> CommandEnd {
        let process = Process()
        let limit = gigabytes.map { "ulimit -v \($0 << 20)" } ?? ""
        // Threads of the system's pool block signals. dash then waits for a child for ever, once its end comes early.
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments =
            [
                "-c",
                """
                ulimit -c 0
                \(limit)
                trap : TERM
                setsid timeout -k 2 \(seconds) "$@" 2>&1 &
                exec 2>/dev/null
                wait $!
                end=$?
                pkill -KILL -s $!
                exit $end
                """,
                "bash",
            ] + arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let isStopped = readLines(of: pipe.fileHandleForReading, read)
        if isStopped { process.terminate() }
        process.waitUntilExit()
        if isStopped { return .stopped }
        return process.terminationStatus == 124 || process.terminationStatus == 137
            ? .timedOut : .exited(process.terminationStatus)
    }

    /// Returns whether `read` returned `true` for a line.
    private func readLines(of file: FileHandle, _ read: (Substring) -> Bool) -> Bool {
        var rest = ""
        while case let data = file.availableData, !data.isEmpty {
            rest += String(decoding: data, as: UTF8.self)
            while let end = rest.firstIndex(where: \.isNewline) {
                if read(rest[..<end]) { return true }
                rest = String(rest[rest.index(after: end)...])
            }
        }
        return false
    }
}
