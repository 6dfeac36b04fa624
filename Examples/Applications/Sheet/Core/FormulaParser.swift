// Parses a formula by recursive descent, with one method for each level of precedence:
//
//     comparison = sum (("=" | "<>" | "<" | "<=" | ">" | ">=") sum)*
//     sum        = product (("+" | "-") product)*
//     product    = prefix (("*" | "/") prefix)*
//     prefix     = ("+" | "-") prefix | postfix
//     postfix    = primary "%"*
//     primary    = number | string | TRUE | FALSE | cell | cell ":" cell
//                | function "(" arguments ")" | "(" comparison ")"
//
// The depth of the tree is limited, because parsing, evaluating and freeing it recurse.

import Conversation

/// A reader of formulas.
struct FormulaParser {
    /// The maximum nesting of parentheses, calls and signs.
    static let maximumDepth = 100

    private var lexer: FormulaLexer
    private var token = FormulaToken.end
    private var depth = 0

    /// Creates a parser at the start of a formula.
    init(_ source: String) throws(FormulaError) {
        lexer = try FormulaLexer(source)
        token = try lexer.next()
    }

    /// Parses the whole formula.
    mutating func parse() throws(FormulaError) -> Expression {
        let expression = try comparison()
        guard token == .end else { throw lexer.error("expected an operator or the end, found \(token.spelling)") }
        return expression
    }

    // MARK: - Precedence

    private mutating func comparison() throws(FormulaError) -> Expression {
        try chain(.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual) { parser throws(FormulaError) in
            try parser.sum()
        }
    }

    private mutating func sum() throws(FormulaError) -> Expression {
        try chain(.add, .subtract) { parser throws(FormulaError) in try parser.product() }
    }

    private mutating func product() throws(FormulaError) -> Expression {
        try chain(.multiply, .divide) { parser throws(FormulaError) in try parser.prefix() }
    }

    private mutating func chain(
        _ operators: Operator..., of operand: (inout FormulaParser) throws(FormulaError) -> Expression
    ) throws(FormulaError) -> Expression {
        let first = try operand(&self)
        var links: [Expression.Link] = []
        while let next = upcoming(operators) {
            try advance()
            links.append(.init(operator: next, operand: try operand(&self)))
        }
        return links.isEmpty ? first : .chain(first, links)
    }

    private mutating func prefix() throws(FormulaError) -> Expression {
        guard let sign = upcoming([.add, .subtract]) else { return try postfix() }
        try advance()
        try descend()
        defer { depth -= 1 }
        let operand = try prefix()
        return sign == .subtract ? .negated(operand) : operand
    }

    private mutating func postfix() throws(FormulaError) -> Expression {
        let outerDepth = depth
        defer { depth = outerDepth }
        var expression = try primary()
        while token == .symbol("%") {
            try descend()
            try advance()
            expression = .percent(expression)
        }
        return expression
    }

    // MARK: - Operands

    private mutating func primary() throws(FormulaError) -> Expression {
        switch token {
        case .number(let number):
            try advance()
            return .constant(.number(number))
        case .string(let text):
            try advance()
            return .constant(.text(text))
        case .word(let word):
            return try named(word)
        case .symbol("("):
            try advance()
            try descend()
            defer { depth -= 1 }
            let inner = try comparison()
            try expect(")")
            return inner
        case .symbol, .end:
            throw lexer.error("expected a value, found \(token.spelling)")
        }
    }

    /// Parses an operand that begins with a word: a function call, a truth value, a cell or a range.
    private mutating func named(_ word: String) throws(FormulaError) -> Expression {
        let start = lexer
        try advance()
        if token == .symbol("(") { return try call(word, at: start) }
        switch Position.Spelling(Array(word.utf8)[...]) {
        case .cell(let first):
            guard token == .symbol(":") else { return .cell(first) }
            try advance()
            return try range(from: first)
        case .outside:
            let reason = "\(word.shortened) lies outside the sheet; cells are A1 to \(Position.last)"
            return .constant(.error(CellError(.reference, reason)))
        case .other:
            switch word.uppercased() {
            case "TRUE": return .constant(.boolean(true))
            case "FALSE": return .constant(.boolean(false))
            default:
                return .constant(
                    .error(CellError(.name, "\(word.shortened) is not the name of a cell; text needs quotes")))
            }
        }
    }

    private mutating func range(from first: Position) throws(FormulaError) -> Expression {
        guard case .word(let word) = token else {
            throw lexer.error("expected the last cell of the range, found \(token.spelling)")
        }
        guard let last = Position(word) else {
            try advance()
            return .constant(.error(CellError(.reference, "\(first):\(word.shortened) is not a range of cells")))
        }
        try advance()
        return .range(CellRange(first, last))
    }

    private mutating func call(_ word: String, at start: FormulaLexer) throws(FormulaError) -> Expression {
        try advance()
        try descend()
        defer { depth -= 1 }
        var arguments: [Expression] = []
        if token != .symbol(")") {
            arguments.append(try comparison())
            while token == .symbol(",") {
                try advance()
                arguments.append(try comparison())
            }
        }
        try expect(")")
        guard let function = Function(rawValue: word.uppercased()) else {
            let known = Function.allCases.map(\.rawValue).joined(separator: ", ")
            return .constant(.error(CellError(.name, "unknown function \(word.shortened); the functions are \(known)")))
        }
        guard function.arity.contains(arguments.count) else {
            let wanted = "\(function.arity.lowerBound) to \(function.arity.upperBound)"
            throw start.error("\(function.rawValue) takes \(wanted) arguments, not \(arguments.count)")
        }
        return .call(function, arguments)
    }

    // MARK: - Tokens

    private mutating func advance() throws(FormulaError) {
        token = try lexer.next()
    }

    /// Returns the next operator, if it is one of these.
    private func upcoming(_ operators: [Operator]) -> Operator? {
        guard case .symbol(let symbol) = token else { return nil }
        return operators.first { $0.rawValue == symbol }
    }

    private mutating func expect(_ symbol: String) throws(FormulaError) {
        guard token == .symbol(symbol) else { throw lexer.error("expected \"\(symbol)\", found \(token.spelling)") }
        try advance()
    }

    private mutating func descend() throws(FormulaError) {
        depth += 1
        guard depth <= Self.maximumDepth else {
            throw lexer.error("nested more than \(Self.maximumDepth) levels deep; move a part to a cell of its own")
        }
    }
}

extension FormulaToken {
    /// The name of the token in messages.
    fileprivate var spelling: String {
        switch self {
        case .number(let number): NumberText.spelling(of: number)
        case .string(let text): "\"\(text.shortened)\""
        case .word(let word): word.shortened
        case .symbol(let symbol): "\"\(symbol)\""
        case .end: "the end"
        }
    }
}
