// Every block of Swift in the read-me and in doc comments is part of a sample, and samples print the output in their
// comments.

import Foundation
import Testing

extension MacroTests {
    @Suite struct DocumentationTests {
        private let package = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

        private func lines(of path: String) throws -> [String] {
            try String(contentsOf: package.appendingPathComponent(path), encoding: .utf8).components(separatedBy: "\n")
        }

        private var samples: [String] {
            get throws { try lines(of: "Tests/ReactiveMacrosTests/Samples.swift") }
        }

        @Test(arguments: ["README.md", "Sources/ReactiveMacros/ReactiveMacros.swift"])
        func everyBlockOfSwiftIsPartOfASample(path: String) throws {
            let prefix = path.hasSuffix(".swift") ? "/// " : ""
            let samples = try samples.map(unindented)
            var block: [String]?
            var count = 0
            for line in try lines(of: path) {
                let line = String(line.hasPrefix(prefix) ? line.dropFirst(prefix.count)[...] : line[...])
                if let code = block, line == "```" {
                    let code = code.filter { !$0.hasPrefix("import ") }.drop { $0.isEmpty }
                    let isSample = samples.indices.contains { samples[$0...].prefix(code.count).elementsEqual(code) }
                    #expect(isSample, "\(path): no sample contains this code:\n\(code.joined(separator: "\n"))")
                    (block, count) = (nil, count + 1)
                } else if block != nil {
                    block?.append(unindented(line))
                } else if line == "```swift" {
                    block = []
                }
            }
            #expect(count > 1)
        }

        @Test func samplesPrintTheOutputOfTheirComments() async throws {
            let announced = try samples.compactMap { line in
                line.range(of: "// prints \"").map { String(line[$0.upperBound...].dropLast()) }
            }
            #expect(await Samples.run() == announced)
        }

        /// Returns the line without indentation and without alignment of comments.
        private func unindented(_ line: String) -> String {
            line.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        }
    }
}
