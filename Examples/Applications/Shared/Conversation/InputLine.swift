// A line of input that is to be a command.

/// A line of input: a word, and what follows it.
package struct InputLine {
    /// The line without white space around it.
    package let text: String
    /// The first word, in lower case.
    package let word: String
    /// What follows the first word.
    package let argument: String

    /// Takes a line; `nil` if it is empty, or a comment, which begins with `#`.
    package init?(_ line: String) {
        text = line.trimmed
        if text.isEmpty || text.hasPrefix("#") { return nil }
        let (first, rest) = text.firstWord
        word = first.lowercased()
        argument = rest
    }

    /// Returns the command that the word stands for, or nothing if it is none of these.
    ///
    /// - Throws: `CommandError` if something follows the word.
    package func command<Command>(among commands: [String: Command]) throws(CommandError) -> Command? {
        guard let command = commands[word] else { return nil }
        guard argument.isEmpty else { throw CommandError("\(word) takes no argument") }
        return command
    }
}
