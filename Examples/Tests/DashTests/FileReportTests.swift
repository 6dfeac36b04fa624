// The report about a file.

import DashCore
import Foundation
import ProgramSupport
import Testing

@Suite struct FileReportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func report(_ path: String) async throws -> FileReport {
        try await FileReport.read(path, pause: {}, onProgress: { _ in })
    }

    @Test func bytesLinesWordsAndTheLongestLineAreCounted() async throws {
        let report = try await report(folder.file("a.txt", "one two\n\n  drei\tßß vier fünf \r\nlast"))
        #expect(report.byteCount == 38)
        #expect(report.lineCount == 4)
        #expect(report.wordCount == 7)
        #expect(report.longestLine == "  drei\tßß vier fünf ")
        #expect(report.longestLength == 20)
        #expect(report.longestNumber == 3)
    }

    @Test func anEmptyFileHasNoLines() async throws {
        #expect(try await report(folder.file("empty", "")) == FileReport())
        let blank = try await report(folder.file("blank", "\n"))
        #expect((blank.lineCount, blank.longestNumber, blank.longestLength) == (1, 1, 0))
    }

    @Test func charactersThatSlicesCutAreJoined() async throws {
        let text = String(repeating: "日本語 ", count: 100)
        let report = try await report(folder.file("a", text))
        #expect(report.longestLength == 400)
        #expect(report.wordCount == 100)
    }

    @Test func progressGrowsFromNothingToAll() async throws {
        let path = try folder.file("a", String(repeating: "x", count: 1000))
        var steps: [Int] = []
        _ = try await FileReport.read(path, pause: {}, onProgress: { steps.append($0.done) })
        #expect(steps == Array(stride(from: 0, through: 1000, by: 20)))
    }

    @Test func unreadableFilesAreRefused() async throws {
        let cases = [
            (folder.path("missing"), "there is no such file"), (folder.url.path, "it is a folder"),
            ("/dev/null", "it is not a regular file"), ("", "there is no such file"),
        ]
        for (path, message) in cases {
            await #expect(throws: FileReport.Failure(description: message)) { _ = try await report(path) }
        }
    }

    @Test func readingEndsWhenItsTaskIsCancelled() async throws {
        let path = try folder.file("a", String(repeating: "x", count: 1000))
        let gate = Gate()
        let task = Task { try await FileReport.read(path, pause: { await gate.pass() }, onProgress: { _ in }) }
        task.cancel()
        await gate.open(100)
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
