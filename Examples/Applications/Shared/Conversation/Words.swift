// Splitting lines into words, and shortening texts to one line.

import TerminalText

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

    /// Returns the line as several lines, each of at most `columns` columns of a terminal, broken between words.
    ///
    /// If two or more blanks separate columns of text in the line, the further lines begin below the second column.
    package func wrapped(to columns: Int) -> [String] {
        let characters = Array(self)
        let widths = characters.map { Glyph.glyphs(of: String($0)).reduce(0) { $0 + $1.width } }
        var lines: [String] = []
        var start = 0
        while true {
            let indent = lines.isEmpty ? 0 : Self.indent(of: characters, widths, columns)
            var (end, used) = (start, indent)
            while end < characters.count, used + widths[end] <= columns {
                used += widths[end]
                end += 1
            }
            let blanks = String(repeating: " ", count: indent)
            // Not even one character fits in the second case.
            if end == characters.count || end == start { return lines + [blanks + String(characters[start...])] }
            let word = characters[start...].firstIndex { $0 != " " } ?? end
            if word < end, let blank = characters[word...end].lastIndex(of: " ") { end = blank }
            let line = characters[start..<end]
            lines.append(blanks + String(line[...(line.lastIndex { $0 != " " } ?? start)]))
            start = characters[end...].firstIndex { $0 != " " } ?? characters.count
            if start == characters.count { return lines }
        }
    }

    /// How far the lines after the first one are indented.
    private static func indent(of characters: [Character], _ widths: [Int], _ columns: Int) -> Int {
        let isBlank = characters.map { $0 == " " }
        guard let word = isBlank.firstIndex(of: false) else { return 0 }
        var column: Int?
        for index in characters.indices.dropFirst(word + 2) where column == nil {
            if !isBlank[index], isBlank[index - 1], isBlank[index - 2] { column = index }
        }
        let indent = column.map { widths[..<$0].reduce(0, +) } ?? word + 2
        return [indent, word + 2].first { $0 <= columns / 2 } ?? 0
    }

    /// The text on one line, shortened if it is very long.
    package var shortened: String { count > 60 ? String(prefix(60)).onOneLine + "…" : onOneLine }
}

extension Int {
    /// The number with a noun, such as `1 item` or `2 items`.
    package func of(_ thing: String) -> String { "\(self) \(thing)\(self == 1 ? "" : "s")" }
}
