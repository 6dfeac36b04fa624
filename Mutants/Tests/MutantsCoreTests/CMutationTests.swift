// The mutants of short pieces of C.

import MutantsCore
import Testing

@Suite struct CMutationTests {
    private func mutated(_ body: String) -> String {
        let text = Mutation(ofC: "void f(void) {\n\(body)\n}", file: "F.c", firstNumber: 1).text
        return String(text.split(separator: "\n")[1]).replacing(/reactive_mutant\((\d+)\)/) { "m\($0.output.1)" }
    }

    @Test func aConditionAlwaysOrNeverHolds() {
        #expect(mutated("    if (x) return;") == "    if (m1 || (!m2 && (x))) return;")
        #expect(mutated("    while (x) {") == "    while (!m1 && (x)) {")
        #expect(mutated("    for (int i = 0; i < n; i++) {") == "    for (int i = 0; !m1 && (i < n); i++) {")
    }

    @Test func eachPartOfAConditionIsLeftOut() {
        #expect(mutated("    return a(x) && b;") == "    return (m1 || (a(x))) && (m2 || (b));")
        #expect(mutated("    return a(x) || b;") == "    return (!m1 && (a(x))) || (!m2 && (b));")
    }

    @Test func aStatementIsDeleted() {
        #expect(mutated("    graph->lost = true;  // later") == "    { if (!m1) { graph->lost = true; } }  // later")
        #expect(mutated("    reactive_wake(graph);") == "    { if (!m1) { reactive_wake(graph); } }")
        #expect(mutated("    if (x) count += 1;") == "    if (m1 || (!m2 && (x))) { if (!m3) { count += 1; } }")
    }

    @Test(arguments: ["    int x = 1;", "    return;", "    // f();", "    reactive_edge *next;"])
    func otherLinesHaveNoMutants(line: String) {
        #expect(mutated(line) == line)
    }

    @Test func codeForADifferentSystemHasNoMutants() {
        func count(_ condition: String) -> [Int] {
            let text =
                "void f(void) {\n#if \(condition)\n    x = 1;\n#else\n    y = 1;\n    z = 1;\n#endif\n    u = 1;\n}"
            return Mutation(ofC: text, file: "F.c").mutants.map(\.line)
        }
        #expect(count("defined(__linux__)") == [3, 8])
        #expect(count("!defined(__linux__) && !defined(__wasi__)") == [5, 6, 8])
        #expect(count("defined(__linux__) || defined(__APPLE__)") == [3, 8])
        #expect(count("defined(_WIN32)") == [5, 6, 8])
        #expect(count("HAS_PIECES && __has_feature(thread_sanitizer)") == [5, 6, 8])
        #expect(count("defined(__x86_64__)") == [3, 5, 6, 8])
    }

    @Test func declarationsHaveNoMutants() {
        #expect(Mutation(ofC: "extern int x;\nint f(int x);\nint y = 1;\n", file: "F.c").mutants.isEmpty)
    }
}
