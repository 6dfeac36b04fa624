// Sentences in the sources that say why no test notices a mutant.
//
// A comment that begins with "No test sees this" stands behind a line, or in the lines above it, and holds for the
// mutants of that one line. If the line begins a block, "No test sees this block" holds for all lines up to the block's
// closing brace, without an `else` behind it.
//
// The next words may say which mutants are meant, so that the sentence does not hide others of the same line:
//
//     No test sees this always hold    a condition, or a part of one, always holds
//     No test sees this never hold     a condition, or a part of one, never holds
//     No test sees this boundary       a comparison includes its boundary, or no longer does
//     No test sees this left out       a statement or a flag is gone

/// The lines of a file whose surviving mutants are explained.
struct Sentences {
    private static let beginning = "// No test sees this"
    private static let kinds: [(words: String, kinds: Set<Mutant.Kind>)] = [
        (" always hold", [.alwaysTrue]), (" never hold", [.alwaysFalse]), (" boundary", [.boundary]),
        (" left out", [.deleted, .flagGone]),
    ]
    /// The kinds of mutants that are explained, by line.
    private let lines: [Int: Set<Mutant.Kind>]

    init(in source: String) {
        let texts = source.split(separator: "\n", omittingEmptySubsequences: false)
        var lines: [Int: Set<Mutant.Kind>] = [:]
        /// What the comments above the next line of code explain.
        var above: (kinds: Set<Mutant.Kind>, isBlock: Bool) = ([], false)
        /// The indentation of the end of a block that is explained.
        var blockEnd: Substring?
        for (index, text) in texts.enumerated() {
            let code = text.drop { $0 == " " }
            let sentence = text.firstRange(of: Self.beginning).map { text[$0.upperBound...] }
            if code.hasPrefix("//") {
                guard let sentence else { continue }
                above.kinds.formUnion(Self.kinds(of: sentence))
                if sentence.hasPrefix(" block") { above.isBlock = true }
                continue
            }
            if let end = blockEnd, text.hasPrefix(end + "}") { blockEnd = nil }
            var kinds = above.kinds
            if let sentence { kinds.formUnion(Self.kinds(of: sentence)) }
            if blockEnd != nil { kinds = Set(Mutant.Kind.allCases) }
            lines[index + 1] = kinds
            if above.isBlock, text.hasSuffix("{") { blockEnd = text.prefix { $0 == " " } }
            above = ([], false)
        }
        self.lines = lines
    }

    /// The kinds of mutants that a sentence means: all of them, if it does not say which.
    private static func kinds(of sentence: Substring) -> Set<Mutant.Kind> {
        kinds.first { sentence.hasPrefix($0.words) }?.kinds ?? Set(Mutant.Kind.allCases)
    }

    func explain(_ mutant: Mutant) -> Bool { lines[mutant.line]?.contains(mutant.kind) == true }
}
