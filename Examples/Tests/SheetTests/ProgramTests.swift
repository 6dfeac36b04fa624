// The whole program: arguments, files, exit codes.

import Conversation
import Foundation
import ProgramSupport
import SheetCore
import Testing

@Suite(.alone) final class ProgramTests {
    private let folder: TemporaryFolder
    private var output: [String] = []
    private var errors: [String] = []

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: String..., input: [String] = [], isInteractive: Bool = false) -> Int32 {
        var rest = input[...]
        let console = Console(
            isInteractive: isInteractive, readLine: { rest.popFirst() }, print: { self.output.append($0) },
            printError: { self.errors.append($0) })
        return Program(console: console, sample: Array(sample.utf8)).run(arguments)
    }

    private var sample = "Rent,1\n"

    @Test func aFileIsEditedFromStandardInput() throws {
        let path = try folder.file("a.csv", "1,=A1*2\n")
        #expect(run(path, input: ["A1 = 4", "save \(path)"]) == 0)
        #expect(
            output == [
                "\(path): 1 row, 2 columns, 1 formula", "A1: 1 → 4", "B1: 2 → 8", "saved 1 row to \(path)",
            ])
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "4,=A1*2\r\n")
    }

    @Test func theGraphIsWrittenAsAPage() throws {
        let page = folder.path("graph.html")
        let missing = folder.path("none/graph.html")
        let path = try folder.file("a.csv", "1,=A1*2\n")
        #expect(run(path, input: ["A1 = 4", "graph \(page)", "graph \(missing)"]) == 0)
        let messages = output.suffix(2)
        #expect(messages.first?.hasPrefix("wrote ") == true && messages.first?.hasSuffix(" nodes to \(page)") == true)
        #expect(messages.last == "\(missing) is not written: there is no such folder; create it first")
        #expect(try String(contentsOfFile: page, encoding: .utf8).contains("\"B1\""))
    }

    @Test func aSavedSheetLoadsAsTheSameSheet() throws {
        let csv = "\"a \"\"b\"\", c\",=SUM(B2:B9)\r\n,\"2\"\r\n\r\n\"=IF(B2>1,\"\"x\ny\"\",0)\""
        let path = try folder.file("a.csv", csv)
        let copy = folder.path("copy.csv")
        #expect(run(path, input: ["save \(copy)"]) == 0)
        let sheets = try [path, copy].map { Sheet(rows: try CSVReader.rows(of: try CSVFile.contents(of: $0))) }
        #expect(sheets[0].sources == sheets[1].sources)
        #expect(sheets[1].value("A4") == .text("x\ny"))
    }

    @Test func aScriptIsExecuted() throws {
        let script = try folder.file("s.txt", "A1 = 1\r\n# a comment\r\nB1 = =A1+1\r\n")
        #expect(run("--script", script, input: ["A1 = 99"]) == 0)
        #expect(output.dropFirst() == ["A1: Rent → 1", "B1: 1 → 2"])
    }

    @Test func errorsOfAScriptAreReportedWithTheirLines() throws {
        let script = try folder.file("s.txt", "A1 = 1\nfrob\n\nA1 = =(\nbegin\nA1 = 2")
        #expect(run("--script", script) == 0)
        #expect(
            output.dropFirst() == [
                "A1: Rent → 1",
                "\(script):2: unknown command \"frob\"; help lists the commands",
                "\(script):4: A1 is unchanged: expected a value, found the end, at character 3 of \"=(\"",
                "\(script):6: rolled back: the input ended without commit",
            ])
    }

    @Test func theTranscriptInTheReadMeIsAccurate() throws {
        let transcript = try readMe(of: "Sheet", "A session")
        #expect(transcript.contains("\n> "))
        let budget = applicationFolder("Sheet").appendingPathComponent("budget.csv")
        sample = try String(contentsOf: budget, encoding: .utf8)
        #expect(run() == 0)
        #expect(output.joined(separator: "\n").hasPrefix(transcript))
    }

    @Test func withoutArgumentsTheProgramDemonstratesItself() {
        #expect(run(input: ["A1 = 99"]) == 0)
        #expect(output.first == "budget.csv (the sample): 1 row, 2 columns, 0 formulas")
        #expect(output.contains("> show"))
        #expect(!output.contains { $0.hasPrefix("A1:") })
        #expect(errors.isEmpty)
    }

    @Test func aTerminalShowsTheSheetOfAFileAndAHint() throws {
        let path = try folder.file("a.csv", "Rent,1\n")
        #expect(run(path, isInteractive: true) == 0)
        #expect(
            output == [
                "\(path): 1 row, 2 columns, 0 formulas", "", "   A     B", "1  Rent  1", "",
                "B1 = 40 changes a cell, help lists the commands, quit ends the program.",
            ])
    }

    @Test func aTerminalShowsAPromptAfterTheDemonstration() {
        #expect(run(input: ["A1 = 99"], isInteractive: true) == 0)
        #expect(output.last == "A1: Rent → 99")
    }

    @Test func helpExplainsTheProgram() {
        #expect(run("--help") == 0)
        #expect(output.first?.hasPrefix("Usage: Sheet [FILE.csv] [--script FILE] [--inspect PORT] [--help]") == true)
    }

    @Test func aBrokenFileIsReportedWithTheErrorsPosition() throws {
        let path = try folder.file("broken.csv", "a,b\nc,\"d\n")
        #expect(run(path) == 1)
        #expect(errors == ["\(path):2:3: this quote is never closed; add a closing quote"])
        #expect(output.isEmpty)
    }

    @Test func aMissingFileIsReported() throws {
        let path = folder.path("none.csv")
        #expect(run(path) == 1)
        #expect(run("--script", path) == 1)
        #expect(run(folder.url.path) == 1)
        #expect(
            errors == [
                "\(path): there is no such file; check the path", "\(path): there is no such file; check the path",
                "\(folder.url.path): it is a folder; name a file in it",
            ])
    }

    @Test func anInvalidFormulaIsReportedAndTheFileLoads() throws {
        let path = try folder.file("a.csv", "1,=A1+\n")
        #expect(run(path, input: ["B1"]) == 0)
        let problem = "expected a value, found the end, at character 5 of \"=A1+\""
        #expect(errors == ["\(path): B1: \(problem)"])
        #expect(output.last == "B1: #ERROR! (\(problem)), from =A1+")
    }

    @Test func savingToAnInvalidPathIsReported() throws {
        let path = folder.path("no/such/folder.csv")
        #expect(run(try folder.file("a.csv", "1\n"), input: ["save \(path)", "A1 = 2"]) == 0)
        #expect(output.dropFirst() == ["\(path) is not saved: there is no such folder; create it first", "A1: 1 → 2"])
    }

    @Test func invalidArgumentsAreExplained() {
        #expect(run("--scrpt") == 64)
        #expect(run("--script") == 64)
        #expect(run("a.csv", "b.csv") == 64)
        #expect(run("--script", "a", "--script", "b") == 64)
        #expect(
            errors == [
                "unknown option --scrpt; Sheet --help explains the arguments",
                "--script needs a file; Sheet --help explains the arguments",
                "only one sheet can be named, not a.csv and b.csv; Sheet --help explains the arguments",
                "--script can be given only once; Sheet --help explains the arguments",
            ])
    }
}
