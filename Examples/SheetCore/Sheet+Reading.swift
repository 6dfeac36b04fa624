// How formulas read the sheet. What is read here becomes a dependency of the formula that reads it.

import Reactive

extension Sheet: CellReading {
    /// How many cells a range may have.
    static let maximumRangeCount = 1_000_000

    package func value(at position: Position) throws -> CellValue {
        try cell(at: position).value()
    }

    package func forEachValue(in range: CellRange, _ body: (CellValue) throws -> Void) throws {
        // The extent is a dependency only if cells that are filled later could matter.
        let isInside = untracked { extent.value.contains(range) }
        guard let part = isInside ? range : range.clipped(to: extent.value) else { return }
        guard part.cellCount <= Self.maximumRangeCount else {
            throw CellError(.reference, "\(range) has more than \(Self.maximumRangeCount) cells")
        }
        try part.forEach { try body(try value(at: $0)) }
    }

    /// Computes a formula.
    ///
    /// - Throws: `CycleError` if the formula needs its own value.
    func value(of formula: Formula) throws -> CellValue {
        do {
            return try formula.value(reading: self)
        } catch {
            // A loop may open at a formula that this one did not get to read, because it was being computed already.
            _ = fillCount.value
            throw error
        }
    }
}
