// A source file with its mutants built in: each place tests at run time whether its mutant is the active one.
//
// So the library is built once for all mutants, and a mutant costs only a run of the tests that reach it. (Known as
// mutant schemata: Untch, Offutt and Harrold, "Mutation Analysis Using Mutant Schemata", 1993.) No insertion contains
// a line break, so a line of the compiler's messages is a line of the original.

/// The mutants of one file, and its text with them.
package struct Mutation {
    package let mutants: [Mutant]
    /// The text, where the number of the file's first mutant is the one that was asked for.
    package let text: String
}

/// Collects mutants and their insertions while a file is being read.
struct MutationBuilder {
    let file: String
    let firstNumber: Int
    /// Whether a mutant is wanted.
    let includes: (Mutant) -> Bool
    var edits: Edits
    private(set) var mutants: [Mutant] = []

    init(file: String, source: String, firstNumber: Int, includes: @escaping (Mutant) -> Bool) {
        self.file = file
        self.firstNumber = firstNumber
        self.includes = includes
        edits = Edits(of: source)
    }

    /// Adds a mutant, and returns the condition that it is active; `nil` if it is not wanted.
    mutating func add(_ kind: Mutant.Kind, of piece: Range<Int>) -> String? {
        let (line, column) = edits.place(of: piece.lowerBound)
        let mutant = Mutant(
            file: file, line: line, column: column, kind: kind, code: abbreviated(edits.text(piece)))
        guard includes(mutant) else { return nil }
        mutants.append(mutant)
        return "reactive_mutant(\(firstNumber + mutants.count - 1))"
    }

    var mutation: Mutation { Mutation(mutants: mutants, text: edits.applied()) }
}
