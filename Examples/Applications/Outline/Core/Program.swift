// The program without its process: it takes arguments and a console, and returns an exit code.

import Conversation
import Foundation
import InspectorServer

/// The outline program.
@MainActor
package struct Program {
    private static let usage = """
        Usage: Outline [FILE.json] [--inspect PORT] [--help]

        Keeps a to-do list as an outline in a file, and runs commands from standard input. Changes are saved
        automatically; the first one creates the file if it does not exist. Without a file, Outline runs a
        demonstration on a sample, and then commands from the keyboard, if there is one.
        With --inspect, a browser on this machine shows the live dependency graph and steps back and forth in the
        history of changes; port 0 is a free one.
        The exit code is 0; 1 if the file cannot be read or written, or the port cannot be used; 64 if the arguments
        are invalid.

        \(Command.summary)
        """

    private let console: Console
    private let sample: [UInt8]

    /// Creates the program.
    ///
    /// - Parameter sample: The file to show if the arguments have none.
    package init(console: Console, sample: [UInt8]) {
        self.console = console
        self.sample = sample
    }

    /// Runs the program.
    ///
    /// - Parameter arguments: The command line without the name of the program.
    /// - Returns: The exit code: 0, 1 for a file or a port that cannot be used, 64 for invalid arguments.
    package func run(_ arguments: [String]) async -> Int32 {
        do {
            let arguments = try Arguments(arguments, file: "outline", values: ["--inspect": "a port"])
            let port = try arguments.port(of: "--inspect")
            if let path = arguments.file { try await edit(path, port) } else { try await demonstrate(port) }
            return 0
        } catch {
            return console.report(error, of: "Outline", usage: Self.usage)
        }
    }

    /// Performs commands on a file.
    private func edit(_ path: String, _ port: UInt16?) async throws {
        let file = try OutlineFile(path)
        console.print("\(path): \(file.isNew ? "a new outline" : summary(of: file.outline))")
        let session = Session(outline: file.outline, file: file, reading: console.readLine, writing: console.print)
        try await run(session, port)
        try file.close()
    }

    /// Runs the demonstration and then lets a user enter commands.
    private func demonstrate(_ port: UInt16?) async throws {
        let outline = try JSONDecoder().decode(Outline.self, from: Data(sample))
        console.print("moving.json (the sample): \(summary(of: outline))")
        let nextLine = console.demonstrating(Demonstration.script, then: "; nothing is saved")
        try await run(Session(outline: outline, reading: nextLine, writing: console.print), port)
    }

    /// Runs a session, with a server of its inspector if there is a port.
    private func run(_ session: Session, _ port: UInt16?) async throws {
        if let port {
            let server = try InspectorServer(of: session.inspector, port: port)
            console.print("the inspector is at \(server.address)")
        }
        await session.run(isShared: port != nil)
    }

    private func summary(of outline: Outline) -> String {
        let progress = outline.progress
        return "\(progress.total.of("item")), \(progress.done) done"
    }
}
