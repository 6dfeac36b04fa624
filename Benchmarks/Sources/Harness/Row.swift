// A row of the table: a test, how to set it up, and what its numbers mean.

import CLimit

/// What a row's numbers count.
package enum Unit: String, Codable {
    case milliseconds = "ms"
    case nanosecondsPerOperation = "ns/op"
    case bytes = "B"

    /// How many of a unit of time a millisecond is.
    fileprivate var perMillisecond: Double { self == .nanosecondsPerOperation ? 1e6 : 1 }
}

/// The clock of a row.
package enum TimeSource {
    /// The processor time of the measuring thread, which leaves other programs out.
    case processor
    /// The time that passes, for an operation that several threads perform.
    case real

    /// Runs `body` and returns how long it took in milliseconds.
    func time(_ body: () -> Void) -> Double {
        switch self {
        case .processor: Harness.time(body)
        case .real: ContinuousClock().measure(body) / .milliseconds(1)
        }
    }
}

/// A test, as one side runs it. The sides' rows belong together by their names.
package struct Row {
    package let name: String
    package let unit: Unit
    /// Whether the row is one of the reactivity suite's proper tests, over which the table takes its mean.
    package let isSummarized: Bool
    /// What a reader must know to compare this side's number with the others'.
    package let remark: String?
    /// Sets the test up and warms it up; returns a closure that runs it once and returns its number.
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

    /// A test of the kairo kind, of which a sample is 500 iterations.
    ///
    /// - Parameters:
    ///   - iterations: How many are really run, for a side that takes long; the time is scaled to 500.
    ///   - make: Sets up; returns one iteration.
    package static func kairo(
        _ name: String, iterations: Int = 500, remark: String? = nil, _ make: @escaping () -> () -> Void
    ) -> Row {
        Row(name: name, unit: .milliseconds, isSummarized: true, remark: remark) {
            let iterate = make()
            for _ in 0..<min(3, iterations) { iterate() }
            return { time { for _ in 0..<iterations { iterate() } } * 500 / Double(iterations) }
        }
    }

    /// A single operation: `make` sets up and returns a closure that does `count` of them.
    package static func operation(
        _ name: String, _ count: Int, remark: String? = nil, _ make: @escaping () -> () -> Void
    ) -> Row {
        Row(name: name, unit: .nanosecondsPerOperation, remark: remark) {
            let run = make()
            run()
            return { time(run) * 1e6 / Double(count) }
        }
    }

    /// An operation that a sample repeats.
    ///
    /// - Parameters:
    ///   - unit: A unit of time, for one operation.
    ///   - repetitions: How often at least; more often if that takes less than 2 ms, for the precision of the clock.
    ///   - setUp: Sets up; returns a closure that performs the operation a number of times.
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

    /// What one of `count` things takes on the heap: `make` sets up and returns a closure that makes and returns them.
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

/// Runs `body` and returns how long it took in milliseconds.
package func time(_ body: () -> Void) -> Double {
    let start = measure_now()
    body()
    return measure_now() - start
}

/// Ends the program if a test computed something else than it should.
@inlinable
package func check<Value: Equatable>(
    _ value: Value, _ expected: Value, file: StaticString = #file, line: UInt = #line
) {
    // Not a precondition: in release that would stop without a message.
    if value != expected { fatalError("the result is \(value) instead of \(expected)", file: file, line: line) }
}

/// How often something ran.
///
/// Counts where it is used, and without the checks for overlapping accesses: what is measured is not this.
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
