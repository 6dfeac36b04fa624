// The whole program: files that it creates, keeps, refuses and never damages; arguments; exit codes.

import Foundation
import ProgramSupport
import ReactiveCodable
import Testing

@Suite(.alone) struct ProgramTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: String..., input: [String] = []) throws -> PipedProgram.Outcome {
        try PipedProgram("Outline", arguments).run(input)
    }

    private func contents(_ path: String) throws -> JSONValue {
        try JSONValue(parsing: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    // MARK: - Files

    @Test func aFileIsCreatedAtTheFirstChange() throws {
        let path = folder.path("new.json")
        #expect(try run(path, input: ["show", "frob"]).output[0] == "\(path): a new outline")
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try run(path, input: ["add a", "add 1: b", "done 1.1"]).exitCode == 0)
        #expect(
            try String(contentsOfFile: path, encoding: .utf8) == """
                {
                  "items" : [
                    {
                      "isDone" : false,
                      "items" : [
                        {
                          "isDone" : true,
                          "items" : [

                          ],
                          "title" : "b"
                        }
                      ],
                      "title" : "a"
                    }
                  ]
                }
                """)
        #expect(try run(path).output == ["\(path): 2 items, 1 done"])
    }

    @Test func aFileThatIsNotChangedIsNotWritten() throws {
        let path = try folder.file("a.json", small)
        #expect(try run(path, input: ["show", "done 9", "undone 2", "begin", "done 2", "rollback"]).exitCode == 0)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == small)
    }

    @Test func undoingEverythingRestoresTheFile() throws {
        let path = try folder.file("a.json", small)
        let edits = ["done 1", "move 1.1 before 1", "begin", "delete 2", "add x", "commit"]
        #expect(
            try run(path, input: edits + ["undo", "undo", "undo", "undo"]).output.last == "there is nothing to undo")
        let whole = """
            {"items": [{"title": "a", "isDone": false, "items": [
                {"title": "b", "isDone": false, "items": []}, {"title": "c", "isDone": true, "items": []}]},
                {"title": "d", "isDone": false, "items": []}]}
            """
        #expect(try contents(path) == JSONValue(parsing: whole))
    }

    @Test func saveWritesTheFileImmediately() throws {
        let path = folder.path("a.json")
        let program = try PipedProgram("Outline", [path])
        try program.type("add a")
        try program.type("save")
        #expect(program.readLine() == "\(path): a new outline")
        #expect(program.readLine() == "1 [ ] a")
        #expect(program.readLine() == "saved \(path)")
        #expect(try contents(path) == ["items": [["title": "a", "isDone": false, "items": []]]])
        #expect(try program.run([]).exitCode == 0)
    }

    @Test func aFileIsCompleteWheneverTheProgramIsKilled() throws {
        let path = folder.path("killed.json")
        var random = SplitMix64(seed: 1)
        var saved = 0
        for _ in 0..<8 {
            let program = try PipedProgram("Outline", [path])
            for number in saved + 1...saved + 20 {
                try program.type("add \(number)")
                try program.type("save")
            }
            // Kills it after it has reported some saves, during one of the next.
            var count = Int.random(in: 1...15, using: &random)
            while count > 0, let line = program.readLine() {
                if line == "saved \(path)" {
                    count -= 1
                    saved += 1
                }
            }
            program.kill()
            let titles = try #require(try contents(path)["items"].flatMap(titles))
            #expect(titles.count >= saved)
            #expect(titles == (1...titles.count).map { .string("\($0)") })
            saved = titles.count
        }
    }

    private func titles(of items: JSONValue) -> [JSONValue?] {
        (0..<items.valueCount).prefix { items[$0] != nil }.map { items[$0]?["title"] }
    }

    @Test(arguments: [
        ("", "the file is empty"),
        ("{\n  \"items\": [}", "invalid JSON at line 2, column 13: expected a value"),
        ("[]", "at the root: "),
        ("{\"items\": {}}", "at /items: "),
        ("{\"items\": [{\"isDone\": true}]}", "at /items/0: the member \"title\" is missing"),
        ("{\"items\": [{\"title\": \"a\", \"isDone\": 1}]}", "at /items/0/isDone: "),
        ("{\"items\": [{\"title\": \"a\", \"isDone\": null}]}", "at /items/0/isDone: "),
        (
            "{\"items\": [{\"title\": \"a\", \"due\": \"May\"}]}",
            "at /items/0: an item has no member \"due\"; remove it, because saving would lose it"
        ),
        (
            "{\"items\": [], \"version\": 2}",
            "an outline has no member \"version\"; remove it, because saving would lose it"
        ),
        (
            "{\"items\": \(String(repeating: "[{\"title\":\"\",\"items\":", count: 201))[]"
                + "\(String(repeating: "}]", count: 201))}",
            "items are nested more than 200 levels deep"
        ),
    ])
    func aFileThatIsNoOutlineIsRefusedUnchanged(text: String, message: String) throws {
        let path = try folder.file("bad.json", text)
        let outcome = try run(path, input: ["add a", "save"])
        #expect(outcome.exitCode == 1)
        #expect(outcome.output == [])
        #expect(outcome.errors.count == 1)
        #expect(outcome.errors[0].hasPrefix("\(path) could not be loaded: "), "\(outcome.errors[0])")
        #expect(outcome.errors[0].contains(message), "\(outcome.errors[0])")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }

    @Test func aPathThatCannotBeAFileIsRefused() throws {
        let file = try folder.file("a.json", small)
        let pipe = folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        for (path, reason) in [
            ("", "\"\" cannot be used: the path is empty; name a file"),
            (folder.url.path, "\(folder.url.path) cannot be used: it is a folder; name a file in it"),
            (pipe, "\(pipe) cannot be used: it is not a regular file"),
            (
                folder.path("no/a.json"),
                "\(folder.path("no/a.json")) cannot be used: there is no such folder; create it first"
            ),
            (file + "/a.json", "\(file)/a.json cannot be used: there is no such folder; create it first"),
        ] {
            let outcome = try run(path)
            #expect(outcome.exitCode == 1)
            #expect(outcome.errors == [reason])
        }
    }

    @Test func errorsOfSavingAreReportedAndSetTheExitCode() throws {
        let inner = folder.url.appendingPathComponent("inner")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        let path = inner.appendingPathComponent("a.json").path
        let program = try PipedProgram("Outline", [path])
        #expect(program.readLine() == "\(path): a new outline")
        try FileManager.default.removeItem(at: inner)
        let outcome = try program.run(["add a", "save", "add b"])
        #expect(outcome.output.contains { $0.hasPrefix("\(path) could not be saved: No such file or directory") })
        #expect(outcome.output.contains("2 [ ] b"))
        #expect(outcome.errors.count == 1)
        #expect(outcome.exitCode == 1)
    }

    @Test func changesThatCouldNotBeSavedAreSavedLater() throws {
        let inner = folder.url.appendingPathComponent("inner")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        let path = inner.appendingPathComponent("a.json").path
        let program = try PipedProgram("Outline", [path])
        #expect(program.readLine() == "\(path): a new outline")
        try FileManager.default.removeItem(at: inner)
        try program.type("add a")
        try program.type("save")
        while let line = program.readLine(), !line.hasPrefix("\(path) could not be saved") {}
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        #expect(try program.run(["save"]).exitCode == 0)
        #expect(try contents(path)["items"]?[0]?["title"] == "a")
    }

    @Test func aLinkIsKeptAndItsTargetIsSaved() throws {
        let path = try folder.file("a.json", small)
        let link = folder.path("link.json")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(try run(link, input: ["rename 2 D"]).exitCode == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
        #expect(try contents(path)["items"]?[1]?["title"] == "D")
    }

    // MARK: - Arguments

    @Test func withoutArgumentsTheProgramDemonstratesItself() throws {
        let outcome = try run(input: ["add a"])
        #expect(outcome.exitCode == 0)
        #expect(outcome.output.first == "moving.json (the sample): 9 items, 2 done")
        #expect(outcome.output.contains("> show"))
        #expect(!outcome.output.contains { $0.hasSuffix(" a") })
        #expect(outcome.errors == [])
    }

    @Test func theTranscriptInTheReadMeIsAccurate() throws {
        let transcript = try readMe(of: "Outline", "A session")
        #expect(transcript.contains("\n> "))
        #expect(try run().output.joined(separator: "\n").hasPrefix(transcript))
    }

    @Test func helpExplainsTheProgram() throws {
        let outcome = try run("--help")
        #expect(outcome.exitCode == 0)
        #expect(outcome.output.first == "Usage: Outline [FILE.json] [--inspect PORT] [--help]")
    }

    @Test func invalidArgumentsAreExplained() throws {
        for (arguments, message) in [
            (["--scrpt"], "unknown option --scrpt"),
            (["a.json", "b.json"], "only one outline can be named, not a.json and b.json"),
        ] {
            let outcome = try PipedProgram("Outline", arguments).run([])
            #expect(outcome.exitCode == 64)
            #expect(outcome.errors == ["\(message); Outline --help explains the arguments"])
        }
    }
}
