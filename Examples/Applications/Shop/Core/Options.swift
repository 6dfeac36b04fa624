// The options in the arguments.

import Conversation

/// The options in the arguments.
struct Options {
    enum Mode: String {
        /// The screen, or commands if there is no terminal. The default.
        case automatic
        case screen = "--screen"
        case commands = "--commands"
        case demo = "--demo"

        /// Whether to try the screen.
        var isScreen: Bool { self == .automatic || self == .screen }
    }

    var path: String?
    var cartPath: String?
    var graphName: String?
    var inspectorPort: UInt16?
    var mode: Mode

    /// Parses arguments.
    ///
    /// - Throws: `Misuse` or `HelpRequest`.
    init(_ arguments: [String]) throws {
        let arguments = try Arguments(
            arguments, file: "catalogue", flags: ["--screen", "--commands", "--demo"],
            values: ["--cart": "the name of a file", "--graph": "the name of a file", "--inspect": "a port"])
        path = arguments.file
        cartPath = arguments.values["--cart"]
        graphName = try arguments.values["--graph"].map(Self.graphName)
        inspectorPort = try arguments.port(of: "--inspect")
        mode = arguments.flags.first.flatMap(Mode.init) ?? .automatic
        if path == "" { throw Misuse.other("the path of the catalogue is empty") }
        if arguments.flags.count > 1 { throw Misuse.other("--screen, --commands and --demo exclude each other") }
        if mode == .demo, path != nil || cartPath != nil {
            throw Misuse.other("--demo cannot be combined with a catalogue or --cart")
        }
    }

    /// Returns the common name of the two graph files without their extensions, which the argument may have.
    private static func graphName(_ text: String) throws -> String {
        let ending = [".dot", ".mmd"].first(where: text.hasSuffix) ?? ""
        let name = String(text.dropLast(ending.count))
        guard !name.isEmpty, name.last != "/" else {
            throw Misuse.other("--graph needs the name of a file, not of a folder")
        }
        return name
    }
}
