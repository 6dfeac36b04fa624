// The program without its process: it takes arguments and a console, and returns an exit code.

import Conversation
import InspectorServer
import Reactive

/// The spreadsheet program.
package struct Program {
    private static let usage = """
        Usage: Sheet [FILE.csv] [--script FILE] [--inspect PORT] [--help]

        Loads a sheet and runs commands from the script, or from standard input. On a terminal it draws the
        sheet first. Without a file it loads a sample. Without a file and a script, Sheet runs a demonstration,
        and then commands from the keyboard, if there is one.
        With --inspect, a browser on this machine shows the live dependency graph; port 0 is a free one.
        The exit code is 0; 1 if a file cannot be read or the port cannot be used; 64 if the arguments are invalid.

        \(Command.summary)
        """

    private let console: Console
    private let sample: [UInt8]

    /// Creates the program.
    ///
    /// - Parameter sample: The file to load if the arguments have none.
    package init(console: Console, sample: [UInt8]) {
        self.console = console
        self.sample = sample
    }

    /// Runs the program.
    ///
    /// - Parameter arguments: The command line without the name of the program.
    /// - Returns: The exit code: 0, 1 for a file or a port that cannot be used, 64 for invalid arguments.
    package func run(_ arguments: [String]) -> Int32 {
        do {
            let arguments = try Arguments(
                arguments, file: "sheet", values: ["--script": "a file", "--inspect": "a port"])
            if let port = try arguments.port(of: "--inspect") {
                let server = try InspectorServer(of: Diagnostics.inspector(titled: "Sheet"), port: port)
                console.print("the inspector is at \(server.address)")
            }
            if let path = arguments.values["--script"] {
                let script = try Script(path)
                perform(script, on: try load(arguments.file))
            } else {
                let sheet = try load(arguments.file)
                let isDemonstration = arguments.file == nil
                if console.isInteractive, !isDemonstration { welcome(to: sheet) }
                let nextLine = isDemonstration ? console.demonstrating(Demonstration.script) : console.readLine
                Session(sheet: sheet, reading: nextLine, writing: console.print, complaining: console.print).run()
            }
            return 0
        } catch {
            return console.report(error, of: "Sheet", usage: Self.usage)
        }
    }

    /// Prints the sheet and hints for a person.
    private func welcome(to sheet: Sheet) {
        console.print("")
        Table.lines(of: sheet, in: nil).forEach(console.print)
        console.print("")
        console.print("\(Self.example(in: sheet)) = 40 changes a cell, help lists the commands, quit ends the program.")
    }

    /// The first cell with an entered number in the printed part of the sheet; `A1` if there is none.
    private static func example(in sheet: Sheet) -> Position {
        for row in 1...Table.defaultRows {
            for column in 1...Table.defaultColumns {
                let position = Position(column: column, row: row)
                if case .number = sheet.shownValue(at: position), !sheet.source(at: position).hasPrefix("=") {
                    return position
                }
            }
        }
        return Position(column: 1, row: 1)
    }

    /// Runs a script. A command that fails is reported with its line, and the script continues.
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

    // MARK: - Files

    private func load(_ file: String?) throws -> Sheet {
        let name = file.map(Failure.name) ?? "budget.csv (the sample)"
        let rows: [[String]]
        do {
            rows = try CSVReader.rows(of: try file.map(CSVFile.contents) ?? sample)
        } catch let error as CSVError {
            throw Failure("\(name):\(error)")
        } catch {
            throw Failure("\(name): \(error)")
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
            throw Failure("\(Failure.name(path)): \(error)")
        }
    }
}

/// The reason why a file cannot be used.
private struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// Returns the name of a file for messages.
    static func name(_ path: String) -> String { path.isEmpty ? "\"\"" : path }
}
