// Drawing of frames: the bytes that write only the changed cells.

/// Computes the bytes that turn one frame into another.
package struct Painter {
    /// Whether colours are used.
    private let isColored: Bool

    package init(isColored: Bool) { self.isColored = isColored }

    /// The bytes for the terminal, and their effect.
    package struct Update: Equatable {
        /// The bytes to send; empty if nothing has changed.
        package var bytes: [UInt8] = []
        /// The number of cells that are written.
        package var cellCount = 0
    }

    /// Returns the update that turns one frame into another.
    ///
    /// The bytes are between the marks of a synchronised update. Terminals that support these show the whole update at
    /// the same time; others ignore them.
    ///
    /// - Parameters:
    ///   - shown: The frame on the terminal; `nil` if it is unknown. If it is unknown or has a different size, the
    ///     terminal is cleared first.
    ///   - next: The frame to show.
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
