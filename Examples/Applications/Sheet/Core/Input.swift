// What was entered into a cell, in the form in which the cell uses it.

import Reactive

/// The content of a cell: the text as entered and what it means.
struct Input {
    /// What the text means.
    enum Content {
        /// The text is a value; nothing to compute. This includes the error of a formula that cannot be read.
        case value(CellValue)
        /// The text is a formula. `Computed` caches its value and knows which cells it was computed from; the throwing
        /// kind, because a formula that needs its own value has none.
        case formula(Formula, ThrowingComputed<CellValue>)
    }

    /// Creates the content that an entered text means; a formula reads the cells of `sheet`, which it does not keep alive.
    ///
    /// - Throws: `FormulaError` if the text is a formula that cannot be read.
    init(_ source: String, at position: Position, in sheet: Sheet) throws(FormulaError) {
        self.source = source
        if let value = Self.literal(source) {
            content = .value(value)
            return
        }
        let formula = try Formula(source)
        content = .formula(
            formula,
            // The sheet owns its cells and they own their formulas, so a formula must not own the sheet.
            ThrowingComputed(named: position.description) { [unowned sheet] in try formula.value(reading: sheet) })
    }

    private init(source: String, value: CellValue) {
        self.source = source
        content = .value(value)
    }

    /// The text as entered.
    let source: String
    let content: Content

    /// An empty cell's.
    static let empty = Input(source: "", value: .empty)

    /// Returns the content of a cell whose formula cannot be read: it shows why.
    static func unreadable(_ source: String, _ error: FormulaError) -> Input {
        Input(source: source, value: .error(CellError(.syntax, error.description)))
    }

    /// Returns the value that the text means, or nothing if the text is a formula.
    private static func literal(_ source: String) -> CellValue? {
        guard let first = source.utf8.first else { return .empty }
        if first == UInt8(ascii: "="), source.utf8.count > 1 { return nil }
        // Only these can begin a number, and most texts do not.
        if first.isASCIIDigit || first.isSpace || "+-.".utf8.contains(first), let number = NumberText.number(source) {
            return .number(number)
        }
        switch source.utf8.count {
        case 4 where source.uppercased() == "TRUE": return .boolean(true)
        case 5 where source.uppercased() == "FALSE": return .boolean(false)
        default: return .text(source)
        }
    }
}
