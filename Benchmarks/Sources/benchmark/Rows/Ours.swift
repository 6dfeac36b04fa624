// The library's rows, which define the rows of the table.

import Harness

extension Side {
    static let oursName = "ours"

    /// The side of the library.
    static var ours: Side { Side(name: oursName, rows: Row.all + Row.scaling) }
}

extension Row {
    /// All rows, in the order of the table.
    static var all: [Row] { kairo + cellx + dynamic + sbench + operations + values + memory }
}
