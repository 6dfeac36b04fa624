// The difference between frames, as a terminal shows it.

import ProgramSupport
import TerminalHost
import Testing

@Suite struct PainterTests {
    private let painter = Painter(isColored: true)

    private func canvas(_ lines: [String], columns: Int = 12) -> Canvas {
        column { for line in lines { text(line) } }.canvas(Size(columns: columns, rows: lines.count))
    }

    @Test func onlyCellsThatAreDifferentAreWritten() {
        let update = painter.update(
            from: canvas(["count: 1", "rest"]), to: canvas(["count: 2", "rest"]))
        #expect(update.cellCount == 1)
        #expect(String(decoding: update.bytes, as: UTF8.self) == "\u{1B}[?2026h\u{1B}[1;8H2\u{1B}[?2026l")
    }

    @Test func anEqualFrameIsNotWritten() {
        let update = painter.update(from: canvas(["a", "日"]), to: canvas(["a", "日"]))
        #expect(update.bytes.isEmpty && update.cellCount == 0)
    }

    @Test func neighboursAreWrittenWithoutMovingTheCursor() {
        let update = painter.update(from: canvas(["ab"]), to: canvas(["cd"]))
        #expect(String(decoding: update.bytes, as: UTF8.self) == "\u{1B}[?2026h\u{1B}[1;1Hcd\u{1B}[?2026l")
    }

    @Test func theCursorIsMovedAfterACharacterWhoseWidthIsUncertain() {
        let update = painter.update(from: canvas([""]), to: canvas(["❤\u{FE0F}a"]))
        let sent = String(decoding: update.bytes, as: UTF8.self)
        #expect(sent == "\u{1B}[?2026h\u{1B}[1;1H❤\u{FE0F}\u{1B}[1;3Ha\u{1B}[?2026l")
    }

    @Test func aFrameOfADifferentSizeIsDrawnOnAClearedScreen() {
        var screen = TerminalEmulator(columns: 12, rows: 2)
        "garbage".utf8.forEach { screen.take($0) }
        let update = painter.update(from: canvas(["a"]), to: canvas(["b", "c"]))
        update.bytes.forEach { screen.take($0) }
        #expect(screen.lines == ["b", "c"])
    }

    @Test func onlyColoursAreOmitted() {
        let view = text("a", .color(.red).bold)
        let size = Size(columns: 1, rows: 1)
        let update = Painter(isColored: false).update(from: Canvas(size), to: view.canvas(size))
        let sent = String(decoding: update.bytes, as: UTF8.self)
        #expect(sent == "\u{1B}[?2026h\u{1B}[1;1H\u{1B}[0;1ma\u{1B}[0m\u{1B}[?2026l")
    }

    @Test func anyFrameCanFollowAnyOther() {
        var random = SplitMix64(seed: 7)
        var screen = TerminalEmulator(columns: 12, rows: 5)
        "\u{1B}[?7l".utf8.forEach { screen.take($0) }
        var shown: Canvas?
        for _ in 0..<500 {
            let lines = (0..<5).map { _ in
                let count = Int.random(in: 0...14, using: &random)
                return String((0..<count).map { _ in "ab  日本".randomElement(using: &random)! })
            }
            let next = canvas(lines)
            painter.update(from: shown, to: next).bytes.forEach { screen.take($0) }
            shown = next
            #expect(screen.lines == next.lines)
        }
        #expect(screen.complaints == [])
    }
}
