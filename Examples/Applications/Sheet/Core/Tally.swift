// What the functions of many values need to know about them.

/// The numbers among some values: how many, their sum and their bounds. Two tallies can be added.
package struct Tally: Equatable, Sendable {
    /// The numbers that are meant.
    package enum Mode: Sendable {
        /// An error among the values ends the tally.
        case strict
        /// Errors are no numbers, and left out like text; but not a loop, which could be the reader's own.
        case lenient
    }

    /// How many numbers there are.
    package private(set) var count = 0
    /// The sum of the numbers.
    package private(set) var sum = 0.0
    /// The least number; infinity if there is none.
    package private(set) var minimum = Double.infinity
    /// The greatest number; minus infinity if there is none.
    package private(set) var maximum = -Double.infinity

    /// Creates the tally of no values.
    package init() {}

    /// Adds a number.
    mutating func add(_ number: Double) {
        count += 1
        sum += number
        minimum = min(minimum, number)
        maximum = max(maximum, number)
    }

    /// Adds a value of a cell, which counts if it is a number.
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
