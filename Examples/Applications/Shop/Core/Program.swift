// The program without its process: it takes arguments and a console, and returns an exit code.

import Conversation
import Foundation
import InspectorServer
import ReactiveAtoms
import SheetCore
import TerminalHost

/// The shop program.
@MainActor
package struct Program {
    static let usage = """
        Usage: Shop [CATALOGUE.csv] [--cart FILE.json] [--graph NAME]
                    [--inspect PORT] [--screen | --commands | --demo]

        Shows a catalogue and a cart: on the whole screen of a terminal, or with
        commands from standard input. Without a catalogue it uses a sample.

        --cart FILE.json  saves the cart to a file, which the first change creates
        --graph NAME      at the end, writes the graph of the state as NAME.dot and
                          NAME.mmd (Mermaid)
        --inspect PORT    shows the live dependency graph to browsers on this
                          machine; port 0 is a free one
        --screen          uses the whole screen, and needs a terminal
        --commands        runs commands, also on a terminal
        --demo            runs a demonstration on the sample, with commands

        The exit code is 0. It is 1 if the catalogue cannot be read, the cart or the
        graph cannot be written, or the port cannot be used. It is 64 if the
        arguments are invalid, or --screen has no terminal.

        \(Command.summary)
        """

    private let console: Console
    private let sample: [UInt8]

    /// Creates the program.
    ///
    /// - Parameter sample: The catalogue to use if the arguments have none.
    package init(console: Console, sample: [UInt8]) {
        self.console = console.wrapping
        self.sample = sample
    }

    /// Runs the program.
    ///
    /// - Parameter arguments: The arguments, without the name of the program.
    /// - Returns: The ending of the program.
    package func run(_ arguments: [String]) async -> FullScreen.Ending {
        let options: Options
        do {
            options = try Options(arguments)
        } catch {
            return .exit(console.report(error, of: "Shop", usage: Self.usage))
        }
        let notice: String
        do {
            notice = try startInspector(options)
        } catch {
            return .exit(console.report(error, of: "Shop", usage: Self.usage))
        }
        let shop = Shop(options.path.map { .file($0) } ?? .sample(sample), cartPath: options.cartPath)
        if options.mode.isScreen {
            do {
                return try show(shop, options, notice)
            } catch {
                guard options.mode == .automatic else {
                    console.printError("Shop --screen needs a terminal, but \(error). Use --commands.")
                    return .exit(64)
                }
            }
        }
        if !notice.isEmpty { console.print(notice) }
        return .exit(await converse(shop, options))
    }

    /// Starts the server of the inspector, if requested.
    ///
    /// - Returns: A line with its address; empty without a server.
    private func startInspector(_ options: Options) throws -> String {
        guard let port = options.inspectorPort else { return "" }
        let server = try InspectorServer(of: Diagnostics.inspector(titled: "Shop"), port: port)
        return "the inspector is at \(server.address)"
    }

    /// Runs commands.
    ///
    /// - Returns: The exit code.
    private func converse(_ shop: Shop, _ options: Options) async -> Int32 {
        do {
            try await shop.load()
        } catch {
            console.printError("\(error)")
            shop.close()
            return 1
        }
        let session = Session(
            shop: shop, reading: options.mode == .demo ? console.performing(Demonstration.script) : console.readLine,
            writing: console.print, columns: console.columns)
        // Commands do not observe the state, and the inspector shows what reactions observe.
        let everything = options.inspectorPort.map { _ in shop.observingEverything() }
        defer { everything?.cancel() }
        if console.isInteractive, options.mode != .demo {
            console.print("help lists the commands, quit ends the program")
        }
        await session.run()
        let isWritten = writeGraph(of: shop, options)
        return close(shop, told: shop.problems.count) && isWritten ? 0 : 1
    }

    /// Shows the shop on the screen.
    ///
    /// - Parameter notice: A line to show until the first key.
    /// - Throws: `NoTerminal` if there is no terminal. Then nothing has changed.
    private func show(_ shop: Shop, _ options: Options, _ notice: String) throws(NoTerminal) -> FullScreen.Ending {
        let ending = try FullScreen.run { shopScreen(shop, notice: notice) }
        let isWritten = writeGraph(of: shop, options)
        // Problems that were shown on the screen are no longer visible, so they are printed again.
        return close(shop, told: 0) && isWritten || ending != .exit(0) ? ending : .exit(1)
    }

    /// Saves unsaved changes and prints problems.
    ///
    /// - Parameter count: The number of problems that have already been printed.
    /// - Returns: Whether everything is saved.
    private func close(_ shop: Shop, told count: Int) -> Bool {
        shop.close()
        for problem in shop.problems[count...] { console.printError(problem) }
        return shop.problems.isEmpty
    }

    /// Writes the graph of the state, if requested.
    private func writeGraph(of shop: Shop, _ options: Options) -> Bool {
        guard let name = options.graphName else { return true }
        do {
            try GraphFiles.write(shop.wholeState(), named: name)
            return true
        } catch {
            let reason = CSVFile.reason(error, at: "\(name).dot")
            console.printError("the graph could not be written to \(name.shortened).dot: \(reason)")
            return false
        }
    }
}

/// The files with the graph of the state.
enum GraphFiles {
    static func write(_ snapshot: RecoilSnapshot, named name: String) throws {
        let texts = [
            "dot": snapshot.generateDotGraph(isSortNodeByName: true),
            "mmd": snapshot.generateMermaidGraph(isSortNodeByName: true),
        ]
        for (ending, text) in texts {
            try Data("\(text)\n".utf8).write(to: URL(fileURLWithPath: "\(name).\(ending)"), options: .atomic)
        }
    }
}
