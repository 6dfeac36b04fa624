// Which lines a sentence explains.

import Testing

@testable import MutantsCore

@Suite struct SentencesTests {
    private func explained(in source: String, _ kind: Mutant.Kind = .deleted) -> [Int] {
        let sentences = Sentences(in: source)
        return (1...source.split(separator: "\n", omittingEmptySubsequences: false).count).filter { line in
            sentences.explain(Mutant(file: "a.swift", line: line, column: 1, kind: kind, code: ""))
        }
    }

    @Test func aSentenceHoldsForItsLineOrTheOneBelow() {
        let source = """
            first()
            // No test sees this: it saves a walk,
            // and nothing else.
            second()
            third()
            fourth()  // No test sees this: it saves memory.
            fifth()
            """
        #expect(explained(in: source) == [4, 6])
    }

    @Test func aSentenceAboutABlockHoldsToItsEnd() {
        let source = """
            // No test sees this block: memory would have to run out.
            if a {
                first()
                if b { second() }
            } else {
                third()
            }
            fourth()
            """
        #expect(explained(in: source) == [2, 3, 4])
    }

    @Test func aBlockEndsWithItsOwnBrace() {
        let source = """
            func f() {
                // No test sees this block: only another system runs it.
                for a in b {
                    first()
                }
                second()
            }
            """
        #expect(explained(in: source) == [3, 4])
    }

    @Test func aSentenceMayNameTheKindOfMutants() {
        let source = """
            // No test sees this always hold: it saves a call.
            if a > 0 { first() }
            // No test sees this boundary: both are the same.
            // No test sees this never hold: the search would find the same.
            if b > 0 { second() }
            // No test sees this left out: the next call does the same.
            third()
            fourth()
            """
        #expect(explained(in: source, .alwaysTrue) == [2])
        #expect(explained(in: source, .alwaysFalse) == [5])
        #expect(explained(in: source, .boundary) == [5])
        #expect(explained(in: source, .flagGone) == [7])
        #expect(explained(in: source, .deleted) == [7])
        #expect(explained(in: source, .arithmetic) == [])
    }
}
