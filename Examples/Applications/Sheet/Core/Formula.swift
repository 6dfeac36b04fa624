// A formula once it has been read: a tree of what to compute. The tree knows positions, not cells, so it can be
// evaluated against any sheet, and against a plain dictionary in a test.

/// A formula, such as `=IF(A1 > 0, SUM(B1:B9), 0)`.
package struct Formula: Sendable {
    /// What to compute.
    let expression: Expression

    /// Reads a formula.
    ///
    /// - Parameter source: The text with its leading `=`.
    /// - Throws: `FormulaError` if the text is no formula. A name or reference that means nothing is a formula all the
    ///   same; its value is an error.
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

/// Why a text is no formula.
package struct FormulaError: Error, Equatable, CustomStringConvertible {
    /// What is wrong, and where in which text.
    package let description: String
}

/// A part of a formula.
indirect enum Expression: Sendable {
    /// A literal, or the error that a meaningless name stands for.
    case constant(CellValue)
    /// One cell.
    case cell(Position)
    /// A range, which only a function can take.
    case range(CellRange)
    /// A minus sign in front.
    case negated(Expression)
    /// A percent sign behind.
    case percent(Expression)
    /// Operators of one precedence, applied from left to right. A list, so that a long sum is not a deep tree.
    case chain(Expression, [Link])
    /// A function and its arguments.
    case call(Function, [Expression])

    /// An operator and what stands to the right of it.
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

    /// How many arguments it takes.
    var arity: ClosedRange<Int> { self == .if ? 2...3 : 1...255 }
}
