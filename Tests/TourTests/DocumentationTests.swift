// Every Swift sample in the README, the articles and the doc comments is part of the tour, and so compiles and runs.

import Foundation
import Testing
import TourCore

@Suite(.alone) struct DocumentationTests {
    @Test func everyBlockOfSwiftInTheDocumentationIsInTheTour() throws {
        let blocks = try documents().flatMap { try CodeBlock.all(in: $0, below: root) }
        #expect(blocks.count > 30)
        let samples = Tour.chapters.flatMap(\.samples).map(\.code)
        for block in blocks where !samples.contains(where: block.isPart) {
            let code = block.code.joined(separator: "\n")
            Issue.record("\(block.place): no sample of Examples/TourCore contains this code:\n\(code)")
        }
    }

    @Test func everyFunctionOfTheLibraryIsInTheTour() {
        let code = Tour.chapters.flatMap(\.samples).flatMap(\.code.lines).joined().filter { $0 != " " }
        let functions = """
            Observable( @Observable @Observed @Reactive.Observable .value $person Binding( .constant(
            Computed{ ThrowingComputed{ computed( equals: .never
            autorun{ onError: reaction{ onChange: fireImmediately: when{ effect: untracked{
            ObserverScope{ onRender: .output .renderCount .invalidate()
            Reaction .cancel() .isCancelled .runCount .lastCause .store(in: AnyCancellable onCleanup{ detached{
            inTransaction{ onError:.commit awaitwhen{ timeout: WhenTimeoutError values(of:
            schedule: .immediate .debounced(for: .throttled(every: .custom{
            Diagnostics.onIssue Diagnostics.liveReactions Diagnostics.graph() .mermaid .dot named:
            """
        for function in functions.split(whereSeparator: \.isWhitespace) {
            #expect(code.contains(function), "no sample shows \(function)")
        }
    }

    private var root: URL {
        let file = URL(fileURLWithPath: #filePath)
        return file.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
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
