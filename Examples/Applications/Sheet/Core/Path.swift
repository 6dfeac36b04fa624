// The way from cell to cell, in words, and the error of a way that leads back to where it began.

import Reactive

/// The way from cell to cell.
enum Path {
    /// Returns the names with arrows between them, and without the middle if there are very many.
    static func description(of names: some Collection<String>) -> String {
        guard names.count > 9 else { return names.joined(separator: " → ") }
        let middle = "… \(names.count - 8) more …"
        return (names.prefix(4) + [middle] + names.suffix(4)).joined(separator: " → ")
    }
}

extension CellError {
    /// Creates the error of the cells on a loop and behind it.
    ///
    /// The loop is told from its first cell on, so that the message does not depend on where it was found.
    init(_ cycle: CycleError) {
        // Blocks of ranges are on it too, between the cells.
        let loop = cycle.path.dropLast().filter { Position($0) != nil }
        let first = loop.indices.min { (Position(loop[$0]) ?? .last) < (Position(loop[$1]) ?? .last) } ?? 0
        self.init(.cycle, Path.description(of: loop[first...] + loop[...first]))
    }
}
