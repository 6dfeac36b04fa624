// A program on a terminal of its own, and its user.

import Foundation

/// A program on a pseudo-terminal: its screen, its keys, and its exit status.
///
/// No function sleeps: every wait is a poll(2) with a time limit.
public final class PseudoTerminal {
    /// The screen of the program.
    public private(set) var screen: TerminalEmulator
    /// The process.
    public let process: pid_t
    private let master: Int32
    /// Kept open, so that the settings stay when the program closes its end.
    private let slave: Int32
    /// Ends when no process has the other end open any more.
    private let life: Int32
    private let settingsBefore: [UInt64]
    private var status: Int32?

    /// How a program has ended.
    public enum Ending: Equatable, Sendable {
        /// With an exit code.
        case exit(Int32)
        /// By a signal.
        case signal(Int32)
    }

    /// An event that has not happened in time, and the screen at that moment.
    public struct Timeout: Error, CustomStringConvertible {
        /// The message.
        public let description: String
    }

    /// A call of the system that failed.
    public struct SystemFailure: Error, CustomStringConvertible {
        /// The message.
        public let description: String

        init(_ name: String, _ code: Int32 = errno) { description = "\(name): \(String(cString: strerror(code)))" }
    }

    /// The time limit of every wait.
    public static let limit = 60.0

    // MARK: - Beginning

    /// Starts a program as the leader of a session on a new terminal.
    ///
    /// - Parameters:
    ///   - executable: Its path.
    ///   - arguments: Without its name.
    ///   - columns: The number of columns of the terminal.
    ///   - rows: The number of its rows.
    ///   - environment: Variables that are different from those of this process; `nil` for none.
    /// - Throws: ``SystemFailure``.
    public init(
        _ executable: String, _ arguments: [String] = [], columns: Int = 80, rows: Int = 24,
        environment: [String: String?] = [:]
    ) throws {
        screen = TerminalEmulator(columns: columns, rows: rows)
        var (master, slave): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 1024)
        guard openpty(&master, &slave, &name, nil, nil) == 0 else { throw SystemFailure("openpty") }
        (self.master, self.slave) = (master, slave)
        let path = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        Self.setSize(of: master, columns, rows)
        settingsBefore = Self.settings(of: slave)
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemFailure("pipe") }
        life = ends[0]
        for descriptor in [master, slave, ends[0], ends[1]] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        process = try Self.spawn(executable, arguments, environment, terminal: path, life: ends[1])
    }

    deinit {
        if status == nil {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        close(master)
        close(slave)
        close(life)
    }

    private static func spawn(
        _ executable: String, _ arguments: [String], _ changes: [String: String?], terminal: String, life: Int32
    ) throws -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        // The leader of a session that opens a terminal is controlled by it from then on.
        posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        posix_spawn_file_actions_adddup2(&actions, life, 30)
        var defaults = sigset_t()
        var none = sigset_t()
        sigemptyset(&none)
        sigemptyset(&defaults)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGTSTP, SIGQUIT] { sigaddset(&defaults, signal) }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setsigmask(&attributes, &none)
        // POSIX_SPAWN_SETSID is not in the headers of every system.
        #if canImport(Darwin)
        let newSession: Int32 = 0x0400
        #else
        let newSession: Int32 = 0x80
        #endif
        let flags = newSession | Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var variables = ProcessInfo.processInfo.environment
        variables["TERM"] = "xterm-256color"
        variables["NO_COLOR"] = nil
        variables["SWIFT_BACKTRACE"] = "enable=no"
        for (name, value) in changes { variables[name] = value }
        var argv = ([executable] + arguments).map { strdup($0) } + [nil]
        var envp = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var process: pid_t = 0
        let error = posix_spawn(&process, executable, &actions, &attributes, &argv, &envp)
        guard error == 0 else { throw SystemFailure("posix_spawn \(executable)", error) }
        return process
    }

    // MARK: - Using it

    /// Types text, as bytes.
    public func type(_ text: String) throws {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
            guard count > 0 else { throw SystemFailure("write") }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Resizes the terminal.
    public func resize(columns: Int, rows: Int) {
        screen.resize(columns: columns, rows: rows)
        Self.setSize(of: master, columns, rows)
    }

    private static func setSize(of master: Int32, _ columns: Int, _ rows: Int) {
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    /// Waits until a complete frame, or output after the program, meets a condition. No frame is missed.
    public func wait(for what: String, until isMet: (TerminalEmulator) -> Bool) throws {
        let end = Self.now + Self.limit
        if !screen.isUpdating, isMet(screen) { return }
        while true {
            if let byte = try nextByte(before: end) {
                screen.take(byte)
                if !screen.isUpdating, isMet(screen) { return }
            } else {
                throw Timeout(description: "No \(what) on the screen:\n\(screen.text)")
            }
        }
    }

    /// Waits until the screen shows a text.
    public func wait(for text: String) throws {
        try wait(for: "\"\(text)\"") { $0.text.contains(text) }
    }

    /// Waits until the screen does not show a text.
    public func wait(forNo text: String) throws {
        try wait(for: "screen without \"\(text)\"") { !$0.text.contains(text) }
    }

    private var unread: ArraySlice<UInt8> = []

    /// Returns the next byte from the program, or `nil` after the time limit or the end of the program.
    private func nextByte(before end: Double) throws -> UInt8? {
        if let byte = unread.popFirst() { return byte }
        var descriptors = [
            pollfd(fd: master, events: Int16(POLLIN), revents: 0), pollfd(fd: life, events: 0, revents: 0),
        ]
        let left = Int32(max(0, end - Self.now) * 1000)
        guard poll(&descriptors, 2, left) > 0, descriptors[0].revents & Int16(POLLIN) != 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = read(master, &bytes, bytes.count)
        guard count > 0 else { return nil }
        unread = bytes[..<count]
        return unread.popFirst()
    }

    // MARK: - The end

    /// Sends the process a signal.
    public func send(_ signal: Int32) { kill(process, signal) }

    /// Waits until the program has ended, and shows its remaining output on the screen.
    public func end() throws -> Ending {
        let end = Self.now + Self.limit
        while true {
            while let byte = try nextByte(before: Self.now) { screen.take(byte) }
            var descriptors = [
                pollfd(fd: master, events: Int16(POLLIN), revents: 0), pollfd(fd: life, events: 0, revents: 0),
            ]
            let left = end - Self.now
            guard left > 0 else { throw Timeout(description: "The program has not ended:\n\(screen.text)") }
            _ = poll(&descriptors, 2, Int32(left * 1000))
            guard descriptors[1].revents != 0 else { continue }
            while let byte = try nextByte(before: Self.now) { screen.take(byte) }
            return try reap()
        }
    }

    private func reap() throws -> Ending {
        var status: Int32 = 0
        guard waitpid(process, &status, 0) == process else { throw SystemFailure("waitpid") }
        self.status = status
        let signal = status & 0x7F
        return signal == 0 ? .exit((status >> 8) & 0xFF) : .signal(signal)
    }

    /// Whether the terminal has the settings that it had before the program was started.
    public var hasSettingsOfBefore: Bool { Self.settings(of: slave) == settingsBefore }

    /// All settings that tcgetattr(3) returns.
    private static func settings(of descriptor: Int32) -> [UInt64] {
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { return [] }
        let flags = [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag].map { UInt64($0) }
        return flags + withUnsafeBytes(of: settings.c_cc) { $0.map { UInt64($0) } }
    }

    private static var now: Double { ProcessInfo.processInfo.systemUptime }
}
