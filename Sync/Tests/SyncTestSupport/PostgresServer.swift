// A PostgreSQL server for tests.
//
//     test process ──pipe──▶ watchdog (sh) ──▶ postgres, in a folder of its own under /tmp, behind a Unix socket
//
// The watchdog reads the pipe. When the test process ends for any reason, the pipe is closed: the watchdog stops the
// server and removes the folder. `initdb` and the server refuse to run as root; then they run as the user `postgres`.

import Dispatch
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A server that stops with the test process.
///
/// Members of the role `needs_password` need a password; all others are trusted.
package final class PostgresServer: @unchecked Sendable {
    /// The folder of the server's programs; `nil` if there is no PostgreSQL here.
    private static let programs: String? = {
        var folders = ((try? output(of: ["/usr/bin/env", "pg_config", "--bindir"])).map { [$0] } ?? [])
        let debian = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []
        folders += versions.sorted { (Double($0) ?? 0) > (Double($1) ?? 0) }.map { "\(debian)/\($0)/bin" }
        folders += (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return folders.first { folder in
            ["initdb", "postgres", "psql"].allSatisfy {
                FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)")
            }
        }
    }()

    /// Whether there is a PostgreSQL on this machine, for the trait `.enabled(if:)`. Prints a message once if there is
    /// none.
    package static let isAvailable: Bool = {
        if programs == nil { print("there is no PostgreSQL here: its tests are skipped") }
        return programs != nil
    }()

    private static let sharedServer = Task { try await PostgresServer() }

    /// Returns the server that tests share. Each test creates a database of its own in it.
    package static func shared() async throws -> PostgresServer {
        try await sharedServer.value
    }

    /// The folder of the server's socket.
    package let folder: String

    private let settings: [String]
    /// The address at which it listens, besides its socket.
    private let address: String?
    private let lock = NSLock()
    private var watchdog: (process: Process, pipe: Pipe)?
    private var databases = 0

    /// Creates a database cluster and starts a server.
    ///
    /// - Parameters:
    ///   - settings: Settings of the server, such as `fsync=off`.
    ///   - address: An address at which it listens, besides its socket. Its network is trusted.
    package init(settings: [String] = [], address: String? = nil) async throws {
        guard Self.programs != nil else { throw Failure("there is no PostgreSQL here") }
        self.settings = settings
        self.address = address
        var template = Array("/tmp/reactive-postgres-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure("no temporary folder") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if getuid() == 0, let user = getpwnam("postgres") { chown(folder, user.pointee.pw_uid, user.pointee.pw_gid) }
        try await Self.onThread { [self] in
            _ = try Self.output(
                of: Self.asServerUser([
                    "\(Self.programs!)/initdb", "-D", "\(folder)/data", "-U", "postgres", "-A", "trust", "-E", "UTF8",
                    "--no-locale", "--no-sync",
                ]))
            var access = "local all +needs_password scram-sha-256\nlocal all all trust\n"
            if let address { access += "host all all \(address)/30 trust\n" }
            let path = "\(folder)/data/pg_hba.conf"
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(access.utf8))
            try file.close()
        }
        try await restart()
    }

    /// Returns the connection string of a database.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - user: The role.
    ///   - host: The folder of the socket: that of a proxy, or `nil` for the server's. Or the server's address.
    package func connectionString(
        database: String = "postgres", user: String = "postgres", through host: String? = nil
    ) -> String {
        "host=\(host ?? folder) port=5432 dbname=\(database) user=\(user)"
    }

    /// Creates an empty database and returns its name.
    package func createDatabase() async throws -> String {
        let name = lock.withLock {
            databases += 1
            return "test\(databases)"
        }
        try await sql("CREATE DATABASE \(name)")
        return name
    }

    /// Executes SQL with `psql`, and returns its output: a line for each row, with `|` between the fields.
    ///
    /// - Throws: ``Failure`` with the report of `psql`.
    @discardableResult
    package func sql(_ text: String, database: String = "postgres", user: String = "postgres") async throws -> String {
        try await Self.onThread { [self] in
            try Self.output(
                of: [
                    "\(Self.programs!)/psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1",
                    "-d", connectionString(database: database, user: user), "-f", "-",
                ], input: text)
        }
    }

    /// Kills the server, as a machine failure would: it flushes nothing and notifies no client.
    package func kill() async throws {
        guard let process = processIdentifier else { throw Failure("the server is not running") }
        sendSignal(SIGKILL, to: process)
        try await endWatchdog()
    }

    /// Starts the server again, and returns when it accepts connections.
    package func restart() async throws {
        // After a kill, its other processes may need a moment to end.
        for attempt in 1... {
            try await endWatchdog()
            do {
                return try await start()
            } catch is Failure where attempt < 50 {}
        }
    }

    /// Stops the server and removes its folder. Servers that are not stopped end with the process.
    package func stop() async throws {
        try await endWatchdog()
        try? FileManager.default.removeItem(atPath: folder)
    }

    // MARK: Processes

    private var processIdentifier: pid_t? {
        let file = try? String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
        return file?.split(separator: "\n").first.flatMap { pid_t($0) }
    }

    /// Whether the process with the number in the server's file exists.
    private var isRunning: Bool {
        processIdentifier.map { sendSignal(0, to: $0) } ?? false
    }

    private func start() async throws {
        try await Self.onThread { [self] in
            let script = """
                folder=$1; shift
                trap '' INT
                "$@" < /dev/null >> "$folder/log" 2>&1 &
                server=$!
                read -r word
                kill -QUIT $server 2> /dev/null
                wait $server
                [ "$word" = keep ] || rm -rf "$folder"
                """
            var arguments = ["/bin/sh", "-c", script, "watchdog", folder, "\(Self.programs!)/postgres"]
            arguments += ["-D", "\(folder)/data", "-k", folder, "-c", "listen_addresses=\(address ?? "")"]
            for setting in ["shared_buffers=32MB", "max_connections=200"] + settings { arguments += ["-c", setting] }
            let pipe = Pipe()
            let end = pipe.fileHandleForWriting.fileDescriptor
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            let process = Self.process(Self.asServerUser(arguments))
            process.standardInput = pipe
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try Self.run(process)
            lock.withLock { watchdog = (process, pipe) }
            // The server is ready when it answers. If it has ended after a second, its folder is not usable.
            let question = ["\(Self.programs!)/psql", "-X", "-A", "-t", "-d", connectionString(), "-c", "SELECT 1"]
            for attempt in 0..<600 where attempt < 20 || isRunning {
                if (try? Self.output(of: question)) != nil { return }
                usleep(50_000)
            }
            throw Failure("the server does not start")
        }
    }

    private func endWatchdog() async throws {
        let ended = lock.withLock {
            defer { watchdog = nil }
            return watchdog
        }
        guard let ended else { return }
        try await Self.onThread {
            try? ended.pipe.fileHandleForWriting.write(contentsOf: Data("keep\n".utf8))
            try? ended.pipe.fileHandleForWriting.close()
            ended.process.waitUntilExit()
        }
    }

    /// Returns the command, run as the user `postgres` if this process runs as root.
    private static func asServerUser(_ command: [String]) -> [String] {
        getuid() == 0 ? ["/usr/bin/env", "runuser", "-u", "postgres", "--"] + command : command
    }

    private static func process(_ command: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.currentDirectoryURL = URL(fileURLWithPath: "/tmp")
        return process
    }

    /// Starts a process that gets all signals. Dispatch's threads block them, and children inherit that: otherwise the
    /// watchdog would not notice the end of the server.
    private static func run(_ process: Process) throws {
        var (none, blocked) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &blocked)
        defer { pthread_sigmask(SIG_SETMASK, &blocked, nil) }
        try process.run()
    }

    private static func output(of command: [String], input: String = "") throws -> String {
        let process = process(command)
        let (entrance, exit, errors) = (Pipe(), Pipe(), Pipe())
        process.standardInput = entrance
        process.standardOutput = exit
        process.standardError = errors
        try run(process)
        // Input and output are small: they fit into the pipes.
        try? entrance.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try? entrance.fileHandleForWriting.close()
        let text = try exit.fileHandleForReading.readToEnd() ?? Data()
        let report = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(String(decoding: report.isEmpty ? text : report, as: UTF8.self))
        }
        return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Runs blocking work on a thread of Dispatch, so that the tests' tasks continue.
    private static func onThread<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try work() }) }
        }
    }

    /// The error of a program.
    package struct Failure: Error, CustomStringConvertible {
        /// The report of the program.
        package let description: String

        init(_ description: String) { self.description = description }
    }
}

/// Sends a signal, or none with 0. Returns whether the process exists.
@discardableResult
private func sendSignal(_ signal: Int32, to process: pid_t) -> Bool {
    kill(process, signal) == 0
}
