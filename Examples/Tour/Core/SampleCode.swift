// The source text of a sample, and the output that its comments announce.
//
// A sample announces each line that it prints, in the order of printing, at the line of code that causes it:
//
//     count.value += 1  // prints "count: 1", "double: 2"
//
// or, for a text of several lines, below it:
//
//     print(graph.mermaid)
//     // prints:
//     // flowchart LR

import Foundation

/// The lines between a closure's braces in the source file.
package struct SampleCode: Sendable {
    /// The lines without their common indentation.
    package let lines: [String]
    /// The `import` lines of the file.
    package let imports: Set<String>

    /// Reads the body of the closure that opens at the end of the given line and closes with a brace below that line's
    /// first character.
    init(ofClosureAt line: Int, in file: String) {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            lines = ["(the source is not where it was built: \(file))"]
            imports = []
            return
        }
        let all = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let margin = all[line - 1].prefix { $0 == " " }
        let body = all[line...].prefix { !$0.hasPrefix(margin + "}") }
        lines = body.map { String($0.dropFirst(margin.count + 4)) }
        imports = Set(all.filter { $0.hasPrefix("import ") })
    }

    /// Reads a whole file, without the access level `package`, which a reader's module does not need.
    package init(ofFile file: String) throws {
        let text = try String(contentsOfFile: file, encoding: .utf8)
        lines = text.components(separatedBy: "\n").map { $0.replacingOccurrences(of: "package ", with: "") }
        imports = Set(lines.filter { $0.hasPrefix("import ") })
    }

    /// The announced output, line by line.
    package var announcedOutput: [String] {
        var announced: [String] = []
        var isInBlock = false
        for line in lines.map({ $0.trimmingCharacters(in: .whitespaces) }) {
            if line == "// prints:" {
                isInBlock = true
            } else if isInBlock, line.hasPrefix("// ") {
                announced.append(String(line.dropFirst(3)))
            } else {
                isInBlock = false
                guard let comment = line.range(of: "// prints \"") else { continue }
                let quoted = line[comment.upperBound...].split(separator: "\"", omittingEmptySubsequences: false)
                announced += stride(from: 0, to: quoted.count - 1, by: 2).map { String(quoted[$0]) }
            }
        }
        return announced
    }
}
