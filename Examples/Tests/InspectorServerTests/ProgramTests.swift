// The programs with `--inspect`: the address that they print, the page, the stream, and steps in time.

import Foundation
import ProgramSupport
import Testing

@Suite(.alone) struct ProgramTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let outline = "{\"items\": [{\"title\": \"a\"}]}"

    /// Returns the port in the line that a program prints.
    private func portPrinted(by program: PipedProgram) throws -> UInt16 {
        while let line = program.readLine() {
            if let port = portNamed(in: line) { return port }
        }
        return try #require(nil, "the program prints no address")
    }

    private func portNamed(in text: String) -> UInt16? {
        guard let start = text.range(of: "the inspector is at http://127.0.0.1:") else { return nil }
        return UInt16(text[start.upperBound...].prefix { $0.isNumber })
    }

    @Test func aBrowserSeesTheGraphOfEachProgram() throws {
        let sheet = try folder.file("a.csv", "1,=A1*2\n")
        let outline = try folder.file("a.json", Self.outline)
        for (name, arguments, node) in [
            ("Sheet", [sheet], "B1"), ("Shop", ["--commands"], "cart"), ("Outline", [outline], "page"),
        ] {
            let program = try PipedProgram(name, arguments + ["--inspect", "0"])
            let port = try portPrinted(by: program)
            let page = try Client.request("GET /", port: port)
            #expect(page.status == 200)
            #expect(page.body.contains("{\"live\":true,\"title\":\"\(name)\",\"travels\":\(name == "Outline")}"))
            let first = try Client.stream(port: port).event()
            #expect(first.nodes?.contains { $0.name == node } == true, "\(name): \(first.nodes ?? [])")
        }
    }

    @Test func anEditAppearsInTheStream() throws {
        let program = try PipedProgram("Sheet", [folder.file("a.csv", "1,=A1*2\n"), "--inspect", "0"])
        let stream = try Client.stream(port: portPrinted(by: program))
        _ = try stream.event()
        try program.type("A1 = 4")
        #expect(program.wait(for: "B1: 2 → 8"))
        #expect(try stream.event().nodes?.contains { $0.name == "B1" } == true)
    }

    @Test func theOutlineFollowsStepsInTime() throws {
        let path = try folder.file("a.json", Self.outline)
        let program = try PipedProgram("Outline", [path, "--inspect", "0"])
        let port = try portPrinted(by: program)
        let stream = try Client.stream(port: port)
        let viewer = try #require(try stream.event().viewer)
        try program.type("add b", "done 1")
        #expect(program.wait(for: "1 [x] a"))
        func travel(to position: Int) throws -> String {
            try Client.ask("{\"viewer\":\(viewer),\"travel\":\(position)}", port: port)
        }
        // Back to the beginning, while the program waits for a line.
        #expect(try travel(to: 0) == "{}")
        #expect(program.readLine() == "1 [ ] a" && program.readLine() == "2 gone")
        while try stream.event().travel != Message.Travel(position: 0, count: 2) {}
        #expect(try travel(to: 1) == "{}")
        #expect(program.readLine() == "2 [ ] b")
        // The commands continue from there.
        try program.type("redo")
        #expect(program.readLine() == "1 [x] a")
        let outcome = try program.run(["show"])
        #expect(outcome.output == ["1 [x] a", "2 [ ] b"] && outcome.exitCode == 0)
        #expect(try String(contentsOfFile: path, encoding: .utf8).contains("\"b\""))
    }

    @Test func aTransactionDelaysAStep() async throws {
        let program = try PipedProgram("Outline", [folder.file("a.json", Self.outline), "--inspect", "0"])
        let port = try portPrinted(by: program)
        try program.type("begin", "add b", "frob")
        #expect(program.wait(for: "unknown command \"frob\"; help lists the commands"))
        async let answer = Client.ask("{\"travel\":0}", port: port)
        try program.type("commit")
        #expect(try await answer == "{}")
        _ = try program.run([])
    }

    @Test func aStepLeavesTheLineThatIsTyped() throws {
        let path = try folder.file("a.json", Self.outline)
        let terminal = try PseudoTerminal(executable("Outline"), [path, "--inspect", "0"])
        try terminal.wait(for: "\n>")
        let port = try #require(portNamed(in: terminal.screen.text))
        try terminal.type("add b\r")
        try terminal.wait(for: "2 [ ] b")
        try terminal.type("add c")
        try terminal.wait(for: "> add c")
        #expect(try Client.ask("{\"travel\":0}", port: port) == "{}")
        try terminal.wait(for: "2 gone\n> add c")
        try terminal.type("d\r")
        try terminal.wait(for: "2 [ ] cd")
        try terminal.type("quit\r")
        #expect(try terminal.end() == .exit(0))
        #expect(terminal.hasSettingsOfBefore)
    }

    @Test(arguments: [SIGINT, SIGTERM]) func aSignalEndsTheOutlineAndRestoresTheTerminal(signal: Int32) throws {
        let path = try folder.file("a.json", Self.outline)
        let terminal = try PseudoTerminal(executable("Outline"), [path, "--inspect", "0"])
        try terminal.wait(for: "\n>")
        if signal == SIGINT { try terminal.type("\u{3}") } else { terminal.send(signal) }
        #expect(try terminal.end() == .signal(signal))
        #expect(terminal.hasSettingsOfBefore)
    }

    @Test func theScreenOfTheShopShowsTheAddressUntilAKey() throws {
        let terminal = try PseudoTerminal(executable("Shop"), ["--inspect", "0"])
        try terminal.wait(for: "the inspector is at http://127.0.0.1:")
        let port = try #require(portNamed(in: terminal.screen.text))
        let stream = try Client.stream(port: port)
        #expect(try stream.event().nodes?.contains { $0.name == "cart" } == true)
        try terminal.type("+")
        try terminal.wait(forNo: "the inspector is at")
        #expect(try stream.event().nodes?.isEmpty == false)
        try terminal.type("q")
        #expect(try terminal.end() == .exit(0))
        #expect(terminal.screen.complaints == [])
    }

    @Test func aUsedPortAndAWrongOneAreExplained() throws {
        let first = try PipedProgram("Sheet", ["--inspect", "0", folder.file("a.csv", "1\n")])
        let port = try portPrinted(by: first)
        let outline = try folder.file("a.json", Self.outline)
        for (name, arguments) in [("Sheet", []), ("Shop", []), ("Outline", [outline])] {
            let used = try PipedProgram(name, arguments + ["--inspect", "\(port)"]).run()
            #expect(used.exitCode == 1)
            #expect(
                used.errors == [
                    "port \(port) is in use; choose a different one with --inspect, or a free one with --inspect 0"
                ])
            let wrong = try PipedProgram(name, ["--inspect", "65536"]).run()
            #expect(wrong.exitCode == 64)
            #expect(
                wrong.errors == [
                    "--inspect needs a port from 0 to 65535, not 65536; \(name) --help explains the arguments"
                ])
        }
    }
}
