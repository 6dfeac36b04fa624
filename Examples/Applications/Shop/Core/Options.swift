// What the arguments say.

import Conversation

/// What the arguments say.
struct Options {
    enum Mode: String {
        /// The screen, or commands if there is none: without an option.
        case automatic
        case screen = "--screen"
        case commands = "--commands"
        case demo = "--demo"

        /// Whether the screen is tried.
        var isScreen: Bool { self == .automatic || self == .screen }
    }

    var path: String?
    var cartPath: String?
    var graphName: String?
    var mode: Mode

    /// Reads arguments.
    ///
    /// - Throws: `Misuse` or `HelpRequest`.
    init(_ arguments: [String]) throws {
        let arguments = try Arguments(
            arguments, file: "catalogue", flags: ["--screen", "--commands", "--demo"],
            values: ["--cart": "the name of a file", "--graph": "the name of a file"])
        path = arguments.file
        cartPath = arguments.values["--cart"]
        graphName = try arguments.values["--graph"].map(Self.graphName)
        mode = arguments.flags.first.flatMap(Mode.init) ?? .automatic
        if path == "" { throw Misuse.other("the path of the catalogue is empty") }
        if arguments.flags.count > 1 { throw Misuse.other("--screen, --commands and --demo exclude each other") }
        if mode == .demo, path != nil || cartPath != nil {
            throw Misuse.other("--demo cannot be combined with a catalogue or --cart")
        }
    }

    /// What the two files are called, but for their endings, which need not be left out.
    private static func graphName(_ text: String) throws -> String {
        let ending = [".dot", ".mmd"].first(where: text.hasSuffix) ?? ""
        let name = String(text.dropLast(ending.count))
        guard !name.isEmpty, name.last != "/" else {
            throw Misuse.other("--graph needs the name of a file, not of a folder")
        }
        return name
    }
}
