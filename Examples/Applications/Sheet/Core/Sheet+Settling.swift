// Computes new formulas before they are read, each after its dependencies. A formula that reads one that was never
// computed evaluates it on the stack. That is fine for one edit, but 100,000 nested evaluations overflow the stack.
// Formulas that were computed before are no problem: Reactive updates them in a loop.
//
// Watchers are created in the same order, and run in the order of their creation. So if a later edit makes a formula
// read a new dependency, that has usually been computed already.

import Reactive

extension Sheet {
    /// The maximum number of nested evaluations.
    private static let maximumDepth = 200

    /// Computes the cells that were filled since the last call, and their dependencies.
    func settle() {
        let cells = unsettled
        if cells.isEmpty { return }
        unsettled.removeAll()
        untracked {
            if cells.count <= Self.maximumDepth {
                for cell in cells { _ = cell.value }
                settled += cells
            } else {
                computeInOrder(cells)
            }
        }
    }

    private func computeInOrder(_ filled: [Cell]) {
        let dependencies = DependencyOrder(
            of: filled.filter(\.hasFormula).map(\.position), dependencies: formulas(readBy:))
        let order = dependencies.order.map(cell(at:))
        var closers = dependencies.loopClosers.map(cell(at:))[...]
        settled += filled.filter { !$0.hasFormula } + order + closers

        // The formulas that close cycles are entered last, when all others have values.
        var inputs = closers.map(\.input.value)[...]
        for cell in closers { cell.input.value = .empty }
        for cell in order { _ = cell.value }
        while !closers.isEmpty {
            let few = closers.prefix(Self.maximumDepth)
            for cell in few { cell.input.value = inputs.removeFirst() }
            for cell in few { _ = cell.value }
            closers = closers.dropFirst(few.count)
        }
    }

    /// Returns the cells with formulas that the formula in a cell may read.
    private func formulas(readBy position: Position) -> [Position] {
        guard case .formula(let formula, _)? = cells[position]?.input.value.content else { return [] }
        var found: [Position] = []
        for reference in formula.references {
            guard let part = reference.clipped(to: extent.value), part.cellCount <= Self.maximumRangeCount else {
                continue
            }
            part.forEach { position in
                if cells[position]?.hasFormula == true { found.append(position) }
            }
        }
        return found
    }
}
