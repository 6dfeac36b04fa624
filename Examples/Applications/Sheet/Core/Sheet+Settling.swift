// Computes new formulas before anybody reads them, in such an order that none has to wait for another. Each formula that
// waits for one that was never computed takes its piece of the stack, which is nothing for one edit and too much for
// 100,000 of them. (Formulas that were computed before are no problem: Reactive brings those up to date in a loop.)
//
// Cells are watched in this order, too. Watchers run in the order of their creation, so that later, when an edit makes
// formulas read what they did not read before, that most often has been computed already.

import Reactive

extension Sheet {
    /// How many formulas may wait for one another.
    private static let maximumDepth = 200

    /// Computes what was filled since the last call, and what that depends on.
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

        // The formulas that close loops are entered last, as if typed by hand, when everything else has a value.
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
