// The scaling curves and the memory of each kind of node as a picture.

import Foundation

extension Record {
    /// A panel for each curve, with a line for the library and a dashed line for the limit; then bars for the memory of
    /// a node.
    package var curveChart: String {
        let (left, top, width, height, step) = (50.0, 78.0, 200.0, 190.0, 262.0)
        let sides = Array(sides.prefix(2))
        let values = scaling.flatMap { row in sides.compactMap { row.summary(of: $0)?.minimum } }
        let vertical = LogScale(for: values, from: top + height, to: top)
        let memory = comparisons.filter { $0.unit == .bytes }
        let memoryTop = top + height + 78
        let bottom = memoryTop + Double(memory.count) * 30

        var drawing = Drawing(width: 840, height: bottom + 40)
        drawing.rectangle(x: 0, y: 0, width: 840, height: bottom + 40, class: "paper")
        drawing.text(
            "Nanoseconds for each node that changes, by the number of nodes that change", x: 16, y: 24, class: "title")
        for (index, name) in [Side.limitName, "ours"].enumerated() {
            drawing.rectangle(x: 16 + Double(index) * 80, y: 38, width: 10, height: 10, class: series(of: name))
            drawing.text(name, x: 31 + Double(index) * 80, y: 47)
        }
        for (index, curve) in Curve.allCases.enumerated() {
            let x0 = left + Double(index) * step
            let horizontal = LogScale(for: Curve.sizes.map(Double.init), from: x0, to: x0 + width)
            drawing.text(curve.rawValue, x: x0 + width / 2, y: top - 8, anchor: .middle)
            for power in vertical.powers {
                let y = vertical.position(of: pow(10, Double(power)))
                drawing.line(from: (x0, y), to: (x0 + width, y), class: "grid")
                drawing.text("\(number(pow(10, Double(power)))) ns", x: x0 - 5, y: y + 3, anchor: .end, class: "small")
            }
            for size in Curve.sizes {
                let label = "10\(superscript(Int(log10(Double(size)).rounded())))"
                drawing.text(
                    label, x: horizontal.position(of: Double(size)), y: top + height + 16, anchor: .middle,
                    class: "small")
            }
            for side in sides {
                let points = Curve.sizes.compactMap { size -> (x: Double, y: Double)? in
                    guard let row = scaling.first(where: { $0.row == curve.row(size: size) }),
                        let summary = row.summary(of: side)
                    else { return nil }
                    return (horizontal.position(of: Double(size)), vertical.position(of: summary.minimum))
                }
                drawing.curve(
                    through: points, class: side == Side.limitName ? "limit \(series(of: side))" : series(of: side))
                for point in points { drawing.dot(x: point.x, y: point.y, class: series(of: side)) }
            }
        }

        drawing.text("Bytes on the heap for each", x: 16, y: memoryTop - 16, class: "title")
        let most = memory.flatMap { row in sides.compactMap { row.summary(of: $0)?.minimum } }.max() ?? 1
        for (index, row) in memory.enumerated() {
            let y = memoryTop + Double(index) * 30
            drawing.text(row.row.replacingOccurrences(of: "mem ", with: ""), x: 160, y: y + 14, anchor: .end)
            for (place, side) in sides.enumerated() {
                guard let bytes = row.summary(of: side)?.minimum else { continue }
                let (y, width) = (y + Double(place) * 10, bytes / most * 560)
                drawing.rectangle(x: 170, y: y, width: width, height: 8.5, class: series(of: side))
                drawing.text("\(Int(bytes.rounded()))", x: 175 + width, y: y + 8, class: "small")
            }
        }
        drawing.text(origin, x: 16, y: bottom + 24, class: "small")
        return drawing.svg
    }

    private func series(of side: String) -> String { Drawing.series(side == Side.limitName ? 3 : 0) }
}

private func superscript(_ number: Int) -> String {
    String(String(number).compactMap { digit in digit.wholeNumberValue.map { Array("⁰¹²³⁴⁵⁶⁷⁸⁹")[$0] } })
}
