// The components, on a screen of text lines and with a clock that tests advance.

import DashCore
import Foundation
import ProgramSupport
import TerminalHost
import Testing

@Suite(.alone) struct DashTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func show(_ columns: Int = 80, _ rows: Int = 24, path: String? = nil) throws -> Show {
        let settings = DashSettings(path: try path ?? folder.file("a.txt", "one two\nthree\n"))
        return Show(columns: columns, rows: rows) { dash(settings) }
    }

    // MARK: - Panels

    @Test func theCounterCountsAndKeepsThePreviousNumber() throws {
        let show = try show()
        show.type("++")
        #expect(show.text.contains("┃2  was 1"))
        show.type("---")
        #expect(show.text.contains("┃-1  was 0"))
        show.type("0")
        #expect(show.text.contains("┃0  was -1"))
    }

    private func rows(of show: Show) -> [String] {
        show.lines.compactMap { line in
            line.split(separator: " ").contains("row")
                ? line.split(whereSeparator: { "│┃".contains($0) })[0].trimmingCharacters(in: .whitespaces) : nil
        }
    }

    @Test func aMovedRowKeepsItsState() throws {
        let show = try show()
        show.press(.character(" "), .down, .character(" "), .character(" "))
        #expect(rows(of: show) == ["row 1 ×1", "▸ row 2 ×2", "row 3 ×0"])
        show.type("K")
        #expect(rows(of: show) == ["▸ row 2 ×2", "row 1 ×1", "row 3 ×0"])
        show.type("KJJJ")
        #expect(rows(of: show) == ["row 1 ×1", "row 3 ×0", "▸ row 2 ×2"])
        show.press(.up, .up)
        show.type("d")
        #expect(rows(of: show) == ["▸ row 3 ×0", "row 2 ×2"])
        show.type("a ")
        #expect(rows(of: show) == ["row 3 ×0", "row 2 ×2", "▸ row 4 ×1"])
    }

    @Test func aListThatIsEmptyCanBeFilledAgain() throws {
        let show = try show()
        show.type("dddd JK")
        show.press(.up, .down)
        #expect(show.text.contains("(empty)"))
        show.type("a ")
        #expect(rows(of: show) == ["▸ row 4 ×1"])
    }

    @Test func aLongListScrollsToTheSelection() throws {
        let show = try show()
        show.type(String(repeating: "a", count: 40))
        #expect(rows(of: show).last == "▸ row 43 ×0")
        show.press(.character("2"))
        for _ in 0..<50 { show.press(.up) }
        #expect(rows(of: show).first == "▸ row 1 ×0")
    }

    @Test func theStopwatchHasATimerOnlyWhileItRuns() throws {
        let show = try show()
        #expect(show.timers.timerCount == 0)
        show.type("s")
        #expect(show.timers.timerCount == 1)
        show.timers.pass(61.25)
        show.runTurn()
        #expect(show.text.contains("01:01.2  running"))
        show.type("s")
        #expect(show.timers.timerCount == 0)
        show.timers.pass(10)
        show.runTurn()
        #expect(show.text.contains("01:01.2  stopped"))
        show.type("s")
        show.timers.pass(0.8)
        show.runTurn()
        #expect(show.text.contains("01:02.0  running"))
        show.type("z")
        show.timers.pass(0.3)
        show.runTurn()
        #expect(show.text.contains("00:00.3  running"))
        show.stage.close()
        #expect(show.timers.timerCount == 0)
    }

    @Test func theFileIsReadIncrementally() async throws {
        let path = try folder.file("b.txt", String(repeating: "0123456789\n", count: 100))
        let gate = Gate()
        let settings = DashSettings(path: path, pause: { await gate.pass() })
        let show = Show { dash(settings) }
        #expect(show.text.contains("reading: 0 %"))
        for percent in [2, 4, 6] {
            try await show.wait(for: "reading: \(percent) %")
            Task { await gate.open() }
        }
        Task { await gate.open(100) }
        try await show.wait(for: "lines    100")
        #expect(show.text.contains("longest  10 characters, line 1"))
    }

    @Test func readingIsRepeatedAfterAFailure() async throws {
        let path = folder.path("late.txt")
        let show = try show(path: path)
        try await show.wait(for: "It cannot be read: there is no such")
        show.type("r")
        try await show.wait(for: "It cannot be read: there is no such")
        try folder.file("late.txt", "now it is here\n")
        show.type("r")
        try await show.wait(for: "words    4")
    }

    @Test func readingAgainCancelsTheReadInProgress() async throws {
        let path = try folder.file("b.txt", "0123456789")
        let (first, second) = (Gate(), Gate())
        let turn = Turn()
        let settings = DashSettings(
            path: path, pause: { await turn.isFirst ? first.pass() : second.pass() })
        let show = Show { dash(settings) }
        try await show.wait(for: "reading: 10 %")
        Task { await first.open() }
        try await show.wait(for: "reading: 20 %")
        Task { await turn.next() }
        try await show.wait(for: "reading: 20 %")
        show.type("r")
        try await show.wait(for: "reading: 10 %")
        // The first read ends without an effect.
        Task {
            await turn.next()
            await first.open(100)
            await second.open(100)
        }
        try await show.wait(for: "bytes    10")
    }

    /// Whether the first read pauses, or the second one.
    private actor Turn {
        private(set) var isFirst = true
        func next() { isFirst = false }
    }

    @Test func theContentsOfAFileCannotControlTheTerminal() async throws {
        let path = try folder.file("bad.txt", "\u{1B}[2J\u{1B}]0;title\u{7} \u{202E}evil\u{9B}1m\n")
        let show = try show(path: path)
        try await show.wait(for: "␛[2J␛]0;title␇")
    }

    @Test func theFormTakesAllCharactersWhileItHasTheFocus() throws {
        let show = try show()
        show.press(.character("5"), .enter)
        #expect(show.text.contains("enter a name"))
        #expect(show.text.contains("enter an address like"))
        show.type("qa1")
        #expect(show.text.contains("name qa1"))
        #expect(!show.text.contains("enter a name"))
        show.press(.backspace, .down)
        show.type("a@b")
        show.press(.enter)
        #expect(show.text.contains("Welcome, qa <a@b>!"))
        #expect(show.quitCount == 0)
        show.press(.escape, .character("q"))
        #expect(show.quitCount == 1)
    }

    // MARK: - Focus and size

    @Test func tabCyclesThroughThePanels() throws {
        let show = try show()
        for title in ["2 List", "3 Stopwatch", "4 File", "5 Form", "1 Counter"] {
            show.press(.tab)
            #expect(show.text.contains("┏━ \(title)"))
        }
        show.press(.backTab)
        #expect(show.text.contains("┏━ 5 Form"))
    }

    @Test func aSmallScreenShowsTheFocusedPanelAndTheOthersContinue() throws {
        let show = try show()
        show.type("++s")
        show.stage.size = Size(columns: 30, rows: 6)
        #expect(show.lines.count == 6)
        #expect(show.text.contains("┃2  was 1"))
        #expect(!show.text.contains("List"))
        show.timers.pass(3)
        show.press(.character("3"))
        #expect(show.text.contains("00:03.0  running"))
        show.stage.size = Size(columns: 80, rows: 24)
        #expect(show.text.contains("2  was 1"))
        #expect(show.text.contains("00:03.0  running"))
    }

    @Test func screensOfAnySizeAreDrawn() throws {
        let show = try show()
        for columns in [0, 1, 2, 3, 5, 20, 59, 60, 61, 200] {
            for rows in [0, 1, 2, 3, 5, 19, 20, 21, 100] {
                show.stage.size = Size(columns: columns, rows: rows)
                for key in "12345" {
                    show.press(.character(key), .down, .character(" "), .escape)
                    let frame = show.stage.frame()
                    #expect(frame.lines.count == rows)
                }
            }
        }
    }
}
