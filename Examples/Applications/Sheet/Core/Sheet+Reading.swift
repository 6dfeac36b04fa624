// How formulas read the sheet. What is read here becomes a dependency of the formula that reads it.

import Reactive

extension Sheet: CellReading {
    /// How many cells a range may have.
    static let maximumRangeCount = 1_000_000

    package func value(at position: Position) -> CellValue {
        cell(at: position).value
    }

    package func forEachValue(in range: CellRange, _ body: (CellValue) throws -> Void) throws {
        // The extent is a dependency only if cells that are filled later could matter.
        let isInside = untracked { extent.value.contains(range) }
        guard let part = isInside ? range : range.clipped(to: extent.value) else { return }
        guard part.cellCount <= Self.maximumRangeCount else {
            throw CellError(.reference, "\(range) has more than \(Self.maximumRangeCount) cells")
        }
        try part.forEach { try body(value(at: $0)) }
    }
}
