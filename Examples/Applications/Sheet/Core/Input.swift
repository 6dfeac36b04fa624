// The entered text of a cell and its parsed content.

import Reactive

/// The entered text of a cell and its content.
struct Input {
    /// The meaning of an entered text.
    enum Content {
        /// A value without a computation. This includes the error of a formula that cannot be parsed.
        case value(CellValue)
        /// A formula. `ThrowingComputed` caches its value and tracks the cells that it reads. It is the throwing kind,
        /// because a formula that depends on itself has no value.
        case formula(Formula, ThrowingComputed<CellValue>)
    }

    /// Parses an entered text. A formula reads the cells of `sheet` and does not keep the sheet alive.
    ///
    /// - Throws: `FormulaError` if the text is a formula that cannot be parsed.
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

    /// The entered text.
    let source: String
    let content: Content

    /// The input of an empty cell.
    static let empty = Input(source: "", value: .empty)

    /// Returns the input for a formula that cannot be parsed: its value is the error.
    static func unreadable(_ source: String, _ error: FormulaError) -> Input {
        Input(source: source, value: .error(CellError(.syntax, error.description)))
    }

    /// Returns the value of a text; `nil` if the text is a formula.
    private static func literal(_ source: String) -> CellValue? {
        guard let first = source.utf8.first else { return .empty }
        if first == UInt8(ascii: "="), source.utf8.count > 1 { return nil }
        // Most texts do not begin with one of these characters, and so are not numbers.
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
