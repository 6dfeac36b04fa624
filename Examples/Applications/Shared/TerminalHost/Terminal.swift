// The terminal of this process: its size, output, and restoration.

import CTerminal
import Foundation

/// The reason why there is no terminal to draw on.
public struct NoTerminal: Error, CustomStringConvertible {
    /// The missing condition and the remedy.
    public let description: String
}

/// The terminal on standard input and output.
final class Terminal {
    private let input = STDIN_FILENO
    private let output = STDOUT_FILENO

    /// Checks that there is a terminal. Does not change it before ``enter()``.
    init() throws(NoTerminal) {
        guard isatty(input) == 1 else { throw NoTerminal(description: "standard input is not a terminal") }
        guard isatty(output) == 1 else { throw NoTerminal(description: "standard output is not a terminal") }
        if ProcessInfo.processInfo.environment["TERM"] == "dumb" {
            throw NoTerminal(description: "this terminal cannot move its cursor (TERM is \"dumb\")")
        }
    }

    /// The descriptor of the keyboard input.
    var inputDescriptor: Int32 { input }

    /// The size of the screen.
    var size: Size { Self.size ?? Size(columns: 80, rows: 24) }

    /// The size of the terminal on standard output, limited to a maximum; `nil` if it is unknown.
    static var size: Size? {
        var (columns, rows): (Int32, Int32) = (0, 0)
        guard terminal_size(STDOUT_FILENO, &columns, &rows) else { return nil }
        return Size(columns: min(Int(columns), 1000), rows: min(Int(rows), 500))
    }

    /// Takes over the terminal: no echo, no line editing, the alternate screen, no cursor, and no scrolling after a
    /// character at the end of the last line.
    func enter() throws(NoTerminal) {
        let error = terminal_enter(
            input, output, "\u{1B}[?1049h\u{1B}[?7l\u{1B}[?25l",
            "\u{1B}[?2026l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
        guard error == 0 else {
            throw NoTerminal(description: "the terminal cannot be set: \(String(cString: strerror(error)))")
        }
    }

    /// Restores the terminal.
    func leave() { terminal_leave() }

    /// Writes all of the bytes.
    ///
    /// - Returns: Whether the terminal is still open.
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
