// The program: its arguments, a single frame, the full screen.

import Conversation
import Foundation
import TerminalHost

/// The program, but for its process.
package struct Program {
    private let defaultPath: String
    private let console: Console

    /// Creates the program.
    ///
    /// - Parameter defaultPath: The file that is read if the arguments name none.
    package init(defaultPath: String, console: Console) {
        self.defaultPath = defaultPath
        self.console = console
    }

    static let usage = """
        Usage: Dash [FILE] [--pause MILLISECONDS]   on the whole screen of the terminal
               Dash [FILE] --once                   prints one frame, once FILE has been read

        FILE is read slowly, to show its progress: --pause says how long to wait after each of about fifty slices (20).

        Keys: tab or 1–5 goes to a panel; q or Ctrl-C quits; the last line shows those of the panel.
        """

    /// Runs the program.
    ///
    /// - Parameter arguments: The arguments, without the name of the program.
    /// - Returns: How it has ended, or the exit code if it has not been on the screen.
    package func run(_ arguments: [String]) -> Result<FullScreen.Ending, Exit> {
        let options: Options
        do {
            options = try Options(arguments, defaultPath: defaultPath)
        } catch {
            console.printError("\(error.description)\n\n\(Self.usage)")
            return .failure(Exit(code: 64))
        }
        if options.showsHelp {
            console.print(Self.usage)
            return .failure(Exit(code: 0))
        }
        if options.isOnce { return .failure(Exit(code: printFrame(options) ? 0 : 1)) }
        let settings = DashSettings(
            path: options.path, pause: { try await Task.sleep(nanoseconds: options.pause * 1_000_000) })
        do {
            return .success(try FullScreen.run { dash(settings) })
        } catch {
            console.printError("Dash needs a terminal to draw on, but \(error). Use --once to print one frame.")
            return .failure(Exit(code: 64))
        }
    }

    /// An exit code.
    package struct Exit: Error, Equatable {
        /// The code.
        package let code: Int32
    }

    /// Prints what the screen shows when the file has been read.
    ///
    /// - Returns: Whether it could be read.
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

/// What the arguments say.
package struct Options: Equatable {
    package var path: String
    package var isOnce = false
    package var showsHelp = false
    /// In milliseconds.
    package var pause: UInt64 = 20

    package struct Mistake: Error {
        package let description: String
    }

    package init(_ arguments: [String], defaultPath: String) throws(Mistake) {
        path = defaultPath
        var files: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--once": isOnce = true
            case "--help", "-h": showsHelp = true
            case "--pause":
                guard let value = rest.popFirst().flatMap({ UInt64($0) }), value <= 60_000 else {
                    throw Mistake(description: "--pause needs a number of milliseconds, 60000 at most.")
                }
                pause = value
            case _ where argument.hasPrefix("-"): throw Mistake(description: "There is no option \(argument).")
            default: files.append(argument)
            }
        }
        guard files.count <= 1 else {
            throw Mistake(description: "Only one file can be read: \(files.joined(separator: ", ")).")
        }
        if let file = files.first { path = file }
    }
}
