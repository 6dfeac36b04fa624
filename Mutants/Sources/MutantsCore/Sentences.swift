// Sentences in the sources that say why no test notices a mutant.
//
// A comment that begins with "No test sees this" stands behind a line, or in the lines above it, and holds for the
// mutants of that one line. If the line begins a block, "No test sees this block" holds for all lines up to the block's
// closing brace, without an `else` behind it.

/// The lines of a file whose surviving mutants are explained.
struct Sentences {
    private static let beginning = "No test sees this"
    private static let beginningOfBlock = "No test sees this block"
    private let lines: Set<Int>

    init(in source: String) {
        let texts = source.split(separator: "\n", omittingEmptySubsequences: false)
        var lines: Set<Int> = []
        var (isAbove, isBlockAbove) = (false, false)
        /// The indentation of the end of a block that is explained.
        var blockEnd: Substring?
        for (index, text) in texts.enumerated() {
            let code = text.drop { $0 == " " }
            let isComment = code.hasPrefix("//")
            if isComment, code.contains("// " + Self.beginning) {
                isAbove = true
                isBlockAbove = code.contains("// " + Self.beginningOfBlock)
            }
            if isComment { continue }
            if let end = blockEnd, text.hasPrefix(end + "}") { blockEnd = nil }
            if isAbove || blockEnd != nil || code.contains("// " + Self.beginning) { lines.insert(index + 1) }
            if isBlockAbove, text.hasSuffix("{") { blockEnd = text.prefix { $0 == " " } }
            (isAbove, isBlockAbove) = (false, false)
        }
        self.lines = lines
    }

    func explain(_ mutant: Mutant) -> Bool { lines.contains(mutant.line) }
}
