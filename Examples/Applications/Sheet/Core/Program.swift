// The whole program but for the process around it: arguments and a console in, an exit code out.

import Conversation

/// The spreadsheet program.
package struct Program {
    private static let usage = """
        Usage: Sheet [FILE.csv] [--script FILE] [--help]

        Loads a sheet and performs commands on it, from the script or else from standard input.
        Without a file it loads a sample; without a script as well, it shows what it can do, and goes on
        with commands from the keyboard, if there is one.
        The exit code is 0, 1 if a file cannot be read, and 64 if the arguments make no sense.

        \(Command.summary)
        """

    private let console: Console
    private let sample: [UInt8]

    /// Creates the program.
    ///
    /// - Parameter sample: The file to load if none is named.
    package init(console: Console, sample: [UInt8]) {
        self.console = console
        self.sample = sample
    }

    /// Runs the program.
    ///
    /// - Parameter arguments: The command line without the name of the program.
    /// - Returns: The exit code: 0, 1 for a file that cannot be used, 64 for arguments that make no sense.
    package func run(_ arguments: [String]) -> Int32 {
        do {
            let options = try Options(arguments)
            if options.wantsHelp {
                console.print(Self.usage)
                return 0
            }
            if let path = options.script {
                let script = try Script(path)
                perform(script, on: try load(options.file))
            } else {
                let sheet = try load(options.file)
                let goesOn = options.file != nil || demonstrate(sheet)
                if goesOn { session(sheet, reading: console.readLine).run() }
            }
            return 0
        } catch let failure as Failure {
            console.printError(failure.message)
            return failure.exitCode
        } catch {
            console.printError("\(error)")
            return 1
        }
    }

    /// Performs a script. What cannot be done is reported with its line, and the rest goes on.
    private func perform(_ script: Script, on sheet: Sheet) {
        var number = 0
        Session(
            sheet: sheet,
            reading: {
                guard number < script.lines.count else { return nil }
                number += 1
                return String(script.lines[number - 1])
            }, writing: console.print, complaining: { console.print("\(script.path):\(number): \($0)") }
        ).run()
    }

    private func session(_ sheet: Sheet, reading nextLine: @escaping () -> String?) -> Session {
        Session(sheet: sheet, reading: nextLine, writing: console.print, complaining: console.print)
    }

    /// Shows what the program can do, and returns whether a person is there to try it.
    private func demonstrate(_ sheet: Sheet) -> Bool {
        session(sheet, reading: console.performing(Demonstration.script)).run()
        if console.isInteractive { console.print("\nYour turn. help lists the commands, quit ends.") }
        return console.isInteractive
    }

    // MARK: - Files

    private func load(_ file: String?) throws -> Sheet {
        let name = file.map(Failure.name) ?? "budget.csv (the sample)"
        let rows: [[String]]
        do {
            rows = try CSVReader.rows(of: try file.map(CSVFile.contents) ?? sample)
        } catch let error as CSVError {
            throw Failure(message: "\(name):\(error)", exitCode: 1)
        } catch {
            throw Failure(message: "\(name): \(error)", exitCode: 1)
        }
        let sheet = Sheet(rows: rows) { position, error in console.printError("\(name): \(position): \(error)") }
        let extent = sheet.filledExtent
        let formulas = rows.joined().count { $0.hasPrefix("=") }
        console.print(
            "\(name): \(extent.rows.of("row")), \(extent.columns.of("column")), \(formulas.of("formula"))")
        return sheet
    }
}

/// Commands from a file.
private struct Script {
    let path: String
    let lines: [Substring]

    init(_ path: String) throws {
        self.path = path
        do {
            lines = String(decoding: try CSVFile.contents(of: path), as: UTF8.self)
                .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        } catch {
            throw Failure(message: "\(Failure.name(path)): \(error)", exitCode: 1)
        }
    }
}

/// Why the program ends early.
private struct Failure: Error {
    let message: String
    let exitCode: Int32

    /// A file as messages name it.
    static func name(_ path: String) -> String { path.isEmpty ? "\"\"" : path }
}

/// What the arguments ask for.
private struct Options {
    var file: String?
    var script: String?
    var wantsHelp = false

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h": wantsHelp = true
            case "--script":
                guard let path = rest.popFirst() else { throw Self.misuse("--script needs a file") }
                guard script == nil else { throw Self.misuse("--script can be given once") }
                script = path
            case _ where argument.hasPrefix("-"): throw Self.misuse("no option \(argument)")
            default:
                if let file { throw Self.misuse("one sheet at a time, not \(file) and \(argument)") }
                file = argument
            }
        }
    }

    private static func misuse(_ message: String) -> Failure {
        Failure(message: "\(message); Sheet --help explains the arguments", exitCode: 64)
    }
}
