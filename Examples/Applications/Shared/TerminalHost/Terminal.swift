// The terminal of this process: what is asked of it, written to it, and given back.

import CTerminal
import Foundation

/// Why there is no terminal to draw on.
public struct NoTerminal: Error, CustomStringConvertible {
    /// What is missing, and what to do.
    public let description: String
}

/// The terminal on standard input and output.
final class Terminal {
    private let input = STDIN_FILENO
    private let output = STDOUT_FILENO

    /// Looks whether there is one. It is not changed before ``enter()``.
    init() throws(NoTerminal) {
        guard isatty(input) == 1 else { throw NoTerminal(description: "standard input is not a terminal") }
        guard isatty(output) == 1 else { throw NoTerminal(description: "standard output is not a terminal") }
        if ProcessInfo.processInfo.environment["TERM"] == "dumb" {
            throw NoTerminal(description: "this terminal cannot move its cursor (TERM is \"dumb\")")
        }
    }

    /// Where keys come from.
    var inputDescriptor: Int32 { input }

    /// How large the screen is.
    var size: Size { Self.size ?? Size(columns: 80, rows: 24) }

    /// How large the terminal on standard output is, if there is one that knows; at most what anybody can read.
    static var size: Size? {
        var (columns, rows): (Int32, Int32) = (0, 0)
        guard terminal_size(STDOUT_FILENO, &columns, &rows) else { return nil }
        return Size(columns: min(Int(columns), 1000), rows: min(Int(rows), 500))
    }

    /// Takes the terminal: no echo, no line editing, the alternate screen, no cursor, and no scrolling by a character at the end of the
    /// last line.
    func enter() throws(NoTerminal) {
        let error = terminal_enter(
            input, output, "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?25l",
            "\u{1B}[?2026l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
        guard error == 0 else {
            throw NoTerminal(description: "the terminal cannot be set: \(String(cString: strerror(error)))")
        }
    }

    /// Gives it back as it was.
    func leave() { terminal_leave() }

    /// Writes all of the bytes.
    ///
    /// - Returns: Whether the terminal is still there.
    func write(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = Foundation.write(output, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    var descriptor = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&descriptor, 1, -1)
                } else if errno != EINTR {
                    return false
                }
            }
            return true
        }
    }
}
