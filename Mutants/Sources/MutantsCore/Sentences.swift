// Sentences in the sources that say why no test notices a mutant.
//
// A comment that begins with "No test sees this" stands behind a line, or in the lines above it, and holds for the
// mutants of that one line.

/// The lines of a file whose surviving mutants are explained.
struct Sentences {
    private static let beginning = "No test sees this"
    private let lines: Set<Int>

    init(in source: String) {
        var lines: Set<Int> = []
        var isAbove = false
        for (index, text) in source.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let code = text.drop { $0 == " " }
            let isComment = code.hasPrefix("//")
            if isComment, code.contains("// " + Self.beginning) { isAbove = true }
            if !isComment {
                if isAbove || code.contains("// " + Self.beginning) { lines.insert(index + 1) }
                isAbove = false
            }
        }
        self.lines = lines
    }

    func explain(_ mutant: Mutant) -> Bool { lines.contains(mutant.line) }
}
