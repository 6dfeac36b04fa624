// The sheet: all cells by position, and the edits that change them.
//
// Reactive does the propagation: an edit writes an `Observable`, the formulas that read it become stale, and the
// watchers of the cells with changed values run and append their cells to `changed`. The sheet only has to
//
// - find cells, and create the empty ones that formulas refer to, so that formulas notice when these are filled;
// - watch new cells, as soon as their edit can no longer be rolled back;
// - compute many new formulas in a good order (Sheet+Settling.swift).

import Reactive

/// A spreadsheet.
package final class Sheet {
    /// The name of the filled area's size in diagnostics.
    static let filledAreaName = "filled area"

    /// All cells that were ever filled or referred to.
    private(set) var cells: [Position: Cell] = [:]
    /// The part of the sheet that was ever filled.
    ///
    /// Ranges beyond it depend on it instead of on a million empty cells.
    let extent = Observable(Extent(), named: Sheet.filledAreaName)
    /// The blocks of ranges in formulas, including nested blocks.
    private var blocks: [BlockKey: Block] = [:]
    /// The number of parts of a block.
    let blockSize: Int
    /// The last cell that made the extent grow.
    private(set) var outermostCell: Position?

    /// The cells whose watcher ran with a new value since the last report.
    private var changed: [Cell] = []
    /// The cells that were edited and whose edit may yet be rolled back.
    private var edited: [Cell] = []
    /// The cells that were filled and whose formulas may not have been computed yet.
    var unsettled: [Cell] = []
    /// The cells that were filled and computed but may not be watched yet, each after those that it depends on.
    var settled: [Cell] = []
    /// The committed edits. Those between two reports are one step: a single edit, or those of a transaction.
    private(set) var steps: [[Edit]] = []

    /// Creates an empty sheet.
    ///
    /// - Parameter blockSize: The number of parts of a block, at least 2.
    package init(blockSize: Int = 16) { self.blockSize = blockSize }

    // A formula keeps the inputs that it has read alive, and an input its formula. In a cycle, they would leak.
    deinit {
        for cell in cells.values { cell.watcher?.cancel() }
        for cell in cells.values { cell.input.value = .empty }
    }

    // MARK: - Reading

    /// Returns the shown value of a cell.
    package func shownValue(at position: Position) -> CellValue {
        settle()
        return untracked { cells[position]?.value } ?? .empty
    }

    /// Returns the entered text of a cell.
    package func source(at position: Position) -> String {
        untracked { cells[position]?.input.value.source } ?? ""
    }

    /// The size of the top left rectangle that contains all cells that are not empty.
    package var filledExtent: Extent {
        untracked {
            cells.values.reduce(into: Extent()) { extent, cell in
                if !cell.input.value.source.isEmpty { extent.include(cell.position) }
            }
        }
    }

    /// Returns the cell at a position. Creates it if there is none.
    func cell(at position: Position) -> Cell {
        if let cell = cells[position] { return cell }
        let cell = Cell(position)
        cells[position] = cell
        return cell
    }

    /// Returns the part of a block for a range: a cell or a block. Creates the block for its first reader.
    func part(for range: CellRange, _ mode: Tally.Mode) -> Block.Part {
        if range.cellCount == 1 { return .cell(.passUnretained(cell(at: range.first))) }
        let key = BlockKey(range: range, mode: mode)
        if let block = blocks[key] { return .block(.passUnretained(block)) }
        let block = Block(key, in: self)
        blocks[key] = block
        return .block(.passUnretained(block))
    }

    // MARK: - Editing

    /// Enters a text into a cell: a number, `TRUE` or `FALSE`, a formula if it begins with `=`, otherwise text.
    ///
    /// - Throws: `FormulaError` if the text is a formula that cannot be parsed. Then the cell is not changed.
    package func enter(_ source: String, at position: Position) throws(FormulaError) {
        let input = try Input(source, at: position, in: self)
        let cell = cell(at: position)
        if cell.sourceBeforeEdit == nil {
            cell.sourceBeforeEdit = self.source(at: position)
            edited.append(cell)
        }
        fill(cell, with: input)
    }

    /// Runs the edits in `body` as one. No watcher runs before the end. If `body` throws, all edits are rolled back and
    /// no watcher runs.
    package func transaction<E: Error>(_ body: () throws(E) -> Void) throws(E) {
        settle()
        let (editedBefore, settledBefore) = (edited.count, settled.count)
        do throws(E) {
            try inTransaction { () throws(E) in
                try body()
                settle()
            }
        } catch {
            for cell in edited[editedBefore...] { cell.sourceBeforeEdit = nil }
            edited.removeSubrange(editedBefore...)
            settled.removeSubrange(settledBefore...)
            unsettled.removeAll()
            throw error
        }
    }

    /// Completes the edits, and returns the changes since the last report, in the order of positions.
    package func takeChanges() -> [Change] {
        if edited.isEmpty { return [] }
        settle()
        steps.append(edited.compactMap { $0.takeEdit() })
        edited.removeAll()
        watchSettled()
        let changes = changed.compactMap { $0.report(step: steps.count - 1) }
        changed.removeAll()
        return changes.sorted { $0.position < $1.position }
    }

    private func fill(_ cell: Cell, with input: Input) {
        inTransaction {
            cell.input.value = input
            if !input.source.isEmpty, !extent.value.contains(cell.position) {
                outermostCell = cell.position
                extent.value.include(cell.position)
            }
        }
        unsettled.append(cell)
    }

    private func watchSettled() {
        for cell in settled where cell.watcher == nil {
            cell.watch { [unowned self] in changed.append($0) }
        }
        settled.removeAll()
    }

    // MARK: - Loading

    /// Creates a sheet from the fields of a file.
    ///
    /// If a formula cannot be parsed, its cell shows `#ERROR!`, `problems` has the reason, and the rest is loaded.
    package convenience init(
        rows: [[String]], blockSize: Int = 16, problems: (Position, FormulaError) -> Void = { _, _ in }
    ) {
        self.init(blockSize: blockSize)
        cells.reserveCapacity(rows.reduce(0) { $0 + $1.count })
        for (row, fields) in rows.enumerated() {
            for (column, source) in fields.enumerated() where !source.isEmpty {
                let position = Position(column: column + 1, row: row + 1)
                do throws(FormulaError) {
                    fill(cell(at: position), with: try Input(source, at: position, in: self))
                } catch {
                    problems(position, error)
                    fill(cell(at: position), with: .unreadable(source, error))
                }
            }
        }
        settle()
        watchSettled()
        for cell in changed { cell.acknowledge() }
        changed.removeAll()
    }
}
