// The way from cell to cell, in words, and what is said of a way that leads back to where it began.

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

/// The errors of cells that depend on themselves.
///
/// All cells that need a loop throw the same `CycleError`. The words for it are found once, so that a loop of many cells
/// does not cost their number squared.
final class LoopErrors {
    private var latest: (cycle: CycleError, error: CellError)?

    /// Returns what the cell shows.
    func error(for cycle: CycleError) -> CellError {
        // Comparing an array with itself looks only at where it is stored.
        if let latest, latest.cycle == cycle { return latest.error }
        let error = CellError(.cycle, Path.description(of: Self.loop(in: cycle.path)))
        latest = (cycle, error)
        return error
    }

    /// The path as told from the first cell of the loop on, wherever the loop was entered, so that the message is the
    /// same however it was found.
    private static func loop(in path: [String]) -> [String] {
        let loop = path.dropLast()
        let first = loop.indices.min { (Position(loop[$0]) ?? .last) < (Position(loop[$1]) ?? .last) } ?? 0
        return Array(loop[first...] + loop[...first])
    }
}
