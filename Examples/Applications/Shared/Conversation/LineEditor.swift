// A line editor: a text, a cursor and the history.

import TerminalText

/// Edits a line by keys, and keeps a history of lines.
///
/// It does not depend on a terminal: it takes keys, and ``row(columns:)`` returns the row to show.
package struct LineEditor {
    /// The result of a key.
    package enum Outcome: Equatable {
        /// The line may have changed. More keys may follow.
        case edited
        /// The line is complete.
        case line(String)
        /// The input has ended.
        case endOfInput
    }

    /// The maximum number of lines in the history.
    package static let historyLimit = 1000

    private let prompt: String
    private var text: [Character] = []
    /// The index of the character under the cursor.
    private var cursor = 0
    private var history: [String] = []
    /// The index of the line of the history that is shown; `history.count` for the new line.
    private var position = 0
    /// The new line while a line of the history is shown.
    private var draft: [Character] = []

    /// Creates an editor without a history.
    ///
    /// - Parameter prompt: Shown before the text.
    package init(prompt: String = "> ") { self.prompt = prompt }

    /// Handles a key.
    package mutating func press(_ key: Key) -> Outcome {
        switch key {
        case .enter: return .line(finish())
        case .control("d") where text.isEmpty: return .endOfInput
        case .character(let character):
            text.insert(character, at: cursor)
            cursor += 1
        case .backspace where cursor > 0:
            cursor -= 1
            text.remove(at: cursor)
        case .delete where cursor < text.count, .control("d") where cursor < text.count: text.remove(at: cursor)
        case .left, .control("b"): cursor = max(0, cursor - 1)
        case .right, .control("f"): cursor = min(text.count, cursor + 1)
        case .home, .control("a"): cursor = 0
        case .end, .control("e"): cursor = text.count
        case .up, .control("p"): show(position - 1)
        case .down, .control("n"): show(position + 1)
        case .control("k"): text.removeSubrange(cursor...)
        case .control("u"):
            text.removeSubrange(..<cursor)
            cursor = 0
        case .control("w"):
            let start = startOfWord
            text.removeSubrange(start..<cursor)
            cursor = start
        default: break
        }
        return .edited
    }

    /// The index of the start of the word before the cursor.
    private var startOfWord: Int {
        let blanksEnd = text[..<cursor].lastIndex { !$0.isWhitespace } ?? -1
        guard blanksEnd >= 0 else { return 0 }
        return (text[...blanksEnd].lastIndex { $0.isWhitespace } ?? -1) + 1
    }

    // MARK: - History

    private mutating func show(_ newPosition: Int) {
        guard 0...history.count ~= newPosition else { return }
        if position == history.count { draft = text }
        position = newPosition
        text = position == history.count ? draft : Array(history[position])
        cursor = text.count
    }

    /// Returns the line and begins a new one. Adds the line to the history unless it is blank or equals the last one.
    private mutating func finish() -> String {
        let line = String(text)
        if !line.trimmed.isEmpty, line != history.last { history.append(line) }
        if history.count > Self.historyLimit { history.removeFirst() }
        (text, cursor, position, draft) = ([], 0, history.count, [])
        return line
    }

    // MARK: - Display

    /// The prompt and as much of the text around the cursor as fits into one row, and the column of the cursor.
    package func row(columns: Int) -> (text: String, cursor: Int) {
        let promptWidth = Self.width(of: prompt)
        // The cursor may be after the last character.
        let room = max(1, columns - promptWidth - 1)
        let glyphs = text.map { Glyph.glyphs(of: String($0)) }
        let widths = glyphs.map { $0.reduce(0) { $0 + $1.width } }
        var start = 0
        while widths[start..<cursor].reduce(0, +) > room { start += 1 }
        var end = start
        var used = 0
        while end < widths.count, used + widths[end] <= room {
            used += widths[end]
            end += 1
        }
        let shown = String(glyphs[start..<max(start, end)].joined().map(\.character))
        return (prompt + shown, promptWidth + widths[start..<cursor].reduce(0, +))
    }

    private static func width(of text: String) -> Int { Glyph.glyphs(of: text).reduce(0) { $0 + $1.width } }
}
