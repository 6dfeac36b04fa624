// The mutants of short pieces of Swift. Their places test `m1`, `m2` and so on.

import MutantsCore
import Testing

@Suite struct SwiftMutationTests {
    private func mutated(_ source: String) -> String {
        Mutation(ofSwift: source, file: "F.swift", firstNumber: 1).text
            .replacing(/reactive_mutant\((\d+)\)/) { "m\($0.output.1)" }
    }

    private func kinds(_ source: String) -> [Mutant.Kind] {
        Mutation(ofSwift: source, file: "F.swift", firstNumber: 1).mutants.map(\.kind)
    }

    @Test func aConditionAlwaysOrNeverHolds() {
        #expect(mutated("if isOpen { return }") == "if (m1 || ((!m2 && (isOpen)))) { return }")
    }

    @Test func eachPartOfAConditionIsLeftOut() {
        let text = mutated("let x = a && b || c")
        #expect(text == "let x = (!m1 && ((m3 || (a)) && (m4 || (b)))) || (!m2 && (c))")
    }

    @Test func aBindingNeverHolds() {
        #expect(mutated("guard let x = y else { return }") == "guard let x = y, !m1 else { return }")
    }

    @Test func aLoopEndsButNeverBecomesEndless() { #expect(kinds("while isOpen { }") == [.alwaysFalse]) }

    @Test func aBoundaryMoves() { #expect(mutated("let x = a < b") == "let x = (m1 ? a <= b : (a < b))") }

    @Test func aComparisonOutsideOfConditionsIsNegated() {
        #expect(mutated("let x = a == b") == "let x = (m1 != (a == b))")
    }

    @Test func aSumBecomesADifference() {
        #expect(mutated("let x = a + 1") == "let x = (m1 ? a - 1 : (a + 1))")
        #expect(kinds("let x = \"a\" + b") == [])
    }

    @Test func aFlagIsLeftOut() {
        #expect(
            mutated("let x = flags.isDisjoint(with: [.live, .part])")
                == "let x = flags.isDisjoint(with: [(m1 ? [] : .live), (m2 ? [] : .part)])")
        #expect(mutated("let x = flags.union(.live)") == "let x = (m1 ? flags : flags.union(.live))")
    }

    @Test func aStatementIsDeleted() {
        let text = mutated("func f() { try g()\n count += 1 }")
        #expect(text == "func f() { if !m1 { try g() }\n if !m2 { count += 1 } }")
    }

    @Test(arguments: [
        "func f() -> Int { g() }", "var x: Int { g() }", "let x = { g() }", "init() { x = 1 }",
        "func f() { fatalError(\"x\") }", "while true {}",
        "func f() { let x: Int\n x = 1 }", "@available(macOS 15, *) func f(x: Bool = true) {}", "#if X\nf()\n#endif",
    ]) func whatWouldNotCompileOrRunHasNoMutants(source: String) {
        #expect(kinds(source) == [])
    }

    @Test func linesStayTheSame() {
        let source = "func f() {\n    if a\n        && b {\n        g(\n            1)\n    }\n}\n"
        #expect(mutated(source).count { $0 == "\n" } == source.count { $0 == "\n" })
    }

    @Test func aMutantThatIsNotWantedChangesNothing() {
        let source = "if isOpen { close() }"
        let mutation = Mutation(ofSwift: source, file: "F.swift", includes: { $0.kind == .deleted })
        #expect(mutation.text == "if isOpen { if !reactive_mutant(0) { close() } }")
    }

    @Test func aMutantHasItsPlace() throws {
        let mutants = Mutation(ofSwift: "f()\n  g()", file: "A/B/F.swift").mutants
        #expect(mutants.map(\.description) == ["A/B/F.swift:1:1 deleted: f()", "A/B/F.swift:2:3 deleted: g()"])
        #expect(mutants.map(\.folder) == ["A/B", "A/B"])
    }
}
