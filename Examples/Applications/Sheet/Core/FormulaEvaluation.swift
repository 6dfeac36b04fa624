// Evaluates a formula. An error is thrown and ends the evaluation, as in all spreadsheets. A `CellError` becomes the
// value of the cell. Any other error of reading cells is passed to the caller.

import Conversation

/// The source of cell values for a formula.
package protocol CellReading {
    /// Returns the value of a cell.
    func value(at position: Position) throws -> CellValue

    /// Returns the tally of the cells of a range.
    func tally(of range: CellRange, _ mode: Tally.Mode) throws -> Tally
}

extension CellReading {
    /// Returns the tally of the cells of a range by reading each cell.
    package func tally(of range: CellRange, _ mode: Tally.Mode) throws -> Tally {
        var tally = Tally()
        try range.forEach { try tally.add(try value(at: $0), mode) }
        return tally
    }
}

extension Formula {
    /// Computes the value.
    ///
    /// - Throws: Errors of reading cells, except `CellError`, which is returned as the value.
    package func value(reading cells: some CellReading) throws -> CellValue {
        do {
            let value = try expression.value(reading: cells)
            return value == .empty ? .number(0) : value
        } catch let error as CellError {
            return .error(error)
        }
    }
}

extension Expression {
    /// Computes the value. Throws errors instead of returning them.
    fileprivate func value(reading cells: some CellReading) throws -> CellValue {
        switch self {
        case .constant(let value):
            return try value.orThrow()
        case .cell(let position):
            return try cells.value(at: position).orThrow()
        case .range(let range):
            throw CellError(.value, "\(range) is a range of cells; use a function such as SUM")
        case .negated(let operand):
            return .number(-(try operand.value(reading: cells).asNumber()))
        case .percent(let operand):
            return .number(try operand.value(reading: cells).asNumber() / 100)
        case .chain(let first, let links):
            return try links.reduce(try first.value(reading: cells)) { left, link in
                try link.operator.apply(left, try link.operand.value(reading: cells))
            }
        case .call(.if, let arguments):
            if try arguments[0].value(reading: cells).asTruth() { return try arguments[1].value(reading: cells) }
            return arguments.count > 2 ? try arguments[2].value(reading: cells) : .boolean(false)
        case .call(let function, let arguments):
            return try function.value(of: arguments, reading: cells)
        }
    }
}

extension Operator {
    fileprivate func apply(_ left: CellValue, _ right: CellValue) throws -> CellValue {
        switch self {
        case .add: return try .finite(left.asNumber() + right.asNumber())
        case .subtract: return try .finite(left.asNumber() - right.asNumber())
        case .multiply: return try .finite(left.asNumber() * right.asNumber())
        case .divide:
            let (dividend, divisor) = (try left.asNumber(), try right.asNumber())
            guard divisor != 0 else { throw CellError(.division, "division by zero") }
            return try .finite(dividend / divisor)
        case .equal: return .boolean(left.order(against: right) == 0)
        case .notEqual: return .boolean(left.order(against: right) != 0)
        case .less: return .boolean(left.order(against: right) < 0)
        case .lessOrEqual: return .boolean(left.order(against: right) <= 0)
        case .greater: return .boolean(left.order(against: right) > 0)
        case .greaterOrEqual: return .boolean(left.order(against: right) >= 0)
        }
    }
}

// MARK: - Aggregate functions

extension Function {
    /// Computes all functions except `IF`, which must not compute all its arguments.
    fileprivate func value(of arguments: [Expression], reading cells: some CellReading) throws -> CellValue {
        let tally = try tally(arguments, reading: cells)
        switch self {
        case .sum: return try .finite(tally.sum)
        case .count: return .number(Double(tally.count))
        case .minimum: return .number(tally.count == 0 ? 0 : tally.minimum)
        case .maximum: return .number(tally.count == 0 ? 0 : tally.maximum)
        case .average:
            guard tally.count > 0 else { throw CellError(.division, "the average of no numbers") }
            return try .finite(tally.sum / Double(tally.count))
        case .if: preconditionFailure("internal inconsistency: IF must evaluate its branches lazily")
        }
    }

    /// Tallies the arguments.
    ///
    /// A referenced cell counts if it is a number; a literal in the formula must be a number. Only `COUNT` ignores
    /// errors and text. It does not ignore the error of a cycle, because it may be part of the cycle.
    private func tally(_ arguments: [Expression], reading cells: some CellReading) throws -> Tally {
        let mode: Tally.Mode = self == .count ? .lenient : .strict
        var tally = Tally()
        for argument in arguments {
            switch argument {
            case .cell(let position): try tally.add(try cells.value(at: position), mode)
            case .range(let range): tally.add(try cells.tally(of: range, mode))
            default:
                do {
                    tally.add(try argument.value(reading: cells).asNumber())
                } catch let error as CellError {
                    if self != .count || error.kind == .cycle { throw error }
                }
            }
        }
        return tally
    }
}

// MARK: - Conversions

extension CellValue {
    fileprivate static func finite(_ number: Double) throws -> CellValue {
        guard number.isFinite else { throw CellError(.number, "the result is too large for a number") }
        return .number(number)
    }

    fileprivate func orThrow() throws -> CellValue {
        if case .error(let error) = self { throw error }
        return self
    }

    fileprivate func asNumber() throws -> Double {
        switch self {
        case .empty: return 0
        case .number(let number): return number
        case .boolean(let truth): return truth ? 1 : 0
        case .text(let text):
            guard let number = NumberText.number(text) else {
                throw CellError(.value, "\"\(display.shortened)\" is not a number")
            }
            return number
        case .error(let error): throw error
        }
    }

    fileprivate func asTruth() throws -> Bool {
        if case .text(let text) = self {
            switch text.uppercased() {
            case "TRUE": return true
            case "FALSE": return false
            default: throw CellError(.value, "\"\(display.shortened)\" is neither true nor false")
            }
        }
        return try asNumber() != 0
    }

    /// Returns a negative number, zero or a positive number. Numbers come before text, text before truth values, and
    /// letter case is ignored.
    fileprivate func order(against other: CellValue) -> Int {
        switch (self, other) {
        case (.empty, .empty): 0
        case (.empty, .number): CellValue.number(0).order(against: other)
        case (.empty, .text): CellValue.text("").order(against: other)
        case (.empty, .boolean): CellValue.boolean(false).order(against: other)
        case (_, .empty): -other.order(against: self)
        case (.number(let left), .number(let right)): left < right ? -1 : left > right ? 1 : 0
        case (.boolean(let left), .boolean(let right)): (left ? 1 : 0) - (right ? 1 : 0)
        case (.text(let left), .text(let right)): Self.order(left.lowercased(), right.lowercased())
        default: rank - other.rank
        }
    }

    private static func order(_ left: String, _ right: String) -> Int {
        left < right ? -1 : left > right ? 1 : 0
    }

    private var rank: Int {
        switch self {
        case .empty, .number: 0
        case .text: 1
        case .boolean: 2
        case .error: 3
        }
    }
}
