// Each program of the shelf prints the output in its comments, and is short.

import Foundation
import ProgramSupport
import Testing
import TourCore

@Suite(.blocking) struct ShelfTests {
    private static let files = try! FileManager.default.contentsOfDirectory(atPath: shelf.path).sorted()
    private static let shelf = examplesFolder.appendingPathComponent("Shelf")

    @Test(arguments: files) func theProgramPrintsTheOutputOfItsComments(file: String) throws {
        let name = try #require(file.split(separator: "-").last?.split(separator: ".").first)
        let code = try SampleCode(ofFile: Self.shelf.appendingPathComponent(file).path)
        let outcome = try PipedProgram(String(name)).run()
        #expect(outcome.exitCode == 0)
        #expect(outcome.output == code.announcedOutput)
        #expect(outcome.errors == [])
        #expect(code.lines.contains("//     swift run --package-path Examples \(name)"))
    }

    @Test(arguments: files) func anExampleHasAtMost60Lines(file: String) throws {
        let text = try String(contentsOf: Self.shelf.appendingPathComponent(file), encoding: .utf8)
        #expect(text.count { $0 == "\n" } <= 60)
    }

    @Test func thereAreFifteen() { #expect(Self.files.count == 15) }
}
