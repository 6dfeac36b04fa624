// Every Swift sample in the README, the articles and the doc comments is part of the tour, and so compiles and runs.

import Foundation
import Testing
import TourCore

@Suite struct DocumentationTests {
    @Test func everyBlockOfSwiftInTheDocumentationIsInTheTour() throws {
        let blocks = try documents().flatMap { try CodeBlock.all(in: $0, below: root) }
        #expect(blocks.count > 30)
        let samples = Tour.chapters.flatMap(\.samples).map(\.code)
        for block in blocks where !samples.contains(where: block.isPart) {
            Issue.record("\(block.place): no sample of Examples/TourCore contains this code:\n\(block.code.joined(separator: "\n"))")
        }
    }

    @Test func everyFunctionOfTheLibraryIsInTheTour() {
        let code = Tour.chapters.flatMap(\.samples).flatMap(\.code.lines).joined(separator: "\n")
        let functions = [
            "Observable(", "@Observable ", "@Observed ", "$person", "Computed {", "ThrowingComputed {", "computed(", "autorun {",
            "onError: {", "reaction {", "fireImmediately: true", "equals: .never", "when {", "try await when", "timeout:",
            "values(of:", "ObserverScope {", "untracked {", "onCleanup {", "detached {", "inTransaction {", "onError: .commit",
            ".cancel()", ".store(in:", ".lastCause", ".runCount", ".onIssue", ".liveReactions", ".graph()",
            ".debounced(", ".throttled(", ".custom", ".immediate",
        ]
        for function in functions { #expect(code.contains(function), "no sample shows \(function)") }
    }

    private var root: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    }

    /// The Markdown that readers see first, the DocC catalogue, and the library's sources.
    private func documents() throws -> [URL] {
        let sources = root.appendingPathComponent("Sources/Reactive")
        let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path).sorted()
            .filter { $0.hasSuffix(".md") || $0.hasSuffix(".swift") }
            .map { sources.appendingPathComponent($0) }
        return ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map { root.appendingPathComponent($0) } + files
    }
}
