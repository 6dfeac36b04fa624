// What a cell shows: nothing, a number, text, a truth value, or an error that says why there is none of these.

/// The value of a cell.
package enum CellValue: Hashable, Sendable {
    /// Nothing: 0 where a number is wanted, "" where text is.
    case empty
    /// A finite number.
    case number(Double)
    /// Text.
    case text(String)
    /// `TRUE` or `FALSE`.
    case boolean(Bool)
    /// No value, and why.
    case error(CellError)

    /// The value as a table shows it, on one line.
    package var display: String {
        switch self {
        case .empty: ""
        case .number(let number): NumberText.spelling(of: number)
        case .text(let text): text.contains(where: \.isNewline) ? Self.onOneLine(text) : text
        case .boolean(let truth): truth ? "TRUE" : "FALSE"
        case .error(let error): error.kind.rawValue
        }
    }

    /// The value as a message tells it: an empty cell has a word for it, an error its reason.
    package var description: String {
        switch self {
        case .empty: "(empty)"
        case .error(let error): error.description
        case .number, .text, .boolean: display
        }
    }

    /// Whether a table shows both alike: errors of one kind look the same, whatever their reasons.
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

/// Why a cell has no value.
package struct CellError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of error, as spreadsheets write them.
    package enum Kind: String, Sendable {
        /// A division by zero, or the average of nothing.
        case division = "#DIV/0!"
        /// A reference to a cell that cannot exist, or to too many at once.
        case reference = "#REF!"
        /// An operand of the wrong type.
        case value = "#VALUE!"
        /// A name or function that nobody knows.
        case name = "#NAME?"
        /// A result too large for a number.
        case number = "#NUM!"
        /// A formula that needs its own value.
        case cycle = "#CYCLE!"
        /// A formula that cannot be read.
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
