// The arguments of the tour.

/// The request in the arguments.
package enum TourArguments: Equatable {
    /// Some chapters, in the order of the arguments; all of them without arguments.
    case chapters([String])
    /// The names of all chapters.
    case list
    /// The usage text.
    case help

    package static let usage = """
        Usage: Tour [CHAPTER ...] [--list] [--help]

        Shows each function of the library in a few lines, runs them and lets them print.
        With names of chapters it shows these only; --list lists the names.
        The exit code is 0, and 64 if the arguments make no sense.
        """

    /// The reason why arguments are invalid.
    package struct Misuse: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    /// Parses arguments.
    ///
    /// - Parameter arguments: The command line without the name of the program.
    package init(_ arguments: [String]) throws(Misuse) {
        if arguments.contains("--help") || arguments.contains("-h") {
            self = .help
        } else if let option = arguments.first(where: { $0.hasPrefix("-") && $0 != "--list" }) {
            throw Misuse(description: "unknown option \(option); Tour --help explains the arguments")
        } else if arguments.contains("--list") {
            guard arguments == ["--list"] else { throw Misuse(description: "--list stands alone") }
            self = .list
        } else {
            var names: [String] = []
            for argument in arguments { names.append(try Self.name(of: argument)) }
            self = .chapters(names)
        }
    }

    /// Returns the name of a chapter from an argument: its name or title in any case, or an unambiguous prefix of a
    /// name.
    private static func name(of argument: String) throws(Misuse) -> String {
        let name = Chapter.name(ofTitle: argument)
        let names = Tour.chapters.map(\.name)
        if names.contains(name) { return name }
        let similar = names.filter { !name.isEmpty && $0.hasPrefix(name) }
        if similar.count == 1 { return similar[0] }
        let hint = similar.isEmpty ? "Tour --list lists the chapters" : "there are \(similar.joined(separator: ", "))"
        throw Misuse(description: "no chapter \"\(argument)\"; \(hint)")
    }
}

extension Chapter {
    /// The name of the chapter in arguments, such as `object-graphs`.
    package var name: String { Self.name(ofTitle: title) }

    static func name(ofTitle title: String) -> String {
        title.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "-")
    }
}
