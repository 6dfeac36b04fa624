// A row of the table: a test, how to set it up on the library, and what its numbers mean.

import CLimit

/// What a row's numbers count.
enum Unit: String, Codable {
    case milliseconds = "ms"
    case nanosecondsPerOperation = "ns/op"
    case bytes = "B"
}

/// A test that both the library and the limit can run, found in the limit by its name.
struct Row {
    let name: String
    let unit: Unit
    /// Whether the row is one of the reactivity suite's proper tests, over which the table takes its mean.
    var isSummarized = false
    /// Sets the test up on the library; returns a closure that runs it once and returns its number.
    let prepare: () -> () -> Double

    /// Every row, in the order of the table.
    static var all: [Row] { kairo + cellx + dynamic + sbench + operations + memory }
}

/// Runs `body` and returns how long it took in milliseconds.
func time(_ body: () -> Void) -> Double {
    let start = measure_now()
    body()
    return measure_now() - start
}

/// Ends the program if a test computed something else than it should.
func check<Value: Equatable>(
    _ value: Value, _ expected: Value, file: StaticString = #file, line: UInt = #line
) {
    precondition(value == expected, "the result is \(value) instead of \(expected)", file: file, line: line)
}

/// The limit's side of a row, set up.
final class LimitRow {
    private let row: OpaquePointer

    /// Sets a row up on the limit; `nil` if the limit has none of that name.
    init?(named name: String) {
        guard let row = limit_prepare(name) else { return nil }
        self.row = row
    }

    deinit { limit_finish(row) }

    /// Runs the test once and returns its number.
    func sample() -> Double { limit_sample(row) }
}
