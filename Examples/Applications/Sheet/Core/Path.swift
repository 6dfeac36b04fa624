// Paths from cell to cell as text, and the error for a cycle.

import Reactive

/// A path from cell to cell.
enum Path {
    /// Returns the names with arrows between them. Leaves out the middle of a very long path.
    static func description(of names: some Collection<String>) -> String {
        guard names.count > 9 else { return names.joined(separator: " → ") }
        let middle = "… \(names.count - 8) more …"
        return (names.prefix(4) + [middle] + names.suffix(4)).joined(separator: " → ")
    }
}

extension CellError {
    /// Creates the error for the cells in a cycle and those that depend on them.
    ///
    /// The message starts with the first cell of the cycle, so that it does not depend on the cell where the cycle was
    /// found.
    init(_ cycle: CycleError) {
        // The cycle also has the blocks of ranges between the cells.
        let loop = cycle.path.dropLast().filter { Position($0) != nil }
        let first = loop.indices.min { (Position(loop[$0]) ?? .last) < (Position(loop[$1]) ?? .last) } ?? 0
        self.init(.cycle, Path.description(of: loop[first...] + loop[...first]))
    }
}
