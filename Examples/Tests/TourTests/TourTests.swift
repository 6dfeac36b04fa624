// The tour prints what its samples say that they print.

import ProgramSupport
import Testing
import TourCore

@Suite struct TourTests {
    @Test func everySamplePrintsWhatItsCommentsSay() throws {
        let printed = try outputOfTour().split(separator: "\n", omittingEmptySubsequences: false)
        let announced = Tour.announcedTranscript.split(separator: "\n", omittingEmptySubsequences: false)
        for (line, pair) in zip(printed, announced).enumerated() where pair.0 != pair.1 {
            Issue.record("line \(line + 1): printed \"\(pair.0)\", announced \"\(pair.1)\"")
            return
        }
        #expect(printed.count == announced.count)
    }

    /// Runs the program in a process of its own, where no other test uses the library at the same time.
    private func outputOfTour() throws -> String {
        let outcome = try PipedProgram("Tour").run()
        #expect(outcome.exitCode == 0)
        return outcome.outputText
    }
}
