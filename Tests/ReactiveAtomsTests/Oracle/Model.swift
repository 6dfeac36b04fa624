// The simplest model of a store: values of atoms, overrides, and complete evaluation on each read.

import TestSupport

/// The result of a node.
typealias Outcome = Result<Int, Refused>

struct Model {
    let program: Program
    private(set) var atoms: [Outcome]
    private var atomOverrides: [Int: Outcome] = [:]
    private var selectorOverrides: [Int: Outcome] = [:]
    /// The value that is added to the defaults of all atoms without an override of their own.
    private var shift: Int?

    init(_ program: Program) {
        self.program = program
        atoms = program.defaults.map { .success($0) }
    }

    func selector(_ index: Int) -> Outcome {
        if let override = selectorOverrides[index] { return override }
        do {
            return .success(
                try program.formulas[index].value(
                    atom: { try atoms[$0].get() }, selector: { try selector($0).get() }))
        } catch {
            return .failure(error as! Refused)
        }
    }

    var selectors: [Outcome] { program.formulas.indices.map { selector($0) } }

    private func initial(_ index: Int) -> Outcome {
        atomOverrides[index] ?? .success(program.defaults[index] + (shift ?? 0))
    }

    mutating func set(_ index: Int, _ value: Int) { atoms[index] = .success(value) }
    mutating func reset(_ index: Int) { atoms[index] = initial(index) }
    mutating func restore(_ values: [Outcome]) { atoms = values }

    mutating func overrideAtom(_ index: Int, _ outcome: Outcome?) {
        let wasOverridden = atomOverrides[index] != nil
        atomOverrides[index] = outcome
        if outcome != nil || wasOverridden { atoms[index] = initial(index) }
    }

    mutating func overrideAtoms(shift newShift: Int?) {
        guard shift != nil || newShift != nil else { return }
        shift = newShift
        for index in atoms.indices where atomOverrides[index] == nil { reset(index) }
    }

    mutating func overrideSelector(_ index: Int, _ outcome: Outcome?) { selectorOverrides[index] = outcome }
}
