// A fenced block of Swift in a Markdown file or in a doc comment.

import Foundation
import TourCore

struct CodeBlock {
    /// File and line, for messages.
    let place: String
    /// The lines without their common indentation and without imports.
    let code: [String]
    /// The lines that import modules.
    let imports: [String]

    init(place: String, lines: [String]) {
        self.place = place
        let margin = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        let body = lines.map { CodeBlock.normalized(String($0.dropFirst(margin))) }
        imports = body.filter { $0.hasPrefix("import ") }
        code = Array(body.filter { !$0.hasPrefix("import ") }.drop { $0.isEmpty })
    }

    /// All blocks in a file.
    static func all(in file: URL, below root: URL) throws -> [CodeBlock] {
        let name = file.path.replacingOccurrences(of: root.path + "/", with: "")
        let isMarkdown = file.pathExtension == "md"
        var blocks: [CodeBlock] = []
        var start = 0
        var block: [String]?
        let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
        for (index, line) in lines.enumerated() {
            guard let line = isMarkdown ? withoutQuoteMark(line) : docComment(in: line) else { continue }
            let isFence = line.trimmingCharacters(in: .whitespaces).hasPrefix("```")
            if let lines = block {
                if isFence { blocks.append(CodeBlock(place: "\(name):\(start)", lines: lines)) }
                block = isFence ? nil : lines + [line]
            } else if isFence, line.lowercased().hasSuffix("```swift") {
                start = index + 1
                block = []
            }
        }
        return blocks
    }

    /// Whether the block is a sequence of lines of the sample, and the sample has its imports.
    func isPart(of sample: SampleCode) -> Bool {
        let lines = sample.lines.map(CodeBlock.normalized)
        guard !code.isEmpty, sample.imports.isSuperset(of: imports) else { return false }
        return lines.indices.contains { start in
            let margin = String(lines[start].prefix { $0 == " " })
            return code.elementsEqual(lines[start...].prefix(code.count)) { line, sampleLine in
                sampleLine == (line.isEmpty ? "" : margin + line)
            }
        }
    }

    /// Returns the text of a Markdown line, which may be in a block quote.
    private static func withoutQuoteMark(_ line: String) -> String {
        line.hasPrefix(">") ? String(line.dropFirst(line.hasPrefix("> ") ? 2 : 1)) : line
    }

    /// The text of a `///` line, or `nil` for another line.
    private static func docComment(in line: String) -> String? {
        let trimmed = line.trimmingCharacters(in: .whitespaces)
        guard trimmed.hasPrefix("///") else { return nil }
        return String(trimmed.dropFirst(trimmed.hasPrefix("/// ") ? 4 : 3))
    }

    /// Returns the line with two spaces before a trailing comment, for any alignment on the page.
    private static func normalized(_ line: String) -> String {
        let isComment = line.trimmingCharacters(in: .whitespaces).hasPrefix("//")
        guard !isComment, let comment = line.range(of: " // ") else { return line }
        let code = line[..<comment.lowerBound].reversed().drop { $0 == " " }.reversed()
        return String(code) + "  // " + line[comment.upperBound...]
    }
}
