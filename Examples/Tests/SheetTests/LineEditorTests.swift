// Keys in, lines out; and the line that a terminal shows.

import Conversation
import TerminalText
import Testing

@Suite struct LineEditorTests {
    private var editor = LineEditor()

    private mutating func type(_ text: String) {
        for character in text { _ = editor.press(.character(character)) }
    }

    private mutating func press(_ keys: Key...) {
        for key in keys { _ = editor.press(key) }
    }

    private mutating func enter(_ text: String = "") -> LineEditor.Outcome {
        type(text)
        return editor.press(.enter)
    }

    /// The row with a `|` at the cursor.
    private func row(columns: Int = 80) -> String {
        let row = editor.row(columns: columns)
        return "\(row.text.prefix(row.cursor))|\(row.text.dropFirst(row.cursor))"
    }

    @Test mutating func arrowsMoveTheCursorInsideTheText() {
        type("bc")
        press(.left, .left, .left)
        type("a")
        #expect(row() == "> a|bc")
        press(.right, .right, .right)
        #expect(row() == "> abc|")
        press(.home)
        #expect(row() == "> |abc")
        press(.end)
        #expect(row() == "> abc|")
        #expect(enter("d") == .line("abcd"))
    }

    @Test mutating func backspaceAndDeleteRemoveOneCharacter() {
        press(.backspace, .delete)
        type("añ👨‍👩‍👧b")
        press(.left, .backspace)
        #expect(row() == "> añ|b")
        press(.home, .delete, .delete)
        #expect(row() == "> |b")
    }

    @Test mutating func upAndDownShowEarlierLines() {
        _ = enter("one")
        _ = enter("two")
        type("dra")
        press(.up)
        #expect(row() == "> two|")
        press(.up, .up)
        #expect(row() == "> one|")
        press(.down, .down, .down)
        #expect(row() == "> dra|")
        press(.up, .up)
        #expect(enter("!") == .line("one!"))
        press(.up)
        #expect(row() == "> one!|")
        press(.up, .up)
        #expect(row() == "> one|")
    }

    @Test mutating func blankAndRepeatedLinesAreNotKept() {
        _ = enter("one")
        _ = enter("  ")
        _ = enter("one")
        _ = enter("two")
        press(.up, .up)
        #expect(row() == "> one|")
        press(.up)
        #expect(row() == "> one|")
    }

    @Test mutating func theHistoryIsLimited() {
        for number in 0...LineEditor.historyLimit { _ = enter("\(number)") }
        for _ in 0...LineEditor.historyLimit { press(.up) }
        #expect(row() == "> 1|")
    }

    @Test mutating func controlKeysEditAsInAShell() {
        type("set B2 = 4 ")
        press(.control("w"))
        #expect(row() == "> set B2 = |")
        press(.control("a"), .control("f"), .control("f"), .control("f"), .control("k"))
        #expect(row() == "> set|")
        press(.control("b"), .control("u"))
        #expect(row() == "> |t")
        press(.control("d"), .control("e"), .control("w"))
        #expect(row() == "> |")
        #expect(editor.press(.control("d")) == .endOfInput)
    }

    @Test mutating func aLongLineShowsThePartAroundTheCursor() {
        type("0123456789")
        #expect(row(columns: 8) == "> 56789|")
        press(.home)
        #expect(row(columns: 8) == "> |01234")
        press(.end, .left, .left)
        #expect(row(columns: 8) == "> 34567|")
        #expect(enter() == .line("0123456789"))
        type("日本語")
        #expect(editor.row(columns: 80).cursor == 8)
        #expect(editor.row(columns: 7).text == "> 本語")
        #expect(editor.row(columns: 0).cursor <= 2)
    }
}
