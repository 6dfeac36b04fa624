// The reads of formulas. Each read becomes a dependency of the formula.

import Reactive

extension Sheet: CellReading {
    /// The maximum number of cells in a range.
    static let maximumRangeCount = 1_000_000

    package func value(at position: Position) -> CellValue {
        cell(at: position).value
    }

    package func tally(of range: CellRange, _ mode: Tally.Mode) throws -> Tally {
        // The extent is a dependency only if the range could get more filled cells later.
        let isInside = untracked { extent.value.contains(range) }
        guard let filled = isInside ? range : range.clipped(to: extent.value) else { return Tally() }
        guard filled.cellCount <= Self.maximumRangeCount else {
            throw CellError(.reference, "\(range) has more than \(Self.maximumRangeCount) cells")
        }
        // Without errors, both modes give the same result, so COUNT and SUM can share a block.
        if mode == .lenient {
            do { return try tally(of: range, .strict) } catch let error as CellError where error.kind != .cycle {}
        }
        // Formulas that read the same range share a block. Not if the range reaches beyond the filled area: its filled
        // part grows, and the block would soon be outdated.
        let isShared = isInside && filled.cellCount >= blockSize
        var tally = Tally()
        for piece in isShared ? [filled] : filled.pieces(size: blockSize) {
            try tally.add(part(for: piece, mode), mode)
        }
        return tally
    }
}
