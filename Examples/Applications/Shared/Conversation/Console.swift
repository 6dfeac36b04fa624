// The console of an example program: it reads lines and prints lines.

import CTerminal
import Foundation

/// The input and output of a program.
package struct Console {
    /// Whether a person uses the program.
    package let isInteractive: Bool
    /// Returns the next line of input; `nil` at the end.
    package let readLine: () -> String?
    /// Prints a line.
    package let print: (String) -> Void
    /// Prints an error line.
    package let printError: (String) -> Void
    /// Returns the number of columns of the terminal that shows the output, or nothing if no terminal does.
    package let columns: () -> Int?

    /// Creates a console.
    package init(
        isInteractive: Bool, readLine: @escaping () -> String?, print: @escaping (String) -> Void,
        printError: @escaping (String) -> Void, columns: @escaping () -> Int? = { nil }
    ) {
        self.isInteractive = isInteractive
        self.readLine = readLine
        self.print = print
        self.printError = printError
        self.columns = columns
    }

    /// The same console, which wraps lines that are too long for the terminal between words.
    package var wrapping: Console {
        func wrapped(_ print: @escaping (String) -> Void) -> (String) -> Void {
            { text in
                guard let columns = columns() else { return print(text) }
                for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                    line.wrapped(to: columns).forEach(print)
                }
            }
        }
        return Console(
            isInteractive: isInteractive, readLine: readLine, print: wrapped(print), printError: wrapped(printError),
            columns: columns)
    }

    /// The standard streams of the process. A person gets a prompt for each line and can edit it with the arrow keys;
    /// up and down show earlier lines. If a thread reads a line, a different thread may print one.
    package static var standard: Console {
        let isInteractive = isatty(STDIN_FILENO) == 1
        let reader = LineReader()
        let pipe = LinePipe()
        return Console(
            isInteractive: isInteractive,
            readLine: {
                if let reader { return reader.readLine() }
                if isInteractive { Swift.print("> ", terminator: "") }
                let line = pipe.readLine()
                // At the end of the input, the cursor is still after the prompt.
                if isInteractive, line == nil { Swift.print() }
                return line
            },
            print: { line in if let reader { reader.print(line) } else { pipe.print(line) } },
            printError: { FileHandle.standardError.write(Data(($0 + "\n").utf8)) },
            columns: {
                var (columns, rows): (Int32, Int32) = (0, 0)
                return terminal_size(STDOUT_FILENO, &columns, &rows) ? Int(columns) : nil
            })
    }

    /// Returns lines of a script one by one, like ``readLine``, and prints each as if it had been typed.
    package func performing(_ script: String) -> () -> String? {
        var rest = script.split(separator: "\n", omittingEmptySubsequences: false)[...]
        return {
            guard let line = rest.popFirst() else { return nil }
            print(line.isEmpty || line.hasPrefix("#") ? String(line) : "> \(line)")
            return String(line)
        }
    }

    /// Returns lines of a script like ``performing(_:)``, and then the lines that a person types, if there is one.
    ///
    /// - Parameter hint: A hint for the person, printed before their first line.
    package func demonstrating(_ script: String, then hint: String = "") -> () -> String? {
        let scripted = performing(script)
        var isTheirTurn = false
        return {
            if let line = scripted() { return line }
            guard isInteractive else { return nil }
            if !isTheirTurn { print("\nNow enter commands: help lists them, quit ends the program\(hint).") }
            isTheirTurn = true
            return readLine()
        }
    }
}

/// Reads and prints lines without an editor.
private final class LinePipe: @unchecked Sendable {
    // Sendable because the lock guards `isReading`.
    private let lock = NSLock()
    private var isReading = false

    func readLine() -> String? {
        lock.withLock {
            // The writer of the next line may wait for the output of the last one.
            fflush(nil)
            isReading = true
        }
        defer { lock.withLock { isReading = false } }
        return Swift.readLine()
    }

    func print(_ line: String) {
        lock.withLock {
            guard isReading else { return Swift.print(line) }
            // Not buffered, because the reader may wait for long. `fflush(nil)` would wait for the reader.
            FileHandle.standardOutput.write(Data("\(line)\n".utf8))
        }
    }
}
