// The intermediate result of aggregate functions.

/// The count, the sum and the bounds of the numbers among some values. Two tallies can be added.
package struct Tally: Equatable, Sendable {
    /// The treatment of errors.
    package enum Mode: Sendable {
        /// An error among the values ends the tally.
        case strict
        /// Errors are ignored like text, except the error of a cycle, which may include the reader.
        case lenient
    }

    /// The number of numbers.
    package private(set) var count = 0
    /// The sum of the numbers.
    package private(set) var sum = 0.0
    /// The least number; infinity if there is none.
    package private(set) var minimum = Double.infinity
    /// The greatest number; minus infinity if there is none.
    package private(set) var maximum = -Double.infinity

    /// Creates an empty tally.
    package init() {}

    /// Adds a number.
    mutating func add(_ number: Double) {
        count += 1
        sum += number
        minimum = min(minimum, number)
        maximum = max(maximum, number)
    }

    /// Adds the value of a cell if it is a number.
    mutating func add(_ value: CellValue, _ mode: Mode) throws(CellError) {
        switch value {
        case .number(let number): add(number)
        case .error(let error) where mode == .strict || error.kind == .cycle: throw error
        case .empty, .text, .boolean, .error: break
        }
    }

    /// Adds the numbers of another tally.
    mutating func add(_ other: Tally) {
        count += other.count
        sum += other.sum
        minimum = min(minimum, other.minimum)
        maximum = max(maximum, other.maximum)
    }
}
