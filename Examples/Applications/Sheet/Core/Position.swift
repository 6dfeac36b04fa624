// The position of a cell: "B2" is column 2, row 2. The limits are similar to those of other spreadsheets, so that a
// mistyped row number gives an error message and does not use a gigabyte.

/// The position of one cell, from 1.
package struct Position: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The last column, `ZZZ`.
    package static let maximumColumn = 18_278
    /// The last row.
    package static let maximumRow = 1_048_576

    /// The last cell of all.
    package static let last = Position(column: maximumColumn, row: maximumRow)

    private let storedColumn: Int32
    private let storedRow: Int32

    /// The column, 1 for `A`.
    package var column: Int { Int(storedColumn) }
    /// The row, 1 for the topmost.
    package var row: Int { Int(storedRow) }

    /// Creates a position. Precondition: it is inside the limits.
    package init(column: Int, row: Int) {
        storedColumn = Int32(column)
        storedRow = Int32(row)
    }

    /// Creates a position from its name (`B2`, `b2`, `$B$2`); `nil` if the name is invalid.
    package init?(_ name: some StringProtocol) {
        guard case .cell(let position) = Spelling(Array(name.utf8)[...]) else { return nil }
        self = position
    }

    /// The name, such as `B2`.
    package var description: String { Self.columnName(column) + String(row) }

    /// Compares positions in reading order: by row, then by column.
    package static func < (left: Position, right: Position) -> Bool {
        (left.storedRow, left.storedColumn) < (right.storedRow, right.storedColumn)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(UInt64(UInt32(bitPattern: storedColumn)) << 32 | UInt64(UInt32(bitPattern: storedRow)))
    }

    /// Returns the letters of a column: 1 is `A`, 27 is `AA`.
    package static func columnName(_ column: Int) -> String {
        var letters: [UInt8] = []
        var rest = column
        while rest > 0 {
            letters.append(UInt8(ascii: "A") + UInt8((rest - 1) % 26))
            rest = (rest - 1) / 26
        }
        return String(decoding: letters.reversed(), as: UTF8.self)
    }
}

extension Position {
    /// The interpretation of a word as the name of a cell.
    enum Spelling: Equatable {
        /// The name of this cell.
        case cell(Position)
        /// A name of a cell outside the limits.
        case outside
        /// Not a name of a cell.
        case other

        /// Parses letters and then digits, each with an optional `$` before it.
        init(_ word: ArraySlice<UInt8>) {
            var rest = word
            rest.skip(UInt8(ascii: "$"))
            let letters = rest.prefix(while: \.isASCIILetter)
            rest = rest.dropFirst(letters.count)
            rest.skip(UInt8(ascii: "$"))
            guard !letters.isEmpty, !rest.isEmpty, rest.allSatisfy(\.isASCIIDigit) else {
                self = .other
                return
            }
            let digits = rest.drop { $0 == UInt8(ascii: "0") }
            guard letters.count <= 3, 1...7 ~= digits.count else {
                self = .outside
                return
            }
            let column = letters.reduce(0) { $0 * 26 + Int($1 & 0x1F) }
            let row = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
            self = row <= Position.maximumRow ? .cell(Position(column: column, row: row)) : .outside
        }
    }
}

extension ArraySlice<UInt8> {
    /// Drops the first byte if it is this one.
    fileprivate mutating func skip(_ byte: UInt8) {
        if first == byte { removeFirst() }
    }
}

extension UInt8 {
    var isASCIILetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 }
    var isASCIIDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
}
