// From one frame to the next: the bytes that change only the cells that are different.

/// Turns what a terminal shows into another frame.
package struct Painter {
    /// Whether colours are used.
    private let isColored: Bool

    package init(isColored: Bool) { self.isColored = isColored }

    /// What is to be sent to the terminal, and what that does.
    package struct Update: Equatable {
        /// What is to be sent. Nothing if nothing is different.
        package var bytes: [UInt8] = []
        /// How many cells are written.
        package var cellCount = 0
    }

    /// Returns what turns one frame into another.
    ///
    /// The bytes are between the marks of a synchronised update: a terminal that knows these shows all of it at once, others ignore them.
    ///
    /// - Parameters:
    ///   - shown: What the terminal shows; `nil` if that is not known, or of another size: then it is cleared first.
    ///   - next: What it is to show.
    package func update(from shown: Canvas?, to next: Canvas) -> Update {
        var text = ""
        var update = Update()
        let before: Canvas
        if let shown, shown.size == next.size {
            before = shown
        } else {
            before = Canvas(next.size)
            text = "\u{1B}[0m\u{1B}[2J"
        }

        var cursor: (x: Int, y: Int)?
        var style = Style.plain
        for y in 0..<next.size.rows {
            for x in 0..<next.size.columns {
                let cell = next[x, y]
                guard cell != before[x, y], !cell.isContinuation else { continue }
                if cursor.map({ $0 != (x, y) }) ?? true { text += "\u{1B}[\(y + 1);\(x + 1)H" }
                if cell.style != style {
                    text += cell.style.escapeSequence(isColored: isColored)
                    style = cell.style
                }
                text.append(cell.glyph.character)
                update.cellCount += cell.glyph.width
                cursor = cell.glyph.isWidthCertain ? (x + cell.glyph.width, y) : nil
            }
        }
        guard !text.isEmpty else { return update }
        if style != .plain { text += Style.plain.escapeSequence(isColored: false) }
        update.bytes = Array("\u{1B}[?2026h\(text)\u{1B}[?2026l".utf8)
        return update
    }
}
