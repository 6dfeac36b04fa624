// The explanation of a cell's last change. Reactive reports the writes that caused the last run of the cell's watcher,
// with the paths through formulas. The sheet records the entered texts.

import Reactive

extension Sheet {
    /// Returns lines with the edits that last changed the cell, and their paths through other cells.
    package func explanation(of position: Position) -> [String] {
        guard let cell = cells[position], let (change, step) = cell.lastChange else {
            return ["\(position) has not changed since the sheet was loaded"]
        }
        let routes = cell.watcher?.lastCause?.paths ?? []
        var reasons: [String] = []
        for reason in routes.compactMap({ reason(for: $0, in: step) }) where !reasons.contains(reason) {
            reasons.append(reason)
        }
        // Later edits of the same cells can hide the paths, but the step's edits are still known.
        return [change.description] + (reasons.isEmpty ? steps[step].map { "  \($0)" } : reasons)
    }

    /// Returns the edit at the start of a path, and the path, if the step has such an edit.
    private func reason(for route: [String], in step: Int) -> String? {
        // A range beyond the filled area gets a new cell there through the growth of the area.
        let isGrowth = route.first == Self.filledAreaName
        guard let start = isGrowth ? outermostCell : route.first.flatMap({ Position($0) }),
            let edit = steps[step].first(where: { $0.position == start })
        else { return nil }
        // The path also has the blocks of ranges between the cells.
        let path = [start.description] + route.dropFirst().filter { Position($0) != nil }
        return path.count > 1 ? "  \(edit): \(Path.description(of: path[...]))" : "  \(edit)"
    }
}
