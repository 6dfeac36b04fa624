// The tour prints what its samples say that they print.

import Foundation
import Testing
import TestSupport
import TourCore

@Suite(.alone) struct TourTests {
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
        let tour = Process()
        tour.executableURL = productsDirectory.appendingPathComponent("Tour")
        let output = Pipe()
        tour.standardOutput = output
        try tour.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        tour.waitUntilExit()
        #expect(tour.terminationStatus == 0)
        return String(decoding: data, as: UTF8.self)
    }

    private var productsDirectory: URL {
        for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
            return bundle.bundleURL.deletingLastPathComponent()
        }
        return Bundle.main.bundleURL
    }
}
