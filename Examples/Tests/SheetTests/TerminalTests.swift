// The program on a terminal, with real keys.

import Foundation
import ProgramSupport
import Testing

@Suite(.alone) struct TerminalTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func start(columns: Int = 80, environment: [String: String?] = [:]) throws -> PseudoTerminal {
        let file = try folder.file("a.csv", "Price,20\nCount,3\nTotal,=B1*B2\n")
        return try PseudoTerminal(executable("Sheet"), [file], columns: columns, environment: environment)
    }

    @Test func theSheetIsDrawnAndThenEdited() throws {
        let terminal = try start()
        try terminal.wait(for: "3  Total  60")
        try terminal.wait(for: "B1 = 40 changes a cell, help lists the commands, quit ends the program.")
        try terminal.type("B1 = 4\u{1B}[D\u{1B}[D\u{7F}=  \u{1B}[F0\r")
        try terminal.wait(for: "B3: 60 → 120")
        // The previous line, with 40 instead of 400.
        try terminal.type("\u{1B}[A0\r")
        try terminal.wait(for: "B3: 120 → 1200")
        try terminal.type("\u{1B}[A\u{1B}[A\u{1B}[H\u{1B}[3~A\r")
        try terminal.wait(for: "A1: Price → 40")
        try terminal.type("quit\r")
        #expect(try terminal.end() == .exit(0))
        #expect(terminal.hasSettingsOfBefore)
        #expect(terminal.screen.complaints == [])
    }

    @Test func keysTypedAheadAreReadAsLines() throws {
        let terminal = try start()
        try terminal.type("B1 = 1\rB1 = 2\rB1 = 3\rquit\r")
        #expect(try terminal.end() == .exit(0))
        #expect(terminal.screen.text.contains("B3: 6 → 9"))
    }

    @Test func controlDEndsTheInput() throws {
        let terminal = try start()
        try terminal.wait(for: "quit ends the program.")
        try terminal.type("\u{4}")
        #expect(try terminal.end() == .exit(0))
        #expect(terminal.hasSettingsOfBefore)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func aSignalEndsTheProgramAndRestoresTheTerminal(signal: Int32) throws {
        let terminal = try start()
        try terminal.wait(for: "quit ends the program.")
        try terminal.type("B")
        try terminal.wait(for: "> B")
        if signal == SIGINT { try terminal.type("\u{3}") } else { terminal.send(signal) }
        #expect(try terminal.end() == .signal(signal))
        #expect(terminal.hasSettingsOfBefore)
    }

    @Test func aStoppedProgramContinuesWithItsLine() throws {
        let terminal = try start()
        try terminal.wait(for: "quit ends the program.")
        try terminal.type("B1 = 5")
        try terminal.wait(for: "> B1 = 5")
        terminal.send(SIGSTOP)
        terminal.send(SIGCONT)
        try terminal.type("\rquit\r")
        #expect(try terminal.end() == .exit(0))
        #expect(terminal.screen.text.contains("B3: 60 → 15"))
    }

    @Test func aTerminalWithoutCursorMovementGetsPlainLines() throws {
        let terminal = try start(environment: ["TERM": "dumb"])
        try terminal.wait(for: "quit ends the program.")
        try terminal.type("B1 = 5\nquit\n")
        #expect(try terminal.end() == .exit(0))
        #expect(terminal.screen.text.contains("B3: 60 → 15"))
    }
}
