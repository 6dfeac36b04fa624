// The standard streams: commands from a person or a script, and lines that may come at any time.

import Foundation

/// Asks for commands, and prints.
@MainActor final class Console {
    private let isInteractive = isatty(STDIN_FILENO) == 1
    /// Whether the cursor is behind a prompt.
    private var isAsking = false

    /// The lines of the standard input. A thread waits for them, so that the main actor is free meanwhile.
    let lines = AsyncStream<String> { continuation in
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
    }

    /// Asks a person for the next command.
    func ask() {
        guard isInteractive else { return }
        write("> ")
        isAsking = true
    }

    /// Notes that the person has ended the line.
    func wasAnswered() { isAsking = false }

    /// Prints a line: above the prompt, if there is one.
    func print(_ line: String) { write(isAsking ? "\r\u{1B}[K\(line)\n> " : "\(line)\n") }

    private func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}
