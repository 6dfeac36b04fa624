// A parsed formula: an expression tree. The tree has positions, not cells. So it can be evaluated with any sheet, and
// with a plain dictionary in a test.

/// A formula, such as `=IF(A1 > 0, SUM(B1:B9), 0)`.
package struct Formula: Sendable {
    /// The expression.
    let expression: Expression

    /// Parses a formula.
    ///
    /// - Parameter source: The text with its leading `=`.
    /// - Throws: `FormulaError` if the text is not a formula. Unknown names and invalid references are not errors here;
    ///   the formula's value is then an error.
    package init(_ source: String) throws(FormulaError) {
        var parser = try FormulaParser(source)
        expression = try parser.parse()
    }

    /// The ranges that the formula may read, single cells included, in the order in which they are written.
    package var references: [CellRange] {
        var found: [CellRange] = []
        expression.collectReferences(into: &found)
        return found
    }
}

/// A syntax error in a formula.
package struct FormulaError: Error, Equatable, CustomStringConvertible {
    /// The error with its position and the text.
    package let description: String
}

/// A part of a formula.
indirect enum Expression: Sendable {
    /// A literal, or the error for an unknown name.
    case constant(CellValue)
    /// One cell.
    case cell(Position)
    /// A range, which only functions accept.
    case range(CellRange)
    /// A negation.
    case negated(Expression)
    /// A percentage.
    case percent(Expression)
    /// Operators of one precedence, applied from left to right. It is a list, so that a long sum is not a deep tree.
    case chain(Expression, [Link])
    /// A function and its arguments.
    case call(Function, [Expression])

    /// An operator and its right operand.
    struct Link: Sendable {
        let `operator`: Operator
        let operand: Expression
    }

    fileprivate func collectReferences(into found: inout [CellRange]) {
        switch self {
        case .constant: break
        case .cell(let position): found.append(CellRange(position, position))
        case .range(let range): found.append(range)
        case .negated(let operand), .percent(let operand): operand.collectReferences(into: &found)
        case .chain(let first, let links):
            first.collectReferences(into: &found)
            for link in links { link.operand.collectReferences(into: &found) }
        case .call(_, let arguments):
            for argument in arguments { argument.collectReferences(into: &found) }
        }
    }
}

/// The operators between two operands.
enum Operator: String, Sendable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case equal = "="
    case notEqual = "<>"
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
}

/// The functions that formulas can call.
enum Function: String, Sendable, CaseIterable {
    case sum = "SUM"
    case average = "AVERAGE"
    case minimum = "MIN"
    case maximum = "MAX"
    case count = "COUNT"
    case `if` = "IF"

    /// The possible numbers of arguments.
    var arity: ClosedRange<Int> { self == .if ? 2...3 : 1...255 }
}
