// The whole program but for the process around it: arguments and a console in, an exit code out.

import Conversation
import Foundation

/// The outline program.
@MainActor
package struct Program {
    private static let usage = """
        Usage: Outline [FILE.json] [--help]

        Keeps an outline of things to do in a file, and performs commands on it from standard input. Changes
        are saved by themselves; a file that does not exist is made at the first one. Without a file it shows
        what it can do on a sample, and goes on with commands from the keyboard, if there is one.
        The exit code is 0, 1 if the file cannot be read or written, and 64 if the arguments make no sense.

        \(Command.summary)
        """

    private let console: Console
    private let sample: [UInt8]

    /// Creates the program.
    ///
    /// - Parameter sample: The file to show if none is named.
    package init(console: Console, sample: [UInt8]) {
        self.console = console
        self.sample = sample
    }

    /// Runs the program.
    ///
    /// - Parameter arguments: The command line without the name of the program.
    /// - Returns: The exit code: 0, 1 for a file that cannot be used, 64 for arguments that make no sense.
    package func run(_ arguments: [String]) -> Int32 {
        if arguments.contains("--help") || arguments.contains("-h") {
            console.print(Self.usage)
            return 0
        }
        if let option = arguments.first(where: { $0.hasPrefix("-") }) { return misuse("no option \(option)") }
        if arguments.count > 1 { return misuse("one outline at a time, not \(arguments[0]) and \(arguments[1])") }
        do {
            if let path = arguments.first { try edit(path) } else { try demonstrate() }
            return 0
        } catch {
            console.printError("\(error)")
            return 1
        }
    }

    private func misuse(_ message: String) -> Int32 {
        console.printError("\(message); Outline --help explains the arguments")
        return 64
    }

    /// Performs commands on a file.
    private func edit(_ path: String) throws(FileError) {
        let file = try OutlineFile(path)
        console.print("\(path): \(file.isNew ? "a new outline" : summary(of: file.outline))")
        session(file.outline, file, reading: console.readLine).run()
        try file.close()
    }

    /// Shows what the program can do, and lets a person try it.
    private func demonstrate() throws {
        let outline = try JSONDecoder().decode(Outline.self, from: Data(sample))
        console.print("moving.json (the sample): \(summary(of: outline))")
        let script = console.performing(Demonstration.script)
        var isTheirTurn = false
        session(outline, nil) {
            if let line = script() { return line }
            guard console.isInteractive else { return nil }
            if !isTheirTurn {
                console.print("\nYour turn. help lists the commands, quit ends; nothing of this is saved.")
            }
            isTheirTurn = true
            return console.readLine()
        }.run()
    }

    private func session(_ outline: Outline, _ file: OutlineFile?, reading nextLine: @escaping () -> String?) -> Session
    {
        Session(outline: outline, file: file, reading: nextLine, writing: console.print)
    }

    private func summary(of outline: Outline) -> String {
        let progress = outline.progress
        return "\(progress.total.of("item")), \(progress.done) done"
    }
}
