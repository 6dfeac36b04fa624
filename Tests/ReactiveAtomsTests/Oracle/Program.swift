// A random set of nodes, as expressions that both the store and the model evaluate.

import TestSupport

/// The formula of a selector. It refers to atoms and to selectors with smaller numbers.
indirect enum Expression: Sendable {
    case constant(Int)
    case atom(Int)
    case selector(Int)
    case sum(Expression, Expression)
    case parity(Expression)
    case choice(Expression, Expression, Expression)
    /// Fails for negative values.
    case checked(Expression)
    case recovered(Expression, Int)

    /// Evaluates it with a function that reads atoms and selectors.
    func value(atom: (Int) throws -> Int, selector: (Int) throws -> Int) throws -> Int {
        func evaluate(_ expression: Expression) throws -> Int {
            try expression.value(atom: atom, selector: selector)
        }
        switch self {
        case .constant(let value): return value
        case .atom(let index): return try atom(index)
        case .selector(let index): return try selector(index)
        case .sum(let a, let b): return try evaluate(a) &+ evaluate(b)
        case .parity(let a): return try abs(evaluate(a) % 2)
        case .choice(let condition, let a, let b):
            return try evaluate(condition) % 2 == 0 ? evaluate(a) : evaluate(b)
        case .checked(let a):
            let value = try evaluate(a)
            if value < 0 { throw Refused.code(value) }
            return value
        case .recovered(let a, let instead): return (try? evaluate(a)) ?? instead
        }
    }

    static func random(
        atoms: Int, selectors: Int, depth: Int, using random: inout SplitMix64
    ) -> Expression {
        func part() -> Expression { .random(atoms: atoms, selectors: selectors, depth: depth - 1, using: &random) }
        if depth == 0 {
            return selectors > 0 && Bool.random(using: &random)
                ? .selector(.random(in: 0..<selectors, using: &random)) : .atom(.random(in: 0..<atoms, using: &random))
        }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return .constant(.random(in: -2...5, using: &random))
        case 1, 2: return .sum(part(), part())
        case 3: return .parity(part())
        case 4: return .choice(part(), part(), part())
        case 5: return .checked(part())
        case 6: return .recovered(part(), .random(in: 0...9, using: &random))
        default: return part()
        }
    }
}

/// The nodes of one run of the test.
struct Program: Sendable {
    let defaults: [Int]
    let formulas: [Expression]

    init(using random: inout SplitMix64) {
        let atoms = Int.random(in: 2...5, using: &random)
        defaults = (0..<atoms).map { _ in .random(in: -1...4, using: &random) }
        var formulas: [Expression] = []
        for index in 0..<Int.random(in: 2...8, using: &random) {
            formulas.append(.random(atoms: atoms, selectors: index, depth: 3, using: &random))
        }
        self.formulas = formulas
    }
}
