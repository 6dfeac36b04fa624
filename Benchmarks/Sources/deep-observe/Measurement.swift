// Samples of one operation by the size of the graph, and their table.
//
// A sample repeats the operation until it takes a millisecond or more, and is divided by the number of repetitions. A
// cell shows the minimum and the median of the samples: the minimum is the cost of the code, and a median far above it
// reports a busy machine. An operation that would take minutes at a size is left out there.

import CLimit
import Foundation

/// The clock of a table.
enum BenchmarkClock {
    /// The processor time of this thread, for computations.
    case processor
    /// Real time, for operations that wait for the disk.
    case wall

    /// The time in milliseconds.
    var now: Double {
        switch self {
        case .processor: return measure_now()
        case .wall:
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
        }
    }
}

/// The samples of one operation at one size, in milliseconds, sorted.
struct Samples {
    let sorted: [Double]

    var minimum: Double { sorted[0] }
    var median: Double { sorted[sorted.count / 2] }

    /// Takes seven samples, or at least three if they take long.
    ///
    /// - Parameters:
    ///   - repetitions: The operations in a sample; `nil` for as many as take two milliseconds.
    ///   - operation: The operation. It gets a number that counts up.
    init(_ clock: BenchmarkClock = .processor, repetitions fixed: Int? = nil, _ operation: (Int) -> Void) {
        var number = 0
        func sample(_ count: Int) -> Double {
            let start = clock.now
            for _ in 0..<count {
                operation(number)
                number += 1
            }
            return (clock.now - start) / Double(count)
        }
        let first = sample(1)
        let repetitions = fixed ?? max(1, min(10_000, Int(2 / max(first, 0.000_1))))
        if fixed == nil, repetitions > 1 { _ = sample(repetitions) }
        var samples: [Double] = []
        var total = 0.0
        while samples.count < 3 || samples.count < 7 && total < 5_000 {
            samples.append(sample(repetitions))
            total += samples[samples.count - 1] * Double(repetitions)
        }
        sorted = samples.sorted()
    }

    /// Creates samples that were taken one by one.
    init(_ samples: [Double]) { sorted = samples.sorted() }
}

/// Returns a duration as text.
func text(_ milliseconds: Double) -> String {
    switch milliseconds {
    case ..<0.001: String(format: "%.0f ns", milliseconds * 1e6)
    case ..<1: String(format: milliseconds < 0.01 ? "%.1f µs" : "%.0f µs", milliseconds * 1e3)
    case ..<1_000: String(format: milliseconds < 10 ? "%.1f ms" : "%.0f ms", milliseconds)
    default: String(format: "%.1f s", milliseconds / 1e3)
    }
}

/// A table with a row for each operation and a column for each size.
struct ScalingTable {
    private let sizes: [Int]
    private var rows: [(name: String, cells: [Int: String])] = []
    /// The minimum of each operation at the previous size.
    private var lastMinimum: [String: Double] = [:]
    private let longest: Double = 12_000

    init(_ sizes: [Int]) { self.sizes = sizes }

    /// Whether an operation in linear time would take an acceptable time at the next size.
    func isBearable(_ row: String) -> Bool { lastMinimum[row, default: 0] * 10 < longest }

    mutating func set(_ row: String, _ size: Int, _ samples: Samples) {
        lastMinimum[row] = samples.minimum
        set(row, size, "\(text(samples.minimum)) / \(text(samples.median))")
        FileHandle.standardError.write(
            Data("    \(row), \(size): \(text(samples.minimum)) / \(text(samples.median))\n".utf8))
    }

    mutating func set(_ row: String, _ size: Int, _ cell: String) {
        if !rows.contains(where: { $0.name == row }) { rows.append((row, [:])) }
        rows[rows.firstIndex { $0.name == row }!].cells[size] = cell
    }

    /// Measures a row, unless it would take too long.
    mutating func measure(
        _ row: String, _ size: Int, _ clock: BenchmarkClock = .processor, repetitions: Int? = nil,
        _ operation: (Int) -> Void
    ) {
        guard isBearable(row) else { return set(row, size, "–") }
        set(row, size, Samples(clock, repetitions: repetitions, operation))
    }

    /// The table as Markdown.
    func print(_ title: String) {
        var lines = ["| \(title) | " + sizes.map(String.init).joined(separator: " | ") + " |"]
        lines.append("|---|" + sizes.map { _ in "--:|" }.joined())
        for row in rows {
            lines.append("| \(row.name) | " + sizes.map { row.cells[$0] ?? "–" }.joined(separator: " | ") + " |")
        }
        Swift.print(lines.joined(separator: "\n") + "\n")
        fflush(nil)
    }
}
