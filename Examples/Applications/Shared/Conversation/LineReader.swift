// Reads lines from a terminal with a `LineEditor`.

import CTerminal
import Foundation
import TerminalText

/// Reads lines from a terminal on standard input and output.
///
/// One thread at a time reads a line. Meanwhile, other threads may print.
final class LineReader: @unchecked Sendable {
    // Sendable because the lock guards the editor, and only the reading thread uses the rest.
    private let lock = NSLock()
    private var editor = LineEditor()
    /// Whether the row of the editor is on the screen.
    private var isShown = false
    private var decoder = KeyDecoder()
    /// Keys that were typed ahead.
    private var keys: ArraySlice<Key> = []

    /// Creates a reader; `nil` unless standard input and output are a terminal that can move its cursor.
    init?() {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return nil }
        guard ProcessInfo.processInfo.environment["TERM"] ?? "dumb" != "dumb" else { return nil }
    }

    /// Returns the next line; `nil` at the end of the input or if the terminal is closed.
    func readLine() -> String? {
        // Earlier output must appear before the prompt.
        fflush(nil)
        guard terminal_begin_line(STDIN_FILENO) == 0 else { return Swift.readLine() }
        defer { terminal_end_line() }
        lock.withLock {
            isShown = true
            draw()
        }
        while true {
            while let key = keys.popFirst() {
                if let line = lock.withLock({ lineEnded(by: key) }) { return line }
            }
            guard readKeys() else {
                lock.withLock { endRow() }
                return nil
            }
        }
    }

    /// Prints a line. If a line is being edited, it stays below the printed one.
    func print(_ line: String) {
        lock.withLock {
            guard isShown else { return Swift.print(line) }
            write("\r\u{1B}[K\(line)\n")
            draw()
        }
    }

    /// Handles a key. Returns the result of ``readLine()`` if the key ends the line.
    private func lineEnded(by key: Key) -> String?? {
        switch editor.press(key) {
        case .edited:
            if keys.isEmpty { draw() }
            return nil
        case .line(let line):
            draw(line)
            isShown = false
            return .some(line)
        case .endOfInput:
            endRow()
            return .some(nil)
        }
    }

    private func endRow() {
        write("\n")
        isShown = false
    }

    /// Waits for keys.
    ///
    /// - Returns: Whether more keys may follow.
    private func readKeys() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count > 0 {
            keys += decoder.decode(bytes[..<count])
        } else if count < 0, errno == EINTR {
            // The process was stopped, and other output may be on the screen.
            lock.withLock { draw() }
        } else {
            return false
        }
        return true
    }

    /// Draws the row again.
    private func draw() {
        let row = editor.row(columns: columns)
        write("\r\(row.text)\u{1B}[K\r" + (row.cursor > 0 ? "\u{1B}[\(row.cursor)C" : ""))
    }

    /// Draws a complete line in full and ends the row.
    private func draw(_ line: String) {
        write("\r> \(String(Glyph.glyphs(of: line).map(\.character)))\u{1B}[K\n")
    }

    private var columns: Int {
        var (columns, rows): (Int32, Int32) = (0, 0)
        return terminal_size(STDOUT_FILENO, &columns, &rows) ? Int(columns) : 80
    }

    private func write(_ text: String) {
        Swift.print(text, terminator: "")
        fflush(nil)
    }
}
