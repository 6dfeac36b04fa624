// A session with a sheet: it reads commands and prints lines of text. A person, a script and a test use the same type.

import Conversation
import Foundation
import Reactive
import ReactiveInspector

/// A session with a sheet.
package final class Session {
    private let sheet: Sheet
    private let nextLine: () -> String?
    private let print: (String) -> Void
    private let complain: (String) -> Void

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - sheet: The sheet.
    ///   - nextLine: Returns the next line of input; `nil` ends the session.
    ///   - print: Called with each line of output.
    ///   - complain: Called with the error of a command.
    package init(
        sheet: Sheet, reading nextLine: @escaping () -> String?, writing print: @escaping (String) -> Void,
        complaining complain: @escaping (String) -> Void
    ) {
        self.sheet = sheet
        self.nextLine = nextLine
        self.print = print
        self.complain = complain
    }

    /// Runs commands until the input ends or a command is `quit`.
    ///
    /// - Returns: Whether the input ended without `quit`.
    @discardableResult
    package func run() -> Bool {
        while let line = nextLine() {
            guard let command = command(line) else { continue }
            switch command {
            case .quit: return false
            case .begin:
                if !transaction() { return false }
            case .commit, .rollback: complain("no transaction is open; begin opens one")
            case .save(let path): save(path)
            case .graph(let path): writeGraph(to: path)
            default: perform(command)
            }
            for change in sheet.takeChanges() { print(change.description) }
        }
        return true
    }

    /// Parses a command. Prints an error if the line is not a command.
    private func command(_ line: String) -> Command? {
        do throws(CommandError) {
            return try Command.read(line)
        } catch {
            complain(error.description)
            return nil
        }
    }

    /// Runs a command that is the same inside and outside a transaction.
    private func perform(_ command: Command) {
        switch command {
        case .edit(let position, let source):
            do throws(FormulaError) {
                try sheet.enter(source, at: position)
            } catch {
                complain("\(position) is unchanged: \(error)")
            }
        case .inspect(let position): inspect(position)
        case .show(let range): Table.lines(of: sheet, in: range).forEach(print)
        case .why(let position): sheet.explanation(of: position).forEach(print)
        case .help: print(Command.summary)
        case .begin, .commit, .rollback, .save, .graph, .quit:
            preconditionFailure("internal inconsistency: \(command) depends on whether a transaction is open")
        }
    }

    private func inspect(_ position: Position) {
        let source = sheet.source(at: position)
        let formula = source.hasPrefix("=") ? ", from \(source.onOneLine)" : ""
        print("\(position): \(sheet.shownValue(at: position).description)\(formula)")
    }

    private func save(_ path: String) {
        do {
            print("saved \(try CSVFile.save(sheet, to: path).of("row")) to \(path)")
        } catch {
            complain("\(path) is not saved: \(error)")
        }
    }

    private func writeGraph(to path: String) {
        let graph = Diagnostics.graph()
        do {
            try CSVFile.write(Data(graph.html.utf8), to: path)
            print("wrote \(graph.nodes.count.of("node")) to \(path)")
        } catch {
            complain("\(path) is not written: \(error)")
        }
    }

    // MARK: - Transactions

    /// The reason why a transaction is rolled back.
    private enum Rollback: Error {
        case asked
        case inputEnded
        case quit
    }

    /// Runs commands as one transaction, up to `commit` or `rollback`.
    ///
    /// The transaction is a call of `inTransaction` whose closure reads the lines. `commit` returns from the closure;
    /// everything else throws.
    ///
    /// - Returns: Whether the session continues.
    private func transaction() -> Bool {
        do throws(Rollback) {
            try sheet.transaction { () throws(Rollback) in try performUntilCommit() }
            return true
        } catch {
            switch error {
            case .asked: print("rolled back")
            case .inputEnded: complain("rolled back: the input ended without commit")
            case .quit: complain("rolled back: quit came without commit")
            }
            return error != .quit
        }
    }

    private func performUntilCommit() throws(Rollback) {
        while let line = nextLine() {
            guard let command = command(line) else { continue }
            switch command {
            case .commit: return
            case .rollback: throw .asked
            case .quit: throw .quit
            case .begin: complain("a transaction is open already; commit or rollback ends it")
            case .save: complain("a transaction is open; commit or rollback it before save")
            case .graph: complain("a transaction is open; commit or rollback it before graph")
            default: perform(command)
            }
        }
        throw .inputEnded
    }
}
