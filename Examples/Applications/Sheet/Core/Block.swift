// Why SUM over 100,000 cells follows an edited cell in microseconds: ranges are tallied in blocks.
//
// A block has 16 parts, which are cells or smaller blocks, and a `ThrowingComputed` for its tally, as a formula has for
// its value. So an edit computes the tally of the smallest block around the cell, of the one around that, and so on.
// Blocks begin behind multiples of their size: SUM(A1:A100) and SUM(A1:A101) have most of theirs in common.
//
// The views of ReactiveCollections keep sums in the same way. But a formula may be on a loop through its range, and then
// has to find an error. A view that reads itself stops the program.

import Reactive

/// What a block is known by: its cells, and which of them it tallies.
struct BlockKey: Hashable {
    let range: CellRange
    let mode: Tally.Mode
}

/// A range that is tallied once for all its readers. It reads the cells of a sheet, which owns it.
final class Block {
    private let key: BlockKey
    private unowned let sheet: Sheet
    /// Found once: cells and blocks stay where they are.
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

    /// The tally. Throws the first error that it finds.
    var tally: Tally { get throws { try result.value } }

    /// What a block consists of. The sheet owns cells and blocks.
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
    ///   - size: How many parts a block has.
    ///   - isBlock: Whether the range is a block itself, and so consists of smaller ones.
    func pieces(size: Int, isBlock: Bool = false) -> [CellRange] {
        guard rows.count > 1 else {
            return columns.alignedParts(size: size, isBlock: isBlock).map { CellRange(columns: $0, rows: rows) }
        }
        // A sheet has more rows than columns: those stay together until there is one row.
        return rows.alignedParts(size: size, isBlock: isBlock).flatMap { part in
            let band = CellRange(columns: columns, rows: part)
            return part.count > 1 || columns.count >= size ? [band] : band.pieces(size: size)
        }
    }
}

extension ClosedRange<Int> {
    /// Returns the longest parts whose lengths are powers of `size`, each beginning behind a multiple of its length.
    ///
    /// - Parameter isBlock: Whether the parts are to be shorter than the range.
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
