// The layout of views.
//
// A view returns its preferred size for the available space. It is then drawn into a rectangle of any size. Across its
// axis, a row or column gives each child all the space. Along the axis, children get their preferred sizes in order
// while there is space; flexible children share the rest.

extension View {
    /// Draws the view on a new canvas.
    public func canvas(_ size: Size) -> Canvas {
        var canvas = Canvas(size)
        draw(in: canvas.bounds, on: &canvas)
        return canvas
    }

    // MARK: - Measuring

    /// Returns the preferred size.
    func naturalSize(in available: Size) -> Size {
        let size = contentSize(in: available)
        return Size(
            columns: min(fixedWidth ?? size.columns, available.columns),
            rows: min(fixedHeight ?? size.rows, available.rows))
    }

    private func contentSize(in available: Size) -> Size {
        switch content {
        case .text(let spans, let wraps):
            let lines = Self.lines(of: spans, width: wraps ? available.columns : .max)
            return Size(columns: lines.map(Self.width).max() ?? 0, rows: lines.count)
        case .stack(let axis, let spacing, let views):
            let gaps = spacing * max(0, views.count - 1)
            let widths = axis == .horizontal ? divide(views, .horizontal, spacing, available) : nil
            let sizes = views.enumerated().map { index, view in
                view.naturalSize(in: Size(columns: widths?[index] ?? available.columns, rows: available.rows))
            }
            let columns = sizes.map(\.columns)
            let rows = sizes.map(\.rows)
            return axis == .horizontal
                ? Size(columns: columns.reduce(gaps, +), rows: rows.max() ?? 0)
                : Size(columns: columns.max() ?? 0, rows: rows.reduce(gaps, +))
        case .scroll(let views, _): return column { views }.contentSize(in: available)
        case .box(_, _, _, let view):
            let inner = view.naturalSize(in: Size(columns: available.columns - 2, rows: available.rows - 2))
            return Size(columns: inner.columns + 2, rows: inner.rows + 2)
        case .bar: return Size(columns: available.columns, rows: 1)
        case .space: return Size(columns: 0, rows: 0)
        case .keys(let view, _): return view.naturalSize(in: available)
        }
    }

    /// Returns the length along the axis that each view gets.
    private func divide(_ views: [View], _ axis: Axis, _ spacing: Int, _ available: Size) -> [Int] {
        func length(_ size: Size) -> Int { axis == .horizontal ? size.columns : size.rows }
        let total = length(available)
        var left = max(0, total - spacing * max(0, views.count - 1))
        var lengths = views.map { view in
            guard !view.isFlexible else { return 0 }
            let length = min(left, length(view.naturalSize(in: available)))
            left -= length
            return length
        }
        let flexible = views.indices.filter { views[$0].isFlexible }
        for (number, index) in flexible.enumerated() {
            let share = left / (flexible.count - number)
            lengths[index] = share
            left -= share
        }
        return lengths
    }

    // MARK: - Drawing

    /// Draws the view into a part of a canvas, and does not write outside it.
    func draw(in rectangle: Rectangle, on canvas: inout Canvas) {
        guard rectangle.width > 0, rectangle.height > 0 else { return }
        switch content {
        case .text(let spans, let wraps):
            let lines = Self.lines(of: spans, width: wraps ? rectangle.width : .max)
            for (index, line) in lines.prefix(rectangle.height).enumerated() {
                Self.draw(line, y: rectangle.y + index, in: rectangle, on: &canvas)
            }
        case .stack(let axis, let spacing, let views):
            var rest = rectangle
            for (view, length) in zip(views, divide(views, axis, spacing, rectangle.size)) {
                var part = rest
                if axis == .horizontal {
                    part.width = length
                    rest.x += length + spacing
                } else {
                    part.height = length
                    rest.y += length + spacing
                }
                view.draw(in: part, on: &canvas)
            }
        case .scroll(let views, let visible): draw(scrolling: views, to: visible, in: rectangle, on: &canvas)
        case .box(let title, let style, let isHeavy, let view):
            Self.drawFrame(title, style, isHeavy, in: rectangle, on: &canvas)
            view.draw(in: rectangle.inset(by: 1), on: &canvas)
        case .bar(let fraction, let style):
            let fraction = fraction.isFinite ? min(max(fraction, 0), 1) : 0
            let done = Int(fraction * Double(rectangle.width))
            let bar = String(repeating: "█", count: done) + String(repeating: "░", count: rectangle.width - done)
            canvas.write(Glyph.glyphs(of: bar), x: rectangle.x, y: rectangle.y, style: style, in: rectangle)
        case .space(let style):
            let blanks = Array(repeating: Glyph(character: " ", width: 1), count: rectangle.width)
            for y in rectangle.y..<rectangle.y + rectangle.height {
                canvas.write(blanks, x: rectangle.x, y: y, style: style, in: rectangle)
            }
        case .keys(let view, _): view.draw(in: rectangle, on: &canvas)
        }
    }

    private func draw(
        scrolling views: [View], to visible: Int, in rectangle: Rectangle, on canvas: inout Canvas
    ) {
        let heights = views.map { $0.naturalSize(in: rectangle.size).rows }
        var first = 0
        while first < visible, visible < views.count,
            heights[first...visible].reduce(0, +) > rectangle.height
        {
            first += 1
        }
        column { Array(views.dropFirst(first)) }.draw(in: rectangle, on: &canvas)
    }

    private static func drawFrame(
        _ title: String, _ style: Style, _ isHeavy: Bool, in rectangle: Rectangle, on canvas: inout Canvas
    ) {
        let parts = Array(isHeavy ? "┏━┓┃┗┛" : "┌─┐│└┘").map { Glyph(character: $0, width: 1) }
        let (right, bottom) = (rectangle.x + rectangle.width - 1, rectangle.y + rectangle.height - 1)
        func edge(_ left: Glyph, _ right: Glyph) -> [Glyph] {
            [left] + Array(repeating: parts[1], count: max(0, rectangle.width - 2)) + [right]
        }
        if rectangle.height > 1 {
            canvas.write(edge(parts[4], parts[5]), x: rectangle.x, y: bottom, style: style, in: rectangle)
        }
        for y in rectangle.y..<bottom {
            canvas.write([parts[3]], x: rectangle.x, y: y, style: style, in: rectangle)
            canvas.write([parts[3]], x: right, y: y, style: style, in: rectangle)
        }
        canvas.write(edge(parts[0], parts[2]), x: rectangle.x, y: rectangle.y, style: style, in: rectangle)
        let top = Rectangle(x: rectangle.x + 2, y: rectangle.y, width: rectangle.width - 3, height: 1)
        if top.width > 0 { draw(styled(" \(title) ", style), y: top.y, in: top, on: &canvas) }
    }

    // MARK: - Lines of text

    private typealias StyledGlyph = (glyph: Glyph, style: Style)

    private static func styled(_ text: some StringProtocol, _ style: Style) -> [StyledGlyph] {
        Glyph.glyphs(of: text).map { ($0, style) }
    }

    private static func width(of line: [StyledGlyph]) -> Int { line.reduce(0) { $0 + $1.glyph.width } }

    private static func draw(_ line: [StyledGlyph], y: Int, in rectangle: Rectangle, on canvas: inout Canvas) {
        var line = line
        if width(of: line) > rectangle.width, let style = line.last?.style {
            while width(of: line) > rectangle.width - 1 { line.removeLast() }
            line.append((Glyph(character: "…", width: 1), style))
        }
        var x = rectangle.x
        for (glyph, style) in line {
            canvas.write([glyph], x: x, y: y, style: style, in: rectangle)
            x += glyph.width
        }
    }

    /// Breaks text at line feeds, and between words if a line is longer than `limit`.
    private static func lines(of spans: [(text: String, style: Style)], width limit: Int) -> [[StyledGlyph]] {
        var lines: [[StyledGlyph]] = [[]]
        for (text, style) in spans {
            for (index, part) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                if index > 0 { lines.append([]) }
                lines[lines.count - 1] += styled(part, style)
            }
        }
        return limit == .max ? lines : lines.flatMap { wrap($0, limit) }
    }

    private static func wrap(_ line: [StyledGlyph], _ limit: Int) -> [[StyledGlyph]] {
        var lines: [[StyledGlyph]] = []
        var rest = line[...]
        let isBlank = { (item: StyledGlyph) in item.glyph.character == " " }
        while true {
            var end = rest.startIndex
            var used = 0
            while end < rest.endIndex, used + rest[end].glyph.width <= limit {
                used += rest[end].glyph.width
                end += 1
            }
            if end == rest.endIndex { return lines + [Array(rest)] }
            // Not even one glyph fits.
            if end == rest.startIndex { return lines }
            if !isBlank(rest[end]), let blank = rest[..<end].lastIndex(where: isBlank), blank > rest.startIndex {
                end = blank
            }
            lines.append(Array(rest[..<end]))
            rest = rest[end...].drop(while: isBlank)
        }
    }
}
