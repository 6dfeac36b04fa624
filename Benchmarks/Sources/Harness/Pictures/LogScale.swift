// Positions on a logarithmic axis.

import Foundation

/// An axis from one power of ten to another.
struct LogScale {
    /// The powers with a line each.
    let powers: ClosedRange<Int>
    private let start: Double
    private let end: Double

    /// Creates an axis for `values`, which must be more than 0, from the position `start` to `end`.
    init(for values: [Double], from start: Double, to end: Double) {
        let least = Int(floor(log10(values.min() ?? 1)))
        let most = Int(ceil(log10(values.max() ?? 10)))
        powers = least...max(most, least + 1)
        self.start = start
        self.end = end
    }

    func position(of value: Double) -> Double {
        let share = (log10(value) - Double(powers.lowerBound)) / Double(powers.count - 1)
        return start + share * (end - start)
    }
}
