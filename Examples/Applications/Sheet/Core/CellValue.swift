// The value of a cell: empty, a number, text, a truth value, or an error with a reason.

/// The value of a cell.
package enum CellValue: Hashable, Sendable {
    /// No value: 0 as a number, "" as text.
    case empty
    /// A finite number.
    case number(Double)
    /// Text.
    case text(String)
    /// `TRUE` or `FALSE`.
    case boolean(Bool)
    /// An error.
    case error(CellError)

    /// The value in a table, on one line.
    package var display: String {
        switch self {
        case .empty: ""
        case .number(let number): NumberText.spelling(of: number)
        case .text(let text): text.contains(where: \.isNewline) ? Self.onOneLine(text) : text
        case .boolean(let truth): truth ? "TRUE" : "FALSE"
        case .error(let error): error.kind.rawValue
        }
    }

    /// The value in messages: with a word for an empty cell, and the reason of an error.
    package var description: String {
        switch self {
        case .empty: "(empty)"
        case .error(let error): error.description
        case .number, .text, .boolean: display
        }
    }

    /// Whether both look the same in a table. Errors of one kind do, whatever their reasons.
    func isShown(like other: CellValue) -> Bool {
        if case .error(let left) = self, case .error(let right) = other {
            left.kind == right.kind
        } else {
            self == other
        }
    }

    private static func onOneLine(_ text: String) -> String {
        String(text.map { $0.isNewline ? "↵" : $0 })
    }
}

/// The error of a cell.
package struct CellError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of errors, with their usual names in spreadsheets.
    package enum Kind: String, Sendable {
        /// A division by zero, or the average of nothing.
        case division = "#DIV/0!"
        /// A reference to a cell outside the limits, or to a range with too many cells.
        case reference = "#REF!"
        /// An operand of the wrong type.
        case value = "#VALUE!"
        /// An unknown name or function.
        case name = "#NAME?"
        /// A result too large for a number.
        case number = "#NUM!"
        /// A formula that depends on its own value.
        case cycle = "#CYCLE!"
        /// A formula that cannot be parsed.
        case syntax = "#ERROR!"
    }

    /// The kind of error.
    package let kind: Kind
    /// The reason, in words.
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// The kind and the reason, such as `#DIV/0! (division by zero)`.
    package var description: String { "\(kind.rawValue) (\(message))" }
}
