// Samples of one change, as multiples of a write through one computed to one autorun.

import CLimit
import Foundation
import ReactiveCollections

/// The unit: a write, a computed and an autorun.
final class Unit {
    private let source = Observable(0)
    private let next: Computed<Int>
    private let observer: Reaction
    private var number = 0

    init() {
        let source = source
        let next = Computed { source.value + 1 }
        self.next = next
        observer = autorun { measure_sink(Int64(next.value)) }
    }

    deinit { observer.cancel() }

    /// Returns the milliseconds of one operation.
    func sample() -> Double {
        let count = 20_000
        let start = measure_now()
        for _ in 0..<count {
            number += 1
            source.value = number
        }
        return (measure_now() - start) / Double(count)
    }
}

/// The cost of a change: the minimum and the median of several samples.
struct Cost {
    let units: (minimum: Double, median: Double)
    let milliseconds: Double

    /// Measures an operation. Each sample follows a sample of the unit.
    init(_ unit: Unit, _ operation: () -> Void) {
        var samples: [(units: Double, milliseconds: Double)] = []
        func sample(_ count: Int) -> Double {
            let start = measure_now()
            for _ in 0..<count { operation() }
            return (measure_now() - start) / Double(count)
        }
        let first = max(sample(1), 1e-6)
        let count = max(1, min(20_000, Int(10 / first)))
        if count > 1 { _ = sample(count) }
        var total = 0.0
        while samples.count < 3 || samples.count < 9 && total < 2_000 {
            let unit = unit.sample()
            let time = sample(count)
            total += time * Double(count)
            samples.append((time / unit, time))
        }
        let units = samples.map(\.units).sorted()
        self.units = (units[0], units[units.count / 2])
        milliseconds = samples.map(\.milliseconds).min() ?? 0
    }

    /// The multiples, and the shortest time.
    var text: String {
        let format = units.minimum < 100 ? "%.1f / %.1f" : "%.0f / %.0f"
        return String(format: format, units.minimum, units.median) + " (\(Self.duration(milliseconds)))"
    }

    static func duration(_ milliseconds: Double) -> String {
        switch milliseconds {
        case ..<0.001: String(format: "%.0f ns", milliseconds * 1e6)
        case ..<1: String(format: "%.1f µs", milliseconds * 1e3)
        default: String(format: "%.1f ms", milliseconds)
        }
    }
}
