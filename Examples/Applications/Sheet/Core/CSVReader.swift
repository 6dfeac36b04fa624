// A parser for comma-separated values (RFC 4180): quoted fields may contain commas, line breaks and doubled quotes.
// Beyond the RFC, lines may end in CRLF, LF or CR, rows may differ in length, and a byte order mark is skipped.
// Malformed input is refused with its position.

/// An error in comma-separated values, with its position.
package struct CSVError: Error, Equatable, CustomStringConvertible {
    /// The line number, from 1.
    package let line: Int
    /// The position in the line in characters, from 1.
    package let column: Int
    /// The error and the remedy.
    package let message: String

    /// The position and the message, such as `3:7: this quote is never closed…`.
    package var description: String { "\(line):\(column): \(message)" }
}

/// A reader of comma-separated values.
package struct CSVReader {
    private let bytes: [UInt8]
    private var index = 0
    private var rows: [[String]] = []
    /// The offset of each row.
    private var starts: [Int] = []

    /// A row and its line number.
    package struct Row: Equatable {
        /// The line number, from 1.
        package let line: Int
        /// The fields.
        package let fields: [String]
    }

    /// Returns the fields of each row with the line on which it begins.
    ///
    /// - Throws: `CSVError`, as ``rows(of:)`` does.
    package static func numberedRows(of bytes: [UInt8]) throws(CSVError) -> [Row] {
        var reader = CSVReader(bytes: bytes)
        let rows = try reader.read()
        var (line, place) = (1, 0)
        return zip(rows, reader.starts).map { fields, start in
            line += reader.lineBreaks(in: place..<start)
            place = start
            return Row(line: line, fields: fields)
        }
    }

    /// Returns the fields of each row.
    ///
    /// - Throws: `CSVError` for a quote that is never closed, a quote in the middle of a field, text after a closing
    ///   quote, bytes that are not UTF-8, and more rows or columns than a sheet has.
    package static func rows(of bytes: [UInt8]) throws(CSVError) -> [[String]] {
        var reader = CSVReader(bytes: bytes)
        return try reader.read()
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func read() throws(CSVError) -> [[String]] {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        while index < bytes.count {
            guard rows.count < Position.maximumRow else {
                throw error("more than \(Position.maximumRow) rows; split the file", at: index)
            }
            starts.append(index)
            rows.append(try row())
        }
        return rows
    }

    /// Reads one row and the line break after it.
    private mutating func row() throws(CSVError) -> [String] {
        var fields: [String] = []
        fields.reserveCapacity(rows.last?.count ?? 0)
        while true {
            guard fields.count < Position.maximumColumn else {
                throw error("more than \(Position.maximumColumn) columns; split the file", at: index)
            }
            let isQuoted = index < bytes.count && bytes[index] == .quote
            fields.append(isQuoted ? try quotedField() : try plainField())
            guard index < bytes.count else { return fields }
            let end = bytes[index]
            index += 1
            if end == .comma { continue }
            if end == .carriageReturn, index < bytes.count, bytes[index] == .lineFeed { index += 1 }
            return fields
        }
    }

    /// Reads up to the next comma or line break.
    private mutating func plainField() throws(CSVError) -> String {
        let start = index
        while index < bytes.count, !bytes[index].endsField {
            if bytes[index] == .quote {
                throw error(
                    "a quote in the middle of a field; put the whole field in quotes and double the quotes in it",
                    at: index)
            }
            index += 1
        }
        return try text(bytes[start..<index], at: start)
    }

    /// Reads from the opening quote to just after the closing one.
    private mutating func quotedField() throws(CSVError) -> String {
        let opening = index
        var content: [UInt8] = []
        index += 1
        while true {
            guard let closing = bytes[index...].firstIndex(of: .quote) else {
                throw error("this quote is never closed; add a closing quote", at: opening)
            }
            content += bytes[index..<closing]
            index = closing + 1
            guard index < bytes.count, bytes[index] == .quote else { break }
            content.append(.quote)
            index += 1
        }
        guard index == bytes.count || bytes[index].endsField else {
            throw error(
                "text after a closing quote; put a comma between them, or double the quote if it belongs to the field",
                at: index)
        }
        return try text(content[...], at: opening)
    }

    private func text(_ slice: ArraySlice<UInt8>, at start: Int) throws(CSVError) -> String {
        let text = String(decoding: slice, as: UTF8.self)
        // Decoding replaces invalid UTF-8, so a comparison of the bytes finds it. ASCII, the usual case, needs no
        // comparison.
        if slice.contains(where: { $0 >= 0x80 }), !text.utf8.elementsEqual(slice) {
            throw error("this field is not UTF-8; save the file in that encoding", at: start)
        }
        return text
    }

    /// Returns the number of line breaks in a part that starts and ends between rows.
    private func lineBreaks(in part: Range<Int>) -> Int {
        part.count { place in
            // CRLF is counted at its LF.
            let isBeforeLF = place + 1 < bytes.count && bytes[place + 1] == .lineFeed
            return bytes[place] == .lineFeed || (bytes[place] == .carriageReturn && !isBeforeLF)
        }
    }

    /// Returns the error at an offset. Its line and column are computed only here.
    private func error(_ message: String, at offset: Int) -> CSVError {
        var line = 1
        var lineStart = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        for (place, byte) in bytes[..<offset].enumerated() {
            let isCRBeforeLF = byte == .carriageReturn && place + 1 < bytes.count && bytes[place + 1] == .lineFeed
            if byte == .lineFeed || (byte == .carriageReturn && !isCRBeforeLF) {
                line += 1
                lineStart = place + 1
            }
        }
        let column = String(decoding: bytes[lineStart..<offset], as: UTF8.self).count + 1
        return CSVError(line: line, column: column, message: message)
    }
}

extension UInt8 {
    static let quote = UInt8(ascii: "\"")
    static let comma = UInt8(ascii: ",")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")

    /// Whether an unquoted field ends before this byte.
    fileprivate var endsField: Bool { self == .comma || self == .lineFeed || self == .carriageReturn }
}
