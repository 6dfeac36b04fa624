// Sizes and rectangles, in cells.

/// A size in cells.
public struct Size: Sendable, Hashable {
    /// The number of cells in a row.
    public var columns: Int
    /// The number of rows.
    public var rows: Int

    /// Creates a size. Negative values become 0.
    public init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
    }
}

/// A part of a canvas.
struct Rectangle: Equatable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int

    /// Returns the rectangle without a border of `thickness` cells on every side.
    func inset(by thickness: Int) -> Rectangle {
        Rectangle(
            x: x + thickness, y: y + thickness, width: max(0, width - 2 * thickness),
            height: max(0, height - 2 * thickness))
    }

    var size: Size { Size(columns: width, rows: height) }
}
