// A grid of cells: one frame of a screen.

/// One frame of a screen.
public struct Canvas: Equatable {
    struct Cell: Equatable {
        var glyph: Glyph
        var style: Style
        /// Whether this cell is the right half of the wide glyph to its left.
        var isContinuation = false

        static let blank = Cell(glyph: Glyph(character: " ", width: 1), style: .plain)
    }

    /// The size in cells.
    public let size: Size
    private var cells: [Cell]

    /// Creates a blank canvas.
    public init(_ size: Size) {
        self.size = size
        cells = Array(repeating: .blank, count: size.columns * size.rows)
    }

    /// The text of each row without trailing blanks.
    public var lines: [String] {
        (0..<size.rows).map { y in
            var line = ""
            var length = 0
            for x in 0..<size.columns where !self[x, y].isContinuation {
                line.append(self[x, y].glyph.character)
                if self[x, y].glyph.character != " " { length = line.count }
            }
            return String(line.prefix(length))
        }
    }

    var bounds: Rectangle { Rectangle(x: 0, y: 0, width: size.columns, height: size.rows) }

    subscript(x: Int, y: Int) -> Cell {
        get { cells[y * size.columns + x] }
        set { cells[y * size.columns + x] = newValue }
    }

    /// Writes glyphs from a position on. Does not write outside `clip` or the canvas.
    mutating func write(_ glyphs: [Glyph], x: Int, y: Int, style: Style, in clip: Rectangle) {
        guard y >= max(0, clip.y), y < min(size.rows, clip.y + clip.height) else { return }
        let columns = max(0, clip.x)..<max(0, clip.x, min(size.columns, clip.x + clip.width))
        var x = x
        for glyph in glyphs {
            defer { x += glyph.width }
            if columns.contains(x), columns.contains(x + glyph.width - 1) {
                place(glyph, x, y, style)
            } else {
                // Only half of the wide glyph fits.
                let blank = Glyph(character: " ", width: 1)
                for x in x..<x + glyph.width where columns.contains(x) { place(blank, x, y, style) }
            }
        }
    }

    private mutating func place(_ glyph: Glyph, _ x: Int, _ y: Int, _ style: Style) {
        for x in x..<x + glyph.width { clearNeighbour(of: x, y) }
        self[x, y] = Cell(glyph: glyph, style: style)
        if glyph.width == 2 { self[x + 1, y] = Cell(glyph: glyph, style: style, isContinuation: true) }
    }

    /// Removes the other half of a wide glyph that is overwritten.
    private mutating func clearNeighbour(of x: Int, _ y: Int) {
        let cell = self[x, y]
        if cell.isContinuation {
            self[x - 1, y] = .blank
        } else if cell.glyph.width == 2 {
            self[x + 1, y] = .blank
        }
    }
}
