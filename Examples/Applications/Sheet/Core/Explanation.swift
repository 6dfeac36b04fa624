// Why a cell is what it is. Reactive tells which writes reached the watcher of the cell when it ran last, and through which
// formulas; the sheet remembers what was written.

import Reactive

extension Sheet {
    /// Returns the lines that tell which edits, through which cells, changed the cell last.
    package func explanation(of position: Position) -> [String] {
        guard let cell = cells[position], let (change, step) = cell.lastChange else {
            return ["\(position) has not changed since the sheet was loaded"]
        }
        let routes = cell.watcher?.lastCause?.paths ?? []
        var reasons: [String] = []
        for reason in routes.compactMap({ reason(for: $0, in: step) }) where !reasons.contains(reason) {
            reasons.append(reason)
        }
        // Later edits of the same cells can hide the routes, but not what was done.
        return [change.description] + (reasons.isEmpty ? steps[step].map { "  \($0)" } : reasons)
    }

    /// Returns the edit that a route starts with and the route, if there was such an edit in that step.
    private func reason(for route: [String], in step: Int) -> String? {
        // A range that reaches out of the filled area notices a cell there because the area grows.
        let isGrowth = route.first == Self.filledAreaName
        guard let start = isGrowth ? outermostCell : route.first.flatMap({ Position($0) }),
            let edit = steps[step].first(where: { $0.position == start })
        else { return nil }
        // Blocks of ranges lie between the cells.
        let path = [start.description] + route.dropFirst().filter { Position($0) != nil }
        return path.count > 1 ? "  \(edit): \(Path.description(of: path[...]))" : "  \(edit)"
    }
}
