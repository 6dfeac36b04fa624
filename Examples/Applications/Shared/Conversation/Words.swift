// Splitting lines into words, and shortening texts to one line.

extension StringProtocol {
    /// The text without white space around it.
    package var trimmed: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }

    /// The text up to the first white space, and the rest.
    package var firstWord: (word: String, rest: String) {
        let word = prefix { !$0.isWhitespace }
        return (String(word), self[word.endIndex...].trimmed)
    }

    /// The text with visible signs instead of line breaks and other control characters.
    package var onOneLine: String {
        String(
            map { character in
                if character.isNewline { return "↵" }
                return character.unicodeScalars.contains { $0.properties.generalCategory == .control } ? "·" : character
            })
    }

    /// The text on one line, shortened if it is very long.
    package var shortened: String { count > 60 ? String(prefix(60)).onOneLine + "…" : onOneLine }
}

extension Int {
    /// The number with a noun, such as `1 item` or `2 items`.
    package func of(_ thing: String) -> String { "\(self) \(thing)\(self == 1 ? "" : "s")" }
}
