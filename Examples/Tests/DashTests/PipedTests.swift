// The program without a terminal: a single frame, and messages.

import DashCore
import Foundation
import ProgramSupport
import Testing

@Suite(.alone) struct PipedTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs the program. The size of a frame is not inherited from this process's environment.
    private func run(_ arguments: [String], environment: [String: String?] = [:]) throws -> PipedProgram.Outcome {
        let size: [String: String?] = ["COLUMNS": nil, "LINES": nil]
        return try PipedProgram("Dash", arguments, environment: size.merging(environment) { $1 }).run()
    }

    @Test func onceMeansASingleFrameOfTheFile() throws {
        let poem = "The fog comes\non little cat feet.\n\nIt sits looking over\nharbor and city\n"
        let path = try folder.file("poem.txt", poem)
        let outcome = try run([path, "--once"])
        #expect(outcome.exitCode == 0)
        #expect(outcome.errorText == "")
        #expect(outcome.outputText == frame)
        let readMe = applicationFolder("Dash").appendingPathComponent("README.md")
        #expect(try String(contentsOf: readMe, encoding: .utf8).contains(frame))
    }

    @Test func theEnvironmentSetsTheSizeOfTheFrame() throws {
        let path = try folder.file("a.txt", "one two\nthree\n")
        let outcome = try run([path, "--once"], environment: ["COLUMNS": "20", "LINES": "5"])
        #expect(
            outcome.outputText == """
                 Dash: hooks on a t…
                ┏━ 1 Counter ━━━━━━┓
                ┃0                 ┃
                ┗━━━━━━━━━━━━━━━━━━┛
                + - 0  tab 1–5 pane…

                """)
    }

    @Test func aFileThatCannotBeReadIsInTheFrameAndInTheExitCode() throws {
        let outcome = try run([folder.path("missing"), "--once"])
        #expect(outcome.exitCode == 1)
        #expect(outcome.outputText.contains("It cannot be read: there is no such"))
    }

    @Test func withoutAFileItReadsTheChangelog() throws {
        let outcome = try run(["--once"])
        #expect(outcome.exitCode == 0)
        #expect(outcome.outputText.contains("CHANGELOG.md"))
    }

    @Test func helpListsTheOptionsAndKeys() throws {
        for option in ["--help", "-h"] {
            let outcome = try run([option])
            #expect(outcome.exitCode == 0)
            #expect(outcome.outputText.hasPrefix("Usage: Dash [FILE]"))
            for word in ["--once", "--pause", "Ctrl-C"] { #expect(outcome.outputText.contains(word)) }
        }
    }

    @Test func withoutATerminalTheErrorNamesTheOption() throws {
        let outcome = try run([])
        #expect(outcome.exitCode == 64)
        #expect(outcome.outputText == "")
        let reason = "Dash needs a terminal to draw on, but standard input is not a terminal."
        #expect(outcome.errorText == "\(reason) Use --once to print one frame.\n")
    }

    @Test(arguments: [
        (["--frob"], "Unknown option --frob."), (["a", "b"], "Only one file can be read, not a and b."),
        (["--pause"], "--pause needs a number of milliseconds, at most 60000."),
        (["--pause", "-1"], "--pause needs a number of milliseconds, at most 60000."),
    ])
    func invalidArgumentsAreExplained(arguments: [String], message: String) throws {
        let outcome = try run(arguments)
        #expect(outcome.exitCode == 64)
        #expect(outcome.errorText.hasPrefix("\(message)\n\nUsage: Dash"))
    }

    private var frame: String {
        """
         Dash: hooks on a terminal
        ┏━ 1 Counter ━━━━━━━━━━━━━━━━━━━━━━━━━━┓┌─ 3 Stopwatch ────────────────────────┐
        ┃0                                     ┃│00:00.0  stopped                      │
        ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛└──────────────────────────────────────┘
        ┌─ 2 List ─────────────────────────────┐┌─ 4 File ─────────────────────────────┐
        │▸ row 1 ×0                            ││poem.txt                              │
        │  row 2 ×0                            ││bytes    72                           │
        │  row 3 ×0                            ││lines    5                            │
        │                                      ││words    14                           │
        │                                      ││longest  20 characters, line 4        │
        │                                      ││It sits looking over                  │
        │                                      ││                                      │
        │                                      ││                                      │
        │                                      ││                                      │
        │                                      ││                                      │
        │                                      │└──────────────────────────────────────┘
        │                                      │┌─ 5 Form ─────────────────────────────┐
        │                                      ││name                                  │
        │                                      ││                                      │
        │                                      ││mail                                  │
        │                                      ││                                      │
        │                                      ││                                      │
        └──────────────────────────────────────┘└──────────────────────────────────────┘
        + - 0  tab 1–5 panel  q quit

        """
    }
}
