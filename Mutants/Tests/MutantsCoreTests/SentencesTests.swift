// Which lines a sentence explains.

import Testing

@testable import MutantsCore

@Suite struct SentencesTests {
    private func explained(in source: String) -> [Int] {
        let sentences = Sentences(in: source)
        return (1...source.split(separator: "\n", omittingEmptySubsequences: false).count).filter { line in
            sentences.explain(Mutant(file: "a.swift", line: line, column: 1, kind: .deleted, code: ""))
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
}
