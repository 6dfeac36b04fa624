// The text form of numbers: plain decimal, and the shortest text that parses to the same number.

/// The text of numbers.
package enum NumberText {
    /// Returns the number in a text such as `-12`, `.5` or `1e3`, with optional spaces around it; `nil` if there is
    /// none.
    package static func number(_ text: some StringProtocol) -> Double? {
        var bytes = Array(text.utf8)[...]
        while let first = bytes.first, first.isSpace { bytes.removeFirst() }
        while let last = bytes.last, last.isSpace { bytes.removeLast() }
        let unsigned = bytes.first == UInt8(ascii: "-") || bytes.first == UInt8(ascii: "+") ? bytes.dropFirst() : bytes
        guard !unsigned.isEmpty, prefix(of: unsigned) == unsigned.count else { return nil }
        return Double(String(decoding: bytes, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Returns the number of bytes at the start that form an unsigned number; 0 if there is none.
    static func prefix(of bytes: ArraySlice<UInt8>) -> Int {
        var rest = bytes
        func skipDigits() -> Int {
            let digits = rest.prefix(while: \.isASCIIDigit).count
            rest = rest.dropFirst(digits)
            return digits
        }
        var digits = skipDigits()
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            digits += skipDigits()
        }
        guard digits > 0 else { return 0 }
        let mantissa = rest
        if let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
            if skipDigits() == 0 { rest = mantissa }
        }
        return rest.startIndex - bytes.startIndex
    }

    /// Returns the shortest text that parses to the number, without a fraction for whole numbers.
    package static func spelling(of number: Double) -> String {
        if number.magnitude < 1e15, number == number.rounded() { return String(Int64(number)) }
        return number.description
    }
}

extension UInt8 {
    var isSpace: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}
