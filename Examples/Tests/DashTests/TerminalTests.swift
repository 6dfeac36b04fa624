// The program on a terminal: keys, frames, signals, and the terminal afterwards.

import Foundation
import ProgramSupport
import Testing

@Suite(.alone) struct TerminalTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Starts the program and waits until it has read its file.
    private func start(
        columns: Int = 80, rows: Int = 24, environment: [String: String?] = [:]
    ) throws -> PseudoTerminal {
        let path = try folder.file("a.txt", "one two\nthree\n")
        let terminal = try PseudoTerminal(
            dashExecutable, [path, "--pause", "0"], columns: columns, rows: rows, environment: environment)
        try terminal.wait(for: rows < 20 ? "1 Counter" : "words    3")
        return terminal
    }

    /// Waits for the end, and expects the terminal to be restored.
    private func expectEnd(_ terminal: PseudoTerminal, _ ending: PseudoTerminal.Ending) throws {
        #expect(try terminal.end() == ending)
        expectRestoredScreen(terminal)
        #expect(terminal.screen.complaints == [])
    }

    private func expectRestoredScreen(_ terminal: PseudoTerminal) {
        #expect(terminal.hasSettingsOfBefore)
        #expect(!terminal.screen.isAlternate)
        #expect(terminal.screen.isCursorVisible)
        #expect(terminal.screen.wraps)
        #expect(!terminal.screen.isUpdating)
    }

    // MARK: - Normal use

    @Test func theTerminalIsRestoredOnQuitting() throws {
        let terminal = try start()
        #expect(terminal.screen.isAlternate)
        #expect(!terminal.screen.isCursorVisible)
        #expect(!terminal.hasSettingsOfBefore)
        #expect(terminal.screen.lines[0] == " Dash: hooks on a terminal")
        try terminal.type("q")
        try expectEnd(terminal, .exit(0))
        #expect(terminal.screen.text.allSatisfy { $0 == "\n" })
    }

    @Test func keysAreHandledInTheOrderOfTyping() throws {
        let terminal = try start()
        try terminal.type("+++-")
        try terminal.wait(for: "┃2  was 3")
        try terminal.type("\u{1B}[B \u{1B}[B  K")
        try terminal.wait(for: "▸ row 3 ×2")
        let rows = terminal.screen.lines[5...7].map { $0.split(separator: "│")[0].trimmingCharacters(in: .whitespaces) }
        #expect(rows == ["row 1 ×0", "▸ row 3 ×2", "row 2 ×1"])
        try terminal.type("q")
        try expectEnd(terminal, .exit(0))
    }

    @Test func aKeyRedrawsOnlyChangedCells() throws {
        let terminal = try start()
        try terminal.type("+")
        try terminal.wait(for: "┃1  was 0")
        let before = terminal.screen
        try terminal.type("+")
        try terminal.wait(for: "┃2  was 1")
        let after = terminal.screen
        // Two numbers. At most two frames: the previous number follows in a render of its own.
        #expect(after.writtenCells - before.writtenCells == 2)
        #expect(after.byteCount - before.byteCount <= 100)
        // A key without an effect draws nothing: the next frame belongs to the next key.
        try terminal.type("\u{1B}[A0")
        try terminal.wait(for: "┃0  was 2")
        #expect(terminal.screen.writtenCells - after.writtenCells == 2)
    }

    @Test func theStopwatchRuns() throws {
        let terminal = try start()
        try terminal.type("s")
        try terminal.wait(for: "running")
        try terminal.wait(forNo: "00:00.0")
        try terminal.type("s")
        try terminal.wait(for: "stopped")
        try terminal.type("z")
        try terminal.wait(for: "00:00.0  stopped")
        try terminal.type("q")
        try expectEnd(terminal, .exit(0))
    }

    @Test func aMissingFileIsReadOnceItExists() throws {
        let path = folder.path("late.txt")
        let terminal = try PseudoTerminal(dashExecutable, [path, "--pause", "5"])
        try terminal.wait(for: "It cannot be read: there is no such")
        try folder.file("late.txt", String(repeating: "0123456789\n", count: 100))
        try terminal.type("r")
        try terminal.wait(for: "progress") { screen in
            (1...99).contains { screen.text.contains("reading: \($0) %") } && screen.text.contains("█")
        }
        try terminal.wait(for: "bytes    1100")
        try terminal.type("q")
        try expectEnd(terminal, .exit(0))
    }

    @Test func aFormIsCheckedAndSubmitted() throws {
        let terminal = try start()
        try terminal.type("5\r")
        try terminal.wait(for: "enter a name")
        try terminal.type("Zoë 日\u{1B}[Bzoe@example.org")
        try terminal.wait(for: "mail zoe@example.org")
        #expect(terminal.screen.text.contains("name Zoë 日"))
        try terminal.type("\r")
        try terminal.wait(for: "Welcome, Zoë 日 <zoe@example.org>!")
        // A lone escape leaves the form; then q is a command again.
        try terminal.type("\u{1B}")
        try terminal.wait(for: "┏━ 1 Counter")
        try terminal.type("q")
        try expectEnd(terminal, .exit(0))
    }

    @Test func theContentsOfAFileCannotControlTheTerminal() throws {
        let path = try folder.file("bad.txt", "\u{1B}[2J\u{1B}]0;title\u{7}\u{1B}c \u{9B}1m\u{202E}\u{85}\n")
        let terminal = try PseudoTerminal(dashExecutable, [path, "--pause", "0"])
        try terminal.wait(for: "␛[2J␛]0;title␇␛c")
        try terminal.type("q")
        try expectEnd(terminal, .exit(0))
    }

    // MARK: - Its size

    @Test func aResizedScreenIsDrawnAgain() throws {
        let terminal = try start()
        try terminal.type("+")
        try terminal.wait(for: "┃1  was 0")
        terminal.resize(columns: 100, rows: 30)
        try terminal.wait(for: "frame of the new size") { $0.lines[29].hasPrefix("+ - 0") }
        #expect(terminal.screen.lines[1].count == 100)
        #expect(terminal.screen.text.contains("┃1  was 0"))
        terminal.resize(columns: 20, rows: 5)
        try terminal.wait(for: "small frame") { $0.lines[4].hasPrefix("+ - 0") }
        #expect(terminal.screen.lines[1] == "┏━ 1 Counter ━━━━━━┓")
        #expect(terminal.screen.lines[2] == "┃1  was 0          ┃")
        try terminal.type("q")
        try expectEnd(terminal, .exit(0))
    }

    @Test func theSmallestScreensDoNotStopTheProgram() throws {
        for (columns, rows) in [(1, 1), (2, 2), (5, 3)] {
            let path = try folder.file("a.txt", "one two\nthree\n")
            let terminal = try PseudoTerminal(dashExecutable, [path], columns: columns, rows: rows)
            try terminal.wait(for: "first frame") { $0.frameCount > 0 }
            try terminal.type("+\t\t\tq")
            try expectEnd(terminal, .exit(0))
        }
    }

    @Test func theEnvironmentMaySwitchColoursOff() throws {
        let colored = try start()
        #expect(colored.screen.hasSeenColor)
        try colored.type("q")
        try expectEnd(colored, .exit(0))
        let plain = try start(environment: ["NO_COLOR": "1"])
        #expect(!plain.screen.hasSeenColor)
        #expect(plain.screen.text(with: 1).contains("1 Counter"))
        try plain.type("q")
        try expectEnd(plain, .exit(0))
    }

    // MARK: - Its end

    @Test func ctrlCEndsTheProgram() throws {
        let terminal = try start()
        try terminal.type("\u{3}")
        try expectEnd(terminal, .signal(SIGINT))
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func terminatingSignalsEndTheProgram(signal: Int32) throws {
        let terminal = try start()
        terminal.send(signal)
        try expectEnd(terminal, .signal(signal))
    }

    @Test(.disabled(if: isUnderSanitizer), arguments: [SIGSEGV, SIGABRT, SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGQUIT])
    func aCrashRestoresTheTerminal(signal: Int32) throws {
        let terminal = try start()
        try terminal.type("s")
        try terminal.wait(for: "running")
        terminal.send(signal)
        try expectEnd(terminal, .signal(signal))
    }

    @Test(.disabled(if: isUnderSanitizer), arguments: ["f", "o"])
    func aFatalErrorOrAStackOverflowRestoresTheTerminal(key: String) throws {
        // High enough for all output of the runtime.
        let terminal = try PseudoTerminal(executable("TerminalVictim"), rows: 200)
        try terminal.wait(for: "ready")
        try terminal.type(key)
        let ending = try terminal.end()
        #expect([.signal(SIGILL), .signal(SIGTRAP), .signal(SIGSEGV)].contains(ending))
        expectRestoredScreen(terminal)
        // The message is on the main screen, and not on the alternate one.
        if key == "f" { #expect(terminal.screen.text.contains("It fails on demand.")) }
    }

    @Test(.disabled(if: isUnderSanitizer)) func aHangingProgramEndsAtTheSecondSignal() throws {
        let terminal = try PseudoTerminal(executable("TerminalVictim"))
        try terminal.wait(for: "ready")
        try terminal.type("h")
        try terminal.wait(for: "hanging")
        // Two signals of a kind could be merged in transit.
        try terminal.type("\u{3}")
        terminal.send(SIGTERM)
        let ending = try terminal.end()
        #expect([.signal(SIGINT), .signal(SIGTERM)].contains(ending))
        expectRestoredScreen(terminal)
    }

    @Test(.disabled(if: isUnderSanitizer)) func aProgramThatHangsWhileItEndsEndsAtTheNextSignal() throws {
        let terminal = try PseudoTerminal(executable("TerminalVictim"))
        try terminal.wait(for: "ready")
        try terminal.type("c")
        try terminal.wait(for: "will hang")
        terminal.send(SIGINT)
        try terminal.wait(for: "cleaning up")
        terminal.send(SIGTERM)
        #expect(try terminal.end() == .signal(SIGTERM))
        expectRestoredScreen(terminal)
    }

    @Test func aStoppedProgramDrawsAgainWhenItContinues() throws {
        let terminal = try start()
        let before = terminal.screen.frameCount
        terminal.send(SIGSTOP)
        terminal.send(SIGCONT)
        try terminal.wait(for: "frame") { $0.frameCount > before && $0.text.contains("words    3") }
        try terminal.type("q")
        try expectEnd(terminal, .exit(0))
    }

    // MARK: - Ctrl-Z

    @Test func ctrlZRestoresTheTerminalUntilTheProgramContinues() throws {
        let path = try folder.file("a.txt", "one two\nthree\n")
        // A shell that waits for its job, as on a desktop.
        let script = "set -m; \"$0\" \"$1\" --pause 0; echo; echo the shell again; read line; fg > /dev/null; echo over"
        let terminal = try PseudoTerminal("/bin/sh", ["-c", script, dashExecutable, path])
        try terminal.wait(for: "words    3")
        try terminal.type("++")
        try terminal.wait(for: "┃2  was 1")
        try terminal.type("\u{1A}")
        try terminal.wait(for: "the shell again")
        expectRestoredScreen(terminal)
        try terminal.type("\n")
        try terminal.wait(for: "┃2  was 1")
        #expect(terminal.screen.isAlternate)
        #expect(terminal.screen.lines[0] == " Dash: hooks on a terminal")
        try terminal.type("+")
        try terminal.wait(for: "┃3  was 2")
        try terminal.type("q")
        try terminal.wait(for: "over")
        try expectEnd(terminal, .exit(0))
    }

    @Test func ctrlZDrawsAgainIfTheProgramCannotBeStopped() throws {
        let terminal = try start()
        let before = terminal.screen.frameCount
        try terminal.type("\u{1A}")
        try terminal.wait(for: "frame") { $0.frameCount > before && $0.isAlternate && $0.text.contains("words    3") }
        try terminal.type("q")
        try expectEnd(terminal, .exit(0))
    }
}
