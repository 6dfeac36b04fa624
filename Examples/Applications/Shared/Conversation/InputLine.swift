// A line of input, split into a command word and its argument.

/// A line of input: a word and its argument.
package struct InputLine {
    /// The line without white space around it.
    package let text: String
    /// The first word, in lower case.
    package let word: String
    /// The text after the first word.
    package let argument: String

    /// Splits a line; `nil` if it is empty or a comment, which begins with `#`.
    package init?(_ line: String) {
        text = line.trimmed
        if text.isEmpty || text.hasPrefix("#") { return nil }
        let (first, rest) = text.firstWord
        word = first.lowercased()
        argument = rest
    }

    /// Returns the command with the line's word; `nil` if there is none.
    ///
    /// - Throws: `CommandError` if there is an argument.
    package func command<Command>(among commands: [String: Command]) throws(CommandError) -> Command? {
        guard let command = commands[word] else { return nil }
        guard argument.isEmpty else { throw CommandError("\(word) takes no argument") }
        return command
    }
}
