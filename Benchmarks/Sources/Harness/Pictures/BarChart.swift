// The table as a picture: for each row a group of bars, one for each side, on a logarithmic scale whose 1 is the limit.
//
// A bar ends at the ratio of the minima; the thin line beyond it ends at that of the medians.

import Foundation

extension Record {
    /// A bar chart of the rows that at least one peer has.
    package var barChart: String {
        let shown = comparisons.filter { comparison in sides.dropFirst(2).contains { comparison.ratio(of: $0) != nil } }
        let names = Array(sides.dropFirst())
        let (left, right, top) = (210.0, 760.0, 78.0)
        let (bar, gap) = (9.0, 9.0)
        let ratios = shown.flatMap { row in names.compactMap { row.ratio(of: $0) } }
        let scale = LogScale(for: [1] + ratios.flatMap { [$0.minimum, $0.median] }, from: left, to: right)
        let groups = shown.map { row in names.filter { row.ratio(of: $0) != nil } }
        let bottom = top + groups.reduce(0) { $0 + Double($1.count) * bar + gap }

        var drawing = Drawing(width: 840, height: bottom + 44)
        drawing.rectangle(x: 0, y: 0, width: 840, height: bottom + 44, class: "paper")
        drawing.text(
            "Times the limit (a minimal C++ engine), on a logarithmic scale: less is better", x: 16, y: 24,
            class: "title")
        var x = 16.0
        for (index, name) in names.enumerated() {
            drawing.rectangle(x: x, y: 38, width: 10, height: 10, class: Drawing.series(index))
            drawing.text(name, x: x + 15, y: 47)
            x += 40 + Double(name.count) * 7
        }
        for power in scale.powers {
            let x = scale.position(of: pow(10, Double(power)))
            drawing.line(from: (x, top - 6), to: (x, bottom), class: power == 0 ? "one" : "grid")
            drawing.text(
                power < 0 ? "\(pow(10, Double(power)))×" : "1\(String(repeating: "0", count: power))×", x: x,
                y: top - 10, anchor: .middle, class: "small")
        }
        var y = top
        for (row, present) in zip(shown, groups) {
            let height = Double(present.count) * bar
            drawing.text(row.row, x: left - 14, y: y + height / 2 + 4, anchor: .end)
            for name in present {
                guard let ratio = row.ratio(of: name), let index = names.firstIndex(of: name) else { continue }
                let (one, end) = (scale.position(of: 1), scale.position(of: ratio.minimum))
                let median = scale.position(of: ratio.median)
                let series = Drawing.series(index)
                drawing.rectangle(
                    x: min(one, end), y: y, width: max(1, abs(end - one)), height: bar - 1.5, class: series)
                drawing.line(from: (end, y + bar / 2 - 0.75), to: (median, y + bar / 2 - 0.75), class: series)
                drawing.text("\(number(ratio.minimum))", x: max(one, end, median) + 4, y: y + bar - 1, class: "small")
                y += bar
            }
            y += gap
        }
        drawing.text(origin, x: 16, y: bottom + 28, class: "small")
        return drawing.svg
    }
}
