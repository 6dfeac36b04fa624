// Splits the text of a formula into tokens.

import Conversation

/// A token of a formula.
enum FormulaToken: Equatable {
    case number(Double)
    case string(String)
    /// A name of a cell, function or truth value.
    case word(String)
    /// An operator, a parenthesis, a comma or a colon.
    case symbol(String)
    case end
}

/// A reader of tokens.
struct FormulaLexer {
    private let source: String
    private let bytes: [UInt8]
    private var index = 1
    /// The offset of the last token, in bytes.
    private(set) var tokenStart = 0

    /// Creates a lexer at the start of a formula, after its `=`.
    init(_ source: String) throws(FormulaError) {
        self.source = source
        bytes = Array(source.utf8)
        guard bytes.first == UInt8(ascii: "=") else { throw error("a formula starts with \"=\"") }
    }

    /// Reads the next token.
    mutating func next() throws(FormulaError) -> FormulaToken {
        while index < bytes.count, bytes[index].isSpace || bytes[index] == .lineFeed || bytes[index] == .carriageReturn
        {
            index += 1
        }
        tokenStart = index
        guard index < bytes.count else { return .end }
        let byte = bytes[index]
        if byte.isASCIIDigit || byte == UInt8(ascii: ".") { return try number() }
        if byte == .quote { return try string() }
        if byte.isWordByte { return word() }
        return try symbol()
    }

    /// Returns an error at the last token.
    func error(_ message: String) -> FormulaError {
        let place = String(decoding: bytes[..<min(tokenStart, bytes.count)], as: UTF8.self).count + 1
        return FormulaError(description: "\(message), at character \(place) of \"\(source.shortened)\"")
    }

    private mutating func number() throws(FormulaError) -> FormulaToken {
        let length = NumberText.prefix(of: bytes[index...])
        let text = String(decoding: bytes[index..<index + length], as: UTF8.self)
        guard length > 0 else { throw error("a decimal point without digits") }
        guard let number = NumberText.number(text) else { throw error("the number \(text.shortened) is too large") }
        index += length
        return .number(number)
    }

    private mutating func string() throws(FormulaError) -> FormulaToken {
        var content: [UInt8] = []
        var rest = index + 1
        while let closing = bytes[rest...].firstIndex(of: .quote) {
            content += bytes[rest..<closing]
            rest = closing + 1
            guard rest < bytes.count, bytes[rest] == .quote else {
                index = rest
                return .string(String(decoding: content, as: UTF8.self))
            }
            content.append(.quote)
            rest += 1
        }
        throw error("this quote is never closed")
    }

    private mutating func word() -> FormulaToken {
        let length = bytes[index...].prefix(while: \.isWordByte).count
        defer { index += length }
        return .word(String(decoding: bytes[index..<index + length], as: UTF8.self))
    }

    private mutating func symbol() throws(FormulaError) -> FormulaToken {
        for symbol in ["<>", "<=", ">=", "+", "-", "*", "/", "%", "(", ")", ",", ":", "=", "<", ">"]
        where bytes[index...].starts(with: symbol.utf8) {
            index += symbol.utf8.count
            return .symbol(symbol)
        }
        // The byte is ASCII, so it is a character.
        throw error("\"\(Character(UnicodeScalar(bytes[index])))\" has no meaning in a formula")
    }
}

extension UInt8 {
    /// Whether a name can contain the byte.
    ///
    /// Letters beyond ASCII can be part of an unknown name.
    fileprivate var isWordByte: Bool {
        isASCIILetter || isASCIIDigit || self == UInt8(ascii: "$") || self == UInt8(ascii: "_")
            || self == UInt8(ascii: ".") || self >= 0x80
    }
}
