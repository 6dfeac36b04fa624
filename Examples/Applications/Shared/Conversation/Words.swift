// Cutting lines into words, and making texts fit on a line.

extension StringProtocol {
    /// The text without white space around it.
    package var trimmed: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }

    /// The text up to the first white space, and what follows that.
    package var firstWord: (word: String, rest: String) {
        let word = prefix { !$0.isWhitespace }
        return (String(word), self[word.endIndex...].trimmed)
    }

    /// The text, with signs in the place of line breaks and of what else moves the cursor.
    package var onOneLine: String {
        String(
            map { character in
                if character.isNewline { return "↵" }
                return character.unicodeScalars.contains { $0.properties.generalCategory == .control } ? "·" : character
            })
    }

    /// The text on one line, and without the end if it is very long.
    package var shortened: String { count > 60 ? String(prefix(60)).onOneLine + "…" : onOneLine }
}

extension Int {
    /// The number of things, such as `1 item` or `2 items`.
    package func of(_ thing: String) -> String { "\(self) \(thing)\(self == 1 ? "" : "s")" }
}
