// A row of the table: a test, its setup, and the unit of its numbers.

import CLimit

/// The unit of a row's numbers.
package enum Unit: String, Codable {
    case milliseconds = "ms"
    case nanosecondsPerOperation = "ns/op"
    case bytes = "B"

    /// The number of time units in a millisecond.
    fileprivate var perMillisecond: Double { self == .nanosecondsPerOperation ? 1e6 : 1 }
}

/// The clock of a row.
package enum TimeSource {
    /// The processor time of the measuring thread, which excludes other programs.
    case processor
    /// Real time, for an operation of several threads.
    case real

    /// Runs `body` and returns its time in milliseconds.
    func time(_ body: () -> Void) -> Double {
        switch self {
        case .processor: Harness.time(body)
        case .real: ContinuousClock().measure(body) / .milliseconds(1)
        }
    }
}

/// A test of one side. Rows of different sides with the same name belong together.
package struct Row {
    package let name: String
    package let unit: Unit
    /// Whether the row counts for the table's mean, as a test of the reactivity suite.
    package let isSummarized: Bool
    /// A remark that readers need for comparing this side with others.
    package let remark: String?
    /// Sets up the test and warms it up. Returns a closure that runs it once and returns its number.
    package let prepare: () -> () -> Double

    package init(
        name: String, unit: Unit, isSummarized: Bool = false, remark: String? = nil,
        prepare: @escaping () -> () -> Double
    ) {
        self.name = name
        self.unit = unit
        self.isSummarized = isSummarized
        self.remark = remark
        self.prepare = prepare
    }

    /// Returns a test of the kairo kind, with 500 iterations per sample.
    ///
    /// - Parameters:
    ///   - iterations: The number of iterations that are run, for a slow side; the time is scaled to 500.
    ///   - make: Sets up the test. Returns one iteration.
    package static func kairo(
        _ name: String, iterations: Int = 500, remark: String? = nil, _ make: @escaping () -> () -> Void
    ) -> Row {
        Row(name: name, unit: .milliseconds, isSummarized: true, remark: remark) {
            let iterate = make()
            for _ in 0..<min(3, iterations) { iterate() }
            return { time { for _ in 0..<iterations { iterate() } } * 500 / Double(iterations) }
        }
    }

    /// Returns the row of a single operation. `make` sets it up and returns a closure that runs `count` operations.
    package static func operation(
        _ name: String, _ count: Int, remark: String? = nil, _ make: @escaping () -> () -> Void
    ) -> Row {
        Row(name: name, unit: .nanosecondsPerOperation, remark: remark) {
            let run = make()
            run()
            return { time(run) * 1e6 / Double(count) }
        }
    }

    /// Returns the row of an operation that a sample repeats.
    ///
    /// - Parameters:
    ///   - unit: A unit of time, for one operation.
    ///   - repetitions: The minimum number of repetitions. If they take less than 2 ms, there are more, for the
    ///     precision of the clock.
    ///   - setUp: Sets up the test. Returns a closure that performs the operation a number of times.
    package static func repeating(
        _ name: String, unit: Unit, time: TimeSource, _ repetitions: Int, _ setUp: @escaping () -> (Int) -> Void
    ) -> Row {
        Row(name: name, unit: unit) {
            let run = setUp()
            run(repetitions)
            let milliseconds = max(time.time { run(repetitions) }, 1e-6)
            let count = repetitions * Int(min(max(2 / milliseconds, 1), 1_000))
            return { time.time { run(count) } * unit.perMillisecond / Double(count) }
        }
    }

    /// Returns the row of the heap memory of one of `count` objects. `make` sets it up and returns a closure that
    /// creates and returns them.
    package static func memory(_ name: String, _ count: Int, _ make: @escaping () -> () -> Any) -> Row {
        Row(name: name, unit: .bytes) {
            {
                let run = make()
                let start = measure_heap()
                let things = run()
                let growth = measure_heap() - start
                return withExtendedLifetime((run, things)) { Double(growth) / Double(count) }
            }
        }
    }
}

/// Runs `body` and returns its time in milliseconds.
package func time(_ body: () -> Void) -> Double {
    let start = measure_now()
    body()
    return measure_now() - start
}

/// Stops the program if the result of a test is wrong.
@inlinable
package func check<Value: Equatable>(
    _ value: Value, _ expected: Value, file: StaticString = #file, line: UInt = #line
) {
    // Not a precondition, which stops without a message in release builds.
    if value != expected { fatalError("the result is \(value) instead of \(expected)", file: file, line: line) }
}

/// A counter of runs.
///
/// Its increments are inlined and have no checks of exclusive access, so that they add little to the measured time.
@usableFromInline
package final class Counter {
    @exclusivity(unchecked) @usableFromInline var current = 0

    package init() {}

    @inlinable
    package var count: Int {
        get { current }
        _modify { yield &current }
    }
}
