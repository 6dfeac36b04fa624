// The tour prints the output in the comments of its samples.

import ProgramSupport
import Testing
import TourCore

@Suite(.blocking) struct TourTests {
    @Test func everySamplePrintsTheOutputOfItsComments() throws {
        let printed = try outputOfTour().split(separator: "\n", omittingEmptySubsequences: false)
        let announced = Tour.announcedTranscript.split(separator: "\n", omittingEmptySubsequences: false)
        for (line, pair) in zip(printed, announced).enumerated() where pair.0 != pair.1 {
            Issue.record("line \(line + 1): printed \"\(pair.0)\", expected \"\(pair.1)\"")
            return
        }
        #expect(printed.count == announced.count)
    }

    @Test func chaptersAreShownByName() throws {
        let outcome = try PipedProgram("Tour", ["next-to-observation-and-swiftui", "In twelve lines", "OBJECT-"]).run()
        #expect(outcome.exitCode == 0)
        let titles = ["Next to Observation and SwiftUI", "In twelve lines", "Object graphs"]
        let headings = zip(outcome.output, outcome.output.dropFirst()).filter { $1.hasPrefix("==") }.map(\.0)
        #expect(headings == titles)
    }

    @Test func theListNamesEachChapterOnce() throws {
        let outcome = try PipedProgram("Tour", ["--list"]).run()
        #expect(outcome.output.count == Tour.chapters.count)
        #expect(outcome.output.contains { $0.hasPrefix("object-graphs ") && $0.hasSuffix("  Object graphs") })
        #expect(Set(Tour.chapters.map(\.name)).count == Tour.chapters.count)
    }

    @Test(arguments: [
        (["atom"], "no chapter \"atom\"; there are atoms-and-selectors, atoms-at-work, atoms-and-hooks"),
        (["nothing"], "no chapter \"nothing\"; Tour --list lists the chapters"),
        ([""], "no chapter \"\"; Tour --list lists the chapters"),
        (["--lst"], "unknown option --lst; Tour --help explains the arguments"),
        (["--list", "state"], "--list stands alone"),
    ])
    func invalidArgumentsAreExplained(arguments: [String], message: String) throws {
        let outcome = try PipedProgram("Tour", arguments).run()
        #expect(outcome.exitCode == 64)
        #expect(outcome.errors == [message])
        #expect(outcome.output.isEmpty)
    }

    /// Runs the program in a process of its own, where no other test uses the library at the same time.
    private func outputOfTour() throws -> String {
        let outcome = try PipedProgram("Tour").run()
        #expect(outcome.exitCode == 0)
        return outcome.outputText
    }
}
