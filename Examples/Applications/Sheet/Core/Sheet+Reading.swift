// How formulas read the sheet. What is read here becomes a dependency of the formula that reads it.

import Reactive

extension Sheet: CellReading {
    /// How many cells a range may have.
    static let maximumRangeCount = 1_000_000

    package func value(at position: Position) -> CellValue {
        cell(at: position).value
    }

    package func tally(of range: CellRange, _ mode: Tally.Mode) throws -> Tally {
        // The extent is a dependency only if cells that are filled later could matter.
        let isInside = untracked { extent.value.contains(range) }
        guard let filled = isInside ? range : range.clipped(to: extent.value) else { return Tally() }
        guard filled.cellCount <= Self.maximumRangeCount else {
            throw CellError(.reference, "\(range) has more than \(Self.maximumRangeCount) cells")
        }
        // Where there are no errors, both modes give the same, and one block will do for COUNT and SUM.
        if mode == .lenient {
            do { return try tally(of: range, .strict) } catch let error as CellError where error.kind != .cycle {}
        }
        // Formulas that read the same range share a block. The filled part of a range grows: a block of it would not last.
        let isShared = isInside && filled.cellCount >= blockSize
        var tally = Tally()
        for piece in isShared ? [filled] : filled.pieces(size: blockSize) {
            try tally.add(part(for: piece, mode), mode)
        }
        return tally
    }
}
