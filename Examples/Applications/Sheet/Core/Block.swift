// Ranges are tallied in blocks. So SUM over 100,000 cells follows an edit of one cell in microseconds.
//
// A block has 16 parts, which are cells or smaller blocks, and a `ThrowingComputed` for its tally, like a formula for
// its value. So an edit computes the tallies of only those blocks that contain the cell. Blocks start at multiples of
// their size, so SUM(A1:A100) and SUM(A1:A101) share most of their blocks.
//
// The views of ReactiveCollections keep sums in the same way. But a formula may be in a cycle through its own range,
// and must then get an error. A view that reads itself stops the program.

import Reactive

/// The key of a block: its range and its tally mode.
struct BlockKey: Hashable {
    let range: CellRange
    let mode: Tally.Mode
}

/// A range that is tallied once for all its readers. It reads the cells of a sheet, which owns it.
final class Block {
    private let key: BlockKey
    private unowned let sheet: Sheet
    /// Found once, because cells and blocks keep their positions.
    private lazy var parts = key.range.pieces(size: sheet.blockSize, isBlock: true)
        .map { sheet.part(for: $0, key.mode) }
    private lazy var result = ThrowingComputed(named: key.range.description) { [unowned self] in
        var tally = Tally()
        for part in parts { try tally.add(part, key.mode) }
        return tally
    }

    init(_ key: BlockKey, in sheet: Sheet) {
        self.key = key
        self.sheet = sheet
    }

    /// The tally. Throws the first error in the cells.
    var tally: Tally { get throws { try result.value } }

    /// A part of a block. The sheet owns cells and blocks.
    enum Part {
        case cell(Unmanaged<Cell>)
        case block(Unmanaged<Block>)
    }
}

extension Tally {
    /// Adds the numbers of a part of a block.
    mutating func add(_ part: Block.Part, _ mode: Mode) throws {
        switch part {
        case .cell(let cell): try add(cell._withUnsafeGuaranteedRef { $0.value }, mode)
        case .block(let block): add(try block._withUnsafeGuaranteedRef { try $0.tally })
        }
    }
}

extension CellRange {
    /// Returns the largest blocks that make up the range, in reading order, with single cells where no block fits.
    ///
    /// - Parameters:
    ///   - size: The number of parts of a block.
    ///   - isBlock: Whether the range is itself a block, which consists of smaller ones.
    func pieces(size: Int, isBlock: Bool = false) -> [CellRange] {
        guard rows.count > 1 else {
            return columns.alignedParts(size: size, isBlock: isBlock).map { CellRange(columns: $0, rows: rows) }
        }
        // A sheet has more rows than columns, so rows are divided first, down to single rows.
        return rows.alignedParts(size: size, isBlock: isBlock).flatMap { part in
            let band = CellRange(columns: columns, rows: part)
            return part.count > 1 || columns.count >= size ? [band] : band.pieces(size: size)
        }
    }
}

extension ClosedRange<Int> {
    /// Returns the longest parts whose lengths are powers of `size`, each starting at a multiple of its length.
    ///
    /// - Parameter isBlock: Whether the parts must be shorter than the range.
    fileprivate func alignedParts(size: Int, isBlock: Bool) -> [ClosedRange<Int>] {
        var parts: [ClosedRange<Int>] = []
        var start = lowerBound
        while start <= upperBound {
            var length = 1
            while (start - 1).isMultiple(of: length * size), start + length * size - 1 <= upperBound,
                !isBlock || length * size < count
            {
                length *= size
            }
            parts.append(start...start + length - 1)
            start += length
        }
        return parts
    }
}
