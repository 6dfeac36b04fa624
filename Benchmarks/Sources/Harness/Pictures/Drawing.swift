// A small writer of SVG: rectangles, lines, curves and text. Their classes have a light and a dark colour each.

import Foundation

/// A picture in progress. Positions are in pixels from the upper left corner.
struct Drawing {
    /// The alignment of a text at its position.
    enum Anchor: String { case start, middle, end }

    private let width: Double
    private let height: Double
    private var body = ""

    init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    mutating func rectangle(x: Double, y: Double, width: Double, height: Double, class name: String) {
        add(#"<rect x="\#(at(x))" y="\#(at(y))" width="\#(at(width))" height="\#(at(height))" class="\#(name)"/>"#)
    }

    mutating func line(from start: (x: Double, y: Double), to end: (x: Double, y: Double), class name: String) {
        add(
            #"<line x1="\#(at(start.x))" y1="\#(at(start.y))" x2="\#(at(end.x))" y2="\#(at(end.y))" class="\#(name)"/>"#
        )
    }

    mutating func curve(through points: [(x: Double, y: Double)], class name: String) {
        let list = points.map { "\(at($0.x)),\(at($0.y))" }.joined(separator: " ")
        add(#"<polyline points="\#(list)" class="\#(name)"/>"#)
    }

    mutating func dot(x: Double, y: Double, class name: String) {
        add(#"<circle cx="\#(at(x))" cy="\#(at(y))" r="3" class="\#(name)"/>"#)
    }

    mutating func text(_ text: String, x: Double, y: Double, anchor: Anchor = .start, class name: String = "text") {
        add(
            #"<text x="\#(at(x))" y="\#(at(y))" text-anchor="\#(anchor.rawValue)" "#
                + #"class="\#(name)">\#(escaped(text))</text>"#
        )
    }

    /// The whole file.
    var svg: String {
        let size = "\(at(width)) \(at(height))"
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size)" width="\(at(width))" height="\(at(height))">
            <style>
            text { font: 12px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; }
            .title { font-size: 15px; font-weight: 600; } .small { font-size: 10px; }
            polyline { fill: none; stroke-width: 2; }
            \(Self.rules { $0.light })
            @media (prefers-color-scheme: dark) {
            \(Self.rules { $0.dark })
            }
            </style>
            \(body)</svg>

            """
    }

    private mutating func add(_ element: String) { body += element + "\n" }

    // MARK: - Colours

    private struct Colour {
        let light: String
        let dark: String
    }

    /// Returns the class of a series. The colours can be distinguished with red-green colour blindness.
    static func series(_ index: Int) -> String { "series\(index % seriesColours.count)" }

    private static let seriesColours = [
        Colour(light: "#0072b2", dark: "#56b4e9"), Colour(light: "#d55e00", dark: "#e69f00"),
        Colour(light: "#a8518a", dark: "#d98cbf"), Colour(light: "#6e7781", dark: "#9aa4ae"),
        Colour(light: "#00795a", dark: "#2fbf98"), Colour(light: "#8a6d00", dark: "#f0e442"),
    ]

    private static func rules(_ shade: (Colour) -> String) -> String {
        let paper = shade(Colour(light: "#ffffff", dark: "#0d1117"))
        let ink = shade(Colour(light: "#1f2328", dark: "#e6edf3"))
        let grid = shade(Colour(light: "#d8dee4", dark: "#30363d"))
        let one = shade(Colour(light: "#57606a", dark: "#adbac7"))
        var rules = [
            ".paper { fill: \(paper); }", ".text, .title, .small { fill: \(ink); }",
            ".grid { stroke: \(grid); }", ".one { stroke: \(one); stroke-width: 1.5; }",
        ]
        for (index, colour) in seriesColours.enumerated() {
            let name = "series\(index)"
            rules.append("rect.\(name), circle.\(name) { fill: \(shade(colour)); }")
            rules.append("polyline.\(name), line.\(name) { stroke: \(shade(colour)); }")
        }
        rules.append("polyline.limit { stroke-dasharray: 4 3; }")
        return rules.joined(separator: "\n")
    }
}

private func at(_ position: Double) -> String {
    let text = String(format: "%.1f", position)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}

private func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;")
        .replacingOccurrences(of: "<", with: "&lt;")
        .replacingOccurrences(of: ">", with: "&gt;")
        .replacingOccurrences(of: "\"", with: "&quot;")
}
