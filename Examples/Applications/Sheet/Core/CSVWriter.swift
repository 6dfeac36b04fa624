// A writer for comma-separated values (RFC 4180). Reading its output gives the same fields.

/// A writer of comma-separated values.
package enum CSVWriter {
    /// Returns the rows as a file: CRLF after each row, and quotes only around fields that need them.
    package static func bytes(of rows: [[String]]) -> [UInt8] {
        var bytes: [UInt8] = []
        for row in rows {
            for (place, field) in row.enumerated() {
                if place > 0 { bytes.append(.comma) }
                append(field, to: &bytes)
            }
            bytes += [.carriageReturn, .lineFeed]
        }
        return bytes
    }

    private static func append(_ field: String, to bytes: inout [UInt8]) {
        let needsQuotes = field.utf8.contains {
            $0 == .quote || $0 == .comma || $0 == .lineFeed || $0 == .carriageReturn
        }
        // At the start of the file, a reader would skip an unquoted byte order mark.
        guard needsQuotes || (bytes.isEmpty && field.unicodeScalars.first == "\u{FEFF}") else {
            bytes += field.utf8
            return
        }
        bytes.append(.quote)
        for byte in field.utf8 {
            if byte == .quote { bytes.append(.quote) }
            bytes.append(byte)
        }
        bytes.append(.quote)
    }
}
