// JSON Pointer (RFC 6901): paths in JSON documents.

/// A path in a JSON document (RFC 6901): the keys and indices from the root to a value.
///
/// ```swift
/// let pointer = try JSONPointer("/people/0/first~1last")
/// print(pointer.tokens)                      // prints ["people", "0", "first/last"]
/// print(JSONPointer(tokens: ["a/b", "m~n"]))  // prints /a~1b/m~0n
/// ```
///
/// Two pointers are equal if their tokens have the same Unicode scalars.
public struct JSONPointer: Sendable {
    /// The keys and indices, unescaped.
    public let tokens: [String]

    /// The whole document.
    public static let root = JSONPointer(tokens: [])

    /// Creates a pointer from keys and indices that are not escaped.
    public init(tokens: some Sequence<String>) { self.tokens = Array(tokens) }

    /// Creates a pointer from its text.
    ///
    /// - Throws: ``JSONPointerError`` if a text that is not empty does not start with `/`, or a `~` is not followed by
    ///   `0` or `1`.
    public init(_ text: String) throws(JSONPointerError) {
        guard text.isEmpty || text.utf8.first == UInt8(ascii: "/") else {
            throw JSONPointerError(pointer: text, reason: "a pointer must be empty or start with /")
        }
        var tokens: [String] = []
        for token in text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            tokens.append(try JSONPointer.unescaped(Substring(token), in: text))
        }
        self.tokens = tokens
    }

    /// Creates a pointer from the path of a coder. Index keys become their index, all others their string.
    public init(codingPath: [any CodingKey]) {
        tokens = codingPath.map { key in
            guard let index = key.intValue, key.stringValue == "Index \(index)" else { return key.stringValue }
            return String(index)
        }
    }

    private static func unescaped(_ token: Substring, in text: String) throws(JSONPointerError) -> String {
        guard token.utf8.contains(UInt8(ascii: "~")) else { return String(token) }
        var result = String.UnicodeScalarView()
        var scalars = token.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            guard scalar == "~" else {
                result.append(scalar)
                continue
            }
            switch scalars.next() {
            case "0": result.append("~")
            case "1": result.append("/")
            default:
                throw JSONPointerError(pointer: text, reason: "in \"\(token)\", ~ is not followed by 0 or 1")
            }
        }
        return String(result)
    }
}

/// The error of a text that is not a JSON Pointer, or of a pointer to a value that does not exist.
public struct JSONPointerError: Error, Equatable, CustomStringConvertible {
    /// The pointer's text.
    public let pointer: String
    /// The problem, and the token at which it occurred.
    public let reason: String
    /// Whether the pointer refers to a part that exists and is not inside an observable; see `JSONPatchError`.
    var isOutsideObservables = false

    init(pointer: String, reason: String) {
        self.pointer = pointer
        self.reason = reason
    }

    /// The pointer and the reason.
    public var description: String { "JSON Pointer \"\(pointer)\": \(reason)" }
}

extension JSONPointer: CustomStringConvertible {
    /// The pointer's text, escaped.
    public var description: String { tokens.map { "/" + JSONPointer.escaped($0) }.joined() }

    private static func escaped(_ token: String) -> String {
        guard token.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return token }
        var result = String.UnicodeScalarView()
        for scalar in token.unicodeScalars {
            switch scalar {
            case "~": result.append(contentsOf: "~0".unicodeScalars)
            case "/": result.append(contentsOf: "~1".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}

extension JSONPointer: Codable {
    /// Decodes the pointer's text.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the pointer's text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension JSONPointer: Hashable {
    /// Whether both have the same tokens, scalar by scalar.
    public static func == (left: JSONPointer, right: JSONPointer) -> Bool {
        left.tokens.count == right.tokens.count && left.contains(right)
    }

    /// Hashes the tokens.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(tokens.count)
        for token in tokens { token.hashScalars(into: &hasher) }
    }
}

// MARK: - Composing

extension JSONPointer {
    /// Returns the pointer to a member of the value at this pointer.
    public func appending(_ key: String) -> JSONPointer { JSONPointer(tokens: tokens + [key]) }

    /// Returns the pointer to an element of the value at this pointer.
    public func appending(_ index: Int) -> JSONPointer { appending(String(index)) }

    /// Returns the pointer with the tokens of this one followed by those of `other`.
    public func appending(_ other: JSONPointer) -> JSONPointer { JSONPointer(tokens: tokens + other.tokens) }

    /// The pointer to the container, or `nil` for the root.
    public var parent: JSONPointer? { tokens.isEmpty ? nil : JSONPointer(tokens: tokens.dropLast()) }

    /// Whether this pointer is `other` or leads to a container of it.
    public func contains(_ other: JSONPointer) -> Bool {
        other.tokens.starts(with: tokens) { $0.hasScalars(of: $1) }
    }
}

// MARK: - As a URI fragment

extension JSONPointer {
    /// The pointer as a URI fragment, with the `#` (RFC 6901, section 6).
    public var uriFragment: String {
        var fragment = "#"
        for byte in description.utf8 {
            if JSONPointer.isAllowedInFragments(byte) {
                fragment.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                fragment += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return fragment
    }

    /// Creates a pointer from a URI fragment, including the `#` at its start.
    ///
    /// - Throws: ``JSONPointerError``.
    public init(uriFragment: String) throws(JSONPointerError) {
        guard uriFragment.utf8.first == UInt8(ascii: "#"),
            let text = JSONPointer.withoutPercentEscapes(uriFragment.utf8.dropFirst())
        else {
            throw JSONPointerError(
                pointer: uriFragment, reason: "a fragment must start with # and have valid percent escapes")
        }
        try self.init(text)
    }

    /// Whether RFC 3986 allows a character in a fragment without escaping.
    private static func isAllowedInFragments(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~!$&'()*+,;=:@/?".utf8.contains(byte)
        }
    }

    /// Returns the text without percent escapes, or `nil` if they are malformed or the result is not UTF-8.
    private static func withoutPercentEscapes(_ text: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, let escaped = UInt32(hexDigits: digits) else { return nil }
            bytes.append(UInt8(escaped))
            rest.removeFirst(2)
        }
        let decoded = String(decoding: bytes, as: UTF8.self)
        // Invalid UTF-8 was repaired by decoding, and differs.
        return decoded.utf8.elementsEqual(bytes) ? decoded : nil
    }
}

// MARK: - Looking up

extension JSONPointer {
    /// Returns the index that a token represents: digits without leading zeros; otherwise `nil`.
    static func index(_ token: String) -> Int? {
        guard
            token.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
            token.utf8.count == 1 || token.utf8.first != UInt8(ascii: "0")
        else { return nil }
        return Int(token)
    }

    /// Returns the index of an existing element.
    ///
    /// - Parameter depth: The number of tokens of the path to the array.
    func index(_ token: String, count: Int, depth: Int) throws(JSONPointerError) -> Int {
        guard let index = JSONPointer.index(token) else {
            if token == "-" { throw error(at: depth, "\"-\" is the position after the last element") }
            throw error(at: depth, "\"\(token)\" is not an array index (digits without leading zeros)")
        }
        guard index < count else {
            throw error(at: depth, "there is no element \(token) in an array of \(count)")
        }
        return index
    }

    /// Returns an error that names the path of the first `depth` tokens.
    package func error(at depth: Int, _ reason: String) -> JSONPointerError {
        let location = depth == 0 ? "at the root" : "at \(JSONPointer(tokens: tokens.prefix(depth)))"
        return JSONPointerError(pointer: description, reason: "\(location), \(reason)")
    }
}

extension JSONValue {
    /// The value at a pointer, or `nil` if there is none.
    public subscript(pointer: JSONPointer) -> JSONValue? { try? value(at: pointer) }

    /// Returns the value at a pointer.
    ///
    /// - Throws: ``JSONPointerError``, which names the last part of the path that exists.
    public func value(at pointer: JSONPointer) throws(JSONPointerError) -> JSONValue {
        var value = self
        for (depth, token) in pointer.tokens.enumerated() {
            switch value {
            case .array(let array):
                value = array[try pointer.index(token, count: array.count, depth: depth)]
            case .object(let object):
                guard let member = object[token] else {
                    throw pointer.error(at: depth, "there is no member \"\(token)\"")
                }
                value = member
            default:
                throw pointer.error(at: depth, "there is \(value.kind), which has no \"\(token)\"")
            }
        }
        return value
    }
}
