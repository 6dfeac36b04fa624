// What the arguments say.

import Conversation

/// What the arguments say.
struct Options: Equatable {
    enum Mode {
        /// The screen, or commands if there is none.
        case automatic
        case screen, commands, demo, help

        /// Whether the screen is tried.
        var isScreen: Bool { self == .automatic || self == .screen }
    }

    var path: String?
    var cartPath: String?
    var graphName: String?
    var mode = Mode.automatic

    struct Mistake: Error {
        let description: String
    }

    init(_ arguments: [String]) throws(Mistake) {
        var rest = arguments[...]
        func value(of option: String) throws(Mistake) -> String {
            guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("-") else {
                throw Mistake(description: "\(option) needs the name of a file")
            }
            return value
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--cart": cartPath = try value(of: argument)
            case "--graph": graphName = try Self.graphName(try value(of: argument))
            case "--screen": try choose(.screen)
            case "--commands": try choose(.commands)
            case "--demo": try choose(.demo)
            case "--help", "-h": mode = .help
            case _ where argument.hasPrefix("-"): throw Mistake(description: "no option \(argument.shortened)")
            case _ where argument.isEmpty: throw Mistake(description: "\"\" is no file")
            default:
                if let path {
                    throw Mistake(
                        description: "one catalogue at a time, not \(path.shortened) and \(argument.shortened)")
                }
                path = argument
            }
        }
        if mode == .demo, path != nil || cartPath != nil {
            throw Mistake(description: "--demo has its own catalogue and cart")
        }
    }

    /// What the two files are called, but for their endings, which need not be left out.
    private static func graphName(_ text: String) throws(Mistake) -> String {
        let ending = [".dot", ".mmd"].first(where: text.hasSuffix) ?? ""
        let name = String(text.dropLast(ending.count))
        guard !name.isEmpty, name.last != "/" else {
            throw Mistake(description: "--graph needs the name of a file, not of a folder")
        }
        return name
    }

    private mutating func choose(_ mode: Mode) throws(Mistake) {
        guard self.mode == .automatic || self.mode == mode || self.mode == .help else {
            throw Mistake(description: "--screen, --commands and --demo exclude each other")
        }
        if self.mode != .help { self.mode = mode }
    }
}
