// The cost of building a view for each element, compared with the operator of the standard library.

import CLimit
import ReactiveCollections

enum Building {
    private typealias Row = (name: String, view: (ObservableArray<Element>) -> Int, plain: ([Element]) -> Int)

    private static var all: [Row] {
        [
            ("filter", { $0.live.filter { $0.number & 1 == 0 }.count }, { $0.filter { $0.number & 1 == 0 }.count }),
            ("map", { $0.live.map { $0.number &* 2 }.count }, { $0.map { $0.number &* 2 }.count }),
            ("sum", { $0.live.sum { $0.number }.value }, { $0.reduce(0) { $0 + $1.number } }),
            (
                "grouped", { $0.live.grouped { $0.number & 63 }.count },
                { Dictionary(grouping: $0) { $0.number & 63 }.count }
            ),
            ("sorted", { $0.live.sorted(by: \.number).count }, { $0.sorted { $0.number < $1.number }.count }),
        ]
    }

    static func print(_ size: Int, _ isWanted: (String) -> Bool) {
        let rows = all.filter { isWanted($0.name) }
        guard !rows.isEmpty else { return }
        Swift.print("| building a view of \(size), an element | ReactiveCollections | the plain operator |")
        Swift.print("|---|--:|--:|")
        let elements = Rows.elements(size)
        let array = ObservableArray(elements)
        _ = array.live
        for row in rows {
            var best = (view: Double.infinity, plain: Double.infinity)
            for _ in 0..<(size > 100_000 ? 5 : 50) {
                var start = measure_now()
                measure_sink(Int64(truncatingIfNeeded: row.view(array)))
                best.view = min(best.view, measure_now() - start)
                start = measure_now()
                measure_sink(Int64(truncatingIfNeeded: row.plain(elements)))
                best.plain = min(best.plain, measure_now() - start)
            }
            let cells = [best.view, best.plain].map { Cost.duration($0 / Double(size)) }
            Swift.print("| \(row.name) | " + cells.joined(separator: " | ") + " |")
        }
        Swift.print("")
    }
}
