// The program: its arguments, a single frame, the full screen.

import Conversation
import Foundation
import TerminalHost

/// The program without its process.
package struct Program {
    private let defaultPath: String
    private let console: Console

    /// Creates the program.
    ///
    /// - Parameter defaultPath: The file to read if the arguments have none.
    package init(defaultPath: String, console: Console) {
        self.defaultPath = defaultPath
        self.console = console
    }

    static let usage = """
        Usage: Dash [FILE] [--pause MILLISECONDS]   uses the whole screen of the terminal
               Dash [FILE] --once                   prints one frame after FILE has been read

        Dash reads FILE slowly, to show the progress: in about fifty slices, with a pause after each (20 ms).

        Keys: tab or 1–5 selects a panel; q or Ctrl-C quits. The last line shows the keys of the panel.
        """

    /// Runs the program.
    ///
    /// - Parameter arguments: The arguments, without the name of the program.
    /// - Returns: The ending of the program.
    package func run(_ arguments: [String]) -> FullScreen.Ending {
        let options: Options
        do {
            options = try Options(arguments, defaultPath: defaultPath)
        } catch let misuse as Misuse {
            console.printError("\(Options.explanation(of: misuse))\n\n\(Self.usage)")
            return .exit(64)
        } catch {
            return .exit(console.report(error, of: "Dash", usage: Self.usage))
        }
        if options.isOnce { return .exit(printFrame(options) ? 0 : 1) }
        let settings = DashSettings(
            path: options.path, pause: { try await Task.sleep(nanoseconds: options.pause * 1_000_000) })
        do {
            return try FullScreen.run { dash(settings) }
        } catch {
            console.printError("Dash needs a terminal to draw on, but \(error). Use --once to print one frame.")
            return .exit(64)
        }
    }

    /// Prints the screen after the file has been read.
    ///
    /// - Returns: Whether the file could be read.
    private func printFrame(_ options: Options) -> Bool {
        let loop = EventLoop()
        var isSuccess = false
        let settings = DashSettings(
            path: options.path,
            onLoaded: {
                isSuccess = $0
                loop.stop()
            })
        let stage = Stage(loop: loop, size: FullScreen.sizeForPrinting) { dash(settings) }
        loop.run()
        console.print(stage.frame().lines.joined(separator: "\n"))
        stage.close()
        return isSuccess
    }
}

/// The options in the arguments.
struct Options {
    let path: String
    let isOnce: Bool
    /// The pause in milliseconds.
    var pause: UInt64 = 20

    /// Reads arguments.
    ///
    /// - Throws: `Misuse` or `HelpRequest`.
    init(_ arguments: [String], defaultPath: String) throws {
        let pauseName = "a number of milliseconds, at most 60000"
        let arguments = try Arguments(arguments, file: "file", flags: ["--once"], values: ["--pause": pauseName])
        path = arguments.file ?? defaultPath
        isOnce = arguments.flags.contains("--once")
        if let text = arguments.values["--pause"] {
            guard let value = UInt64(text), value <= 60_000 else { throw Misuse.other("--pause needs \(pauseName)") }
            pause = value
        }
    }

    /// The message about a misuse.
    static func explanation(of misuse: Misuse) -> String {
        switch misuse {
        case .unknownOption(let option): "Unknown option \(option)."
        case .secondFile(_, let first, let second): "Only one file can be read, not \(first) and \(second)."
        case .other(let reason): "\(reason)."
        }
    }
}
