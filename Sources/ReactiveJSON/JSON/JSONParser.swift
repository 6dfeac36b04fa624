// Parses JSON text (RFC 8259) in one pass, with a stack of open containers instead of recursion.

/// The error of a text that is not JSON, with its location.
public struct JSONParseError: Error, Equatable, CustomStringConvertible {
    /// The problem.
    public let reason: String
    /// The line, from 1.
    public let line: Int
    /// The column in bytes, from 1.
    public let column: Int

    /// The location and the reason.
    public var description: String { "invalid JSON at line \(line), column \(column): \(reason)" }
}

extension JSONValue {
    /// Creates the value of a JSON text. Numbers are kept as written. If several members have the same key, the last
    /// one is used.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - limits: The limits for the document. With ``JSONLimits/unlimited``, memory alone limits its depth.
    /// - Throws: ``JSONParseError``, with the line and column of the problem or of an exceeded limit.
    /// - Complexity: O(*n*), without recursion.
    public init(parsing text: String, limits: JSONLimits = .default) throws {
        var text = text
        self = try text.withUTF8 { bytes in
            var parser = JSONParser(bytes: bytes, limits: limits)
            return try parser.parse()
        }
    }
}

/// The state of one pass.
private struct JSONParser {
    /// Valid UTF-8.
    let bytes: UnsafeBufferPointer<UInt8>
    let limits: JSONLimits
    var position = 0
    var valueCount = 0

    /// A container that is not complete yet.
    private struct Open {
        let isObject: Bool
        var elements: [JSONValue] = []
        /// The keys of an object, including that of the member being parsed.
        var keys: [String] = []
    }

    init(bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    mutating func parse() throws -> JSONValue {
        guard bytes.count <= limits.byteCount else {
            position = max(0, limits.byteCount)
            throw error(JSONLimits.reasonForByteCount(limits.byteCount))
        }
        var stack: [Open] = []
        while true {
            var value: JSONValue
            let first = try peek("a value")
            guard valueCount < limits.valueCount else {
                throw error(JSONLimits.reasonForValueCount(limits.valueCount))
            }
            valueCount += 1
            switch first {
            case UInt8(ascii: "["):
                try checkDepth(stack.count + 1)
                position += 1
                if try peek("a value or ]") != UInt8(ascii: "]") {
                    stack.append(Open(isObject: false))
                    continue
                }
                position += 1
                value = []
            case UInt8(ascii: "{"):
                try checkDepth(stack.count + 1)
                position += 1
                if try peek("a key or }") != UInt8(ascii: "}") {
                    stack.append(Open(isObject: true, keys: [try key()]))
                    continue
                }
                position += 1
                value = [:]
            default:
                value = try scalar()
            }
            guard let document = try close(&value, &stack) else { continue }
            return document
        }
    }

    private func checkDepth(_ depth: Int) throws {
        guard depth <= limits.depth else { throw error(JSONLimits.reasonForDepth(limits.depth)) }
    }

    /// Adds a complete value to its container, and closes the containers that end after it. Returns the document at its
    /// end.
    private mutating func close(_ value: inout JSONValue, _ stack: inout [Open]) throws -> JSONValue? {
        while let top = stack.indices.last {
            let isObject = stack[top].isObject
            stack[top].elements.append(value)
            let end = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
            let byte = try peek(isObject ? ", or }" : ", or ]")
            guard byte == end || byte == UInt8(ascii: ",") else {
                throw error(isObject ? "expected , or }" : "expected , or ]")
            }
            position += 1
            guard byte == end else {
                if isObject { stack[top].keys.append(try key()) }
                return nil
            }
            let closed = stack.removeLast()
            value =
                isObject
                ? .object(JSONObject(keys: closed.keys, values: closed.elements)) : .array(JSONArray(closed.elements))
        }
        skipSpace()
        guard position == bytes.count else { throw error("expected the end of the text") }
        return value
    }

    private mutating func scalar() throws -> JSONValue {
        switch bytes[position] {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        default:
            for (word, value) in [("null", JSONValue.null), ("true", true), ("false", false)]
            where bytes[position...].starts(with: word.utf8) {
                position += word.utf8.count
                return value
            }
            throw error("expected a value")
        }
    }

    private mutating func key() throws -> String {
        guard try peek("a key") == UInt8(ascii: "\"") else { throw error("expected a key in quotes") }
        let key = try string()
        guard try peek(":") == UInt8(ascii: ":") else { throw error("expected :") }
        position += 1
        return key
    }

    private mutating func number() throws -> JSONNumber {
        let start = position
        let end = bytes[start...].firstIndex {
            switch $0 {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                false
            default: true
            }
        }
        position = end ?? bytes.count
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let number = JSONNumber(text) else {
            position = start
            throw error("\(text.prefix(40))\(text.count > 40 ? "…" : "") is not a number")
        }
        return number
    }

    // MARK: - Strings

    /// Parses the string whose opening quote is at the current position.
    private mutating func string() throws -> String {
        position += 1
        var result = ""
        while true {
            let start = position
            while position < bytes.count, bytes[position] >= 0x20, bytes[position] != UInt8(ascii: "\""),
                bytes[position] != UInt8(ascii: "\\")
            {
                position += 1
            }
            let run = String(decoding: bytes[start..<position], as: UTF8.self)
            if result.isEmpty { result = run } else { result += run }
            guard position < bytes.count else { throw error("the string has no closing quote") }
            guard bytes[position] >= 0x20 else { throw error("a control character in a string must be escaped") }
            position += 1
            if bytes[position - 1] == UInt8(ascii: "\"") { return result }
            result.unicodeScalars.append(try escape())
        }
    }

    private mutating func escape() throws -> Unicode.Scalar {
        guard position < bytes.count else { throw error("the string has no closing quote") }
        position += 1
        switch bytes[position - 1] {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try escapedScalar()
        default:
            position -= 1
            throw error("invalid escape sequence")
        }
    }

    private mutating func escapedScalar() throws -> Unicode.Scalar {
        let unit = try hexDigits()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard unit < 0xDC00, bytes[position...].starts(with: "\\u".utf8) else {
            throw error("unpaired surrogate")
        }
        position += 2
        let low = try hexDigits()
        guard (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { throw error("unpaired surrogate") }
        return scalar
    }

    private mutating func hexDigits() throws -> UInt32 {
        let digits = bytes[position...].prefix(4)
        guard digits.count == 4, let unit = UInt32(hexDigits: digits) else {
            throw error("\\u needs four hexadecimal digits")
        }
        position += 4
        return unit
    }

    // MARK: - Positions

    private mutating func skipSpace() {
        while position < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[position]) { position += 1 }
    }

    /// Returns the next byte that is not white space.
    private mutating func peek(_ expected: String) throws -> UInt8 {
        skipSpace()
        guard position < bytes.count else { throw error("expected \(expected), found the end") }
        return bytes[position]
    }

    private func error(_ reason: String) -> JSONParseError {
        let before = bytes[..<position]
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return JSONParseError(reason: reason, line: line, column: position - lineStart + 1)
    }
}
