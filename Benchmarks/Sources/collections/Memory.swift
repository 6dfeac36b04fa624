// Bytes on the heap for each element.

import CLimit
import ReactiveCollections

enum Memory {
    private typealias Row = (name: String, make: (Int) -> [Any])

    private static var all: [Row] {
        [
            ("`Array` of `Int`", { [Array(0..<$0)] }),
            ("`ObservableArray` of `Int`", { [ObservableArray(0..<$0)] }),
            (
                "with rows, for views",
                {
                    let array = ObservableArray(0..<$0)
                    return [array, array.live]
                }
            ),
            (
                "with rows and a filter",
                {
                    let array = ObservableArray(0..<$0)
                    let view = array.live.filter { $0 & 1 == 0 }
                    measure_sink(Int64(view.count))
                    return [array, view]
                }
            ),
            (
                "with rows and a map",
                {
                    let array = ObservableArray(0..<$0)
                    let view = array.live.map { $0 &* 2 }
                    measure_sink(Int64(view.count))
                    return [array, view]
                }
            ),
            ("`Dictionary` of `Int`", { [Dictionary(uniqueKeysWithValues: (0..<$0).map { ($0, $0) })] }),
            (
                "`ObservableDictionary` of `Int`",
                { [ObservableDictionary(uniqueKeysWithValues: (0..<$0).map { ($0, $0) })] }
            ),
            ("`Set` of `Int`", { [Set(0..<$0)] }),
            ("`ObservableSet` of `Int`", { [ObservableSet(0..<$0)] }),
            (
                "an observable flag",
                { size in [(0..<size).map { _ in Task() }] }
            ),
            (
                "an observable flag, read by the closure of an observed view",
                { size in
                    let rows = ObservableArray((0..<size).map { _ in Task() })
                    let count = rows.live.count { $0.isDone.value }
                    return [rows, autorun { measure_sink(Int64(count.value)) }]
                }
            ),
        ]
    }

    static func print(_ sizes: [Int]) {
        Swift.print("| bytes an element | " + sizes.map(String.init).joined(separator: " | ") + " |")
        Swift.print("|---|" + sizes.map { _ in "--:|" }.joined())
        for row in all {
            let cells = sizes.map { size -> String in
                let before = measure_heap()
                let kept = row.make(size)
                let bytes = Double(measure_heap() - before) / Double(size)
                for case let reaction as Reaction in kept { reaction.cancel() }
                let tenths = Int(bytes * 10)
                return withExtendedLifetime(kept) { "\(tenths / 10).\(tenths % 10)" }
            }
            Swift.print("| \(row.name) | " + cells.joined(separator: " | ") + " |")
        }
    }
}
