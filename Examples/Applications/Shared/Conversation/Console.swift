// What a program of the examples talks to: lines in, lines out, whoever is at the other end.

import Foundation

/// What a program talks to.
package struct Console {
    /// Whether a person sits at the other end.
    package let isInteractive: Bool
    /// Returns the next line of input, or nothing at its end.
    package let readLine: () -> String?
    /// Prints a line.
    package let print: (String) -> Void
    /// Prints a line about what went wrong.
    package let printError: (String) -> Void

    /// Creates a console.
    package init(
        isInteractive: Bool, readLine: @escaping () -> String?, print: @escaping (String) -> Void,
        printError: @escaping (String) -> Void
    ) {
        self.isInteractive = isInteractive
        self.readLine = readLine
        self.print = print
        self.printError = printError
    }

    /// The standard streams of the process. A person is asked for each line, and edits it with the arrows; up and down
    /// show the lines from before.
    package static var standard: Console {
        let isInteractive = isatty(STDIN_FILENO) == 1
        let reader = LineReader()
        return Console(
            isInteractive: isInteractive,
            readLine: {
                if let reader { return reader.readLine() }
                if isInteractive { Swift.print("> ", terminator: "") }
                // Whoever writes the next line may be waiting for the answers to the last one.
                fflush(nil)
                let line = Swift.readLine()
                // The end of the input leaves the person behind the question.
                if isInteractive, line == nil { Swift.print() }
                return line
            },
            print: { Swift.print($0) },
            printError: { FileHandle.standardError.write(Data(($0 + "\n").utf8)) })
    }

    /// Returns lines of a script one by one, like ``readLine``, and prints each as if somebody had typed it.
    package func performing(_ script: String) -> () -> String? {
        var rest = script.split(separator: "\n", omittingEmptySubsequences: false)[...]
        return {
            guard let line = rest.popFirst() else { return nil }
            print(line.isEmpty || line.hasPrefix("#") ? String(line) : "> \(line)")
            return String(line)
        }
    }

    /// Returns lines of a script like ``performing(_:)``, and then, if a person is there, theirs.
    ///
    /// - Parameter hint: What a person should know about their lines.
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
