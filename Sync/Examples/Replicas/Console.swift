// The standard streams: commands from a person or a script, and lines that may come at any time.

import Foundation

/// Asks for commands, and prints.
///
/// Only a person sees the greeting and the prompt. If the input is a pipe or a file, there is neither.
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

    /// Prints a text if a person is there.
    func greet(_ text: String) { if isInteractive { print(text) } }

    /// Asks a person for the next command.
    func ask() {
        guard isInteractive else { return }
        write("> ")
        isAsking = true
    }

    /// Notes that the person has ended the line.
    func wasAnswered() { isAsking = false }

    /// Ends the line of a prompt that nobody will answer.
    func end() {
        if isAsking { write("\n") }
        isAsking = false
    }

    /// Prints a line: above the prompt, if there is one.
    func print(_ line: String) { write(isAsking ? "\r\u{1B}[K\(line)\n> " : "\(line)\n") }

    private func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}
