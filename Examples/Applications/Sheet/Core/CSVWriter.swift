// Writing comma-separated values as RFC 4180 has them, so that reading them back gives the same fields.

/// A writer of comma-separated values.
package enum CSVWriter {
    /// Returns the rows as a file: CRLF after each, quotes around a field only where it needs them.
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
        // A byte order mark would be skipped as such at the start of the file, unless it is in quotes.
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
