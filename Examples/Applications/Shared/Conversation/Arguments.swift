// The arguments of a program, and its messages about invalid arguments.

/// The arguments of a program: at most one file, and options, some of which have a value.
package struct Arguments {
    /// The file that the arguments name.
    package private(set) var file: String?
    /// The options without a value.
    package private(set) var flags: Set<String> = []
    /// The options with a value.
    package private(set) var values: [String: String] = [:]

    /// Parses arguments.
    ///
    /// - Parameters:
    ///   - arguments: The command line without the name of the program.
    ///   - noun: The kind of file, such as "sheet".
    ///   - knownFlags: The options without a value.
    ///   - valueNames: The options with a value, and descriptions of the values.
    /// - Throws: ``Misuse`` if the arguments are invalid; ``HelpRequest`` if they contain `--help` or `-h`.
    package init(
        _ arguments: [String], file noun: String, flags knownFlags: Set<String> = [],
        values valueNames: [String: String] = [:]
    ) throws {
        if arguments.contains("--help") || arguments.contains("-h") { throw HelpRequest() }
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if let name = valueNames[argument] {
                guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("-") else {
                    throw Misuse.other("\(argument) needs \(name)")
                }
                guard values.updateValue(value, forKey: argument) == nil else {
                    throw Misuse.other("\(argument) can be given only once")
                }
            } else if knownFlags.contains(argument) {
                flags.insert(argument)
            } else if argument.hasPrefix("-") {
                throw Misuse.unknownOption(argument.shortened)
            } else if let file {
                throw Misuse.secondFile(noun, file.shortened, argument.shortened)
            } else {
                file = argument
            }
        }
    }

    /// Returns the port in the value of an option; `nil` without the option.
    ///
    /// - Throws: ``Misuse`` if the value is not a number from 0 to 65535.
    package func port(of option: String) throws -> UInt16? {
        guard let value = values[option] else { return nil }
        guard let port = UInt16(value) else {
            throw Misuse.other("\(option) needs a port from 0 to 65535, not \(value.shortened)")
        }
        return port
    }
}

/// The reason why arguments are invalid.
package enum Misuse: Error, Equatable, CustomStringConvertible {
    /// An option that the program does not have.
    case unknownOption(String)
    /// A second file: the kind of file, and both paths.
    case secondFile(String, String, String)
    /// Any other reason.
    case other(String)

    package var description: String {
        switch self {
        case .unknownOption(let option): "unknown option \(option)"
        case .secondFile(let noun, let first, let second): "only one \(noun) can be named, not \(first) and \(second)"
        case .other(let reason): reason
        }
    }
}

/// The arguments request help.
package struct HelpRequest: Error {}

extension Console {
    /// Prints the error that ends a program.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - program: The name of the program.
    ///   - usage: The usage text.
    /// - Returns: The exit code: 0 after a ``HelpRequest``, 64 after a ``Misuse``, and 1 after any other error.
    package func report(_ error: any Error, of program: String, usage: String) -> Int32 {
        switch error {
        case is HelpRequest:
            print(usage)
            return 0
        case let misuse as Misuse:
            printError("\(misuse); \(program) --help explains the arguments")
            return 64
        default:
            printError("\(error)")
            return 1
        }
    }
}
