// Encoding and decoding through observables, against plain structs.

import CLimit
import Foundation
import Reactive
import ReactiveCodable

/// The table `coding`.
enum Coding {
    static func print(_ sizes: [Int]) {
        var table = ScalingTable(sizes)
        for size in sizes {
            let list = ItemList(size)
            let plain = PlainList(list)
            let encoder = JSONEncoder()
            let decoder = JSONDecoder()
            let json = try! encoder.encode(plain)
            let sides: [(name: String, plain: () -> Void, observables: () -> Void)] = [
                ("encode", { _ = try! encoder.encode(plain) }, { _ = try! encoder.encode(list) }),
                (
                    "decode", { _ = try! decoder.decode(PlainList.self, from: json) },
                    { _ = try! decoder.decode(ItemList.self, from: json) }
                ),
            ]
            for side in sides {
                // Sample by sample in turn, so that other work on the machine affects both.
                var samples: (plain: [Double], observables: [Double]) = ([], [])
                for _ in 0..<(size > 100_000 ? 3 : 7) {
                    samples.plain.append(sample(size, side.plain))
                    samples.observables.append(sample(size, side.observables))
                }
                let plain = Samples(samples.plain)
                let observables = Samples(samples.observables)
                table.set("\(side.name), plain structs", size, plain)
                table.set("\(side.name), observables", size, observables)
                table.set(
                    "\(side.name), ratio", size,
                    String(
                        format: "%.2f / %.2f", observables.minimum / plain.minimum,
                        observables.median / plain.median))
            }
        }
        table.print("coding")
    }

    private static func sample(_ size: Int, _ operation: () -> Void) -> Double {
        let count = max(1, 10_000 / size)
        let start = measure_now()
        for _ in 0..<count { operation() }
        return (measure_now() - start) / Double(count)
    }
}
