// Markup as a type of its own, so that text cannot get into it without being escaped.
//
// `append(escaped:)` is the one place of the library that escapes for HTML. (The page of ReactiveInspector has no text in
// its markup: names are in it as JSON.)
//
// Markup is kept as bytes, since it is copied from piece to piece: appending bytes costs half as much as appending strings.

/// A piece of HTML. What is interpolated into it is escaped, unless it is HTML itself.
///
/// ```swift
/// let name = "<Ann & Bob>"
/// let greeting: HTML = "<p title=\"\(name)\">Hello, \(name)!</p>"
/// print(greeting)
/// // prints:
/// // <p title="&lt;Ann &amp; Bob&gt;">Hello, &lt;Ann &amp; Bob&gt;!</p>
/// ```
///
/// Escaping serves text between tags and attribute values in quotes. It does not make text safe inside `<script>` or
/// `<style>`, nor a stranger's address safe in `href`.
public struct HTML: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The markup as UTF-8.
    @usableFromInline let bytes: [UInt8]

    /// The markup.
    ///
    /// - Complexity: O(n), where n is the length of the markup.
    public var markup: String { String(decoding: bytes, as: UTF8.self) }

    @usableFromInline
    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Takes text for markup as it is. Never pass what a user has entered.
    public init(markup: String) { bytes = Array(markup.utf8) }

    /// Creates the markup that shows `text`.
    public init(text: some StringProtocol) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        bytes.append(escaped: String(text))
        self.bytes = bytes
    }

    /// Creates markup from a literal.
    public init(stringLiteral markup: String) { self.init(markup: markup) }

    /// Creates markup from a literal with interpolations.
    public init(stringInterpolation: StringInterpolation) { bytes = stringInterpolation.bytes }

    /// The markup.
    public var description: String { markup }

    /// One piece behind the other.
    public static func + (a: HTML, b: HTML) -> HTML { HTML(bytes: a.bytes + b.bytes) }

    /// Collects a literal's pieces.
    public struct StringInterpolation: StringInterpolationProtocol {
        @usableFromInline var bytes: [UInt8] = []

        /// Creates an empty one.
        public init(literalCapacity: Int, interpolationCount: Int) {
            bytes.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        /// Adds a piece of the literal.
        public mutating func appendLiteral(_ literal: String) { bytes.append(utf8Of: literal) }

        /// Adds HTML.
        public mutating func appendInterpolation(_ html: HTML) { bytes.append(contentsOf: html.bytes) }

        /// Adds pieces of HTML, one behind the other.
        @inlinable
        public mutating func appendInterpolation(_ pieces: some Sequence<HTML>) {
            for piece in pieces { appendInterpolation(piece) }
        }

        /// Adds text, escaped.
        public mutating func appendInterpolation(_ text: String) { bytes.append(escaped: text) }

        /// Adds text, escaped.
        public mutating func appendInterpolation(_ text: Substring) { bytes.append(escaped: String(text)) }

        /// Adds a number.
        public mutating func appendInterpolation(_ number: Int) { bytes.append(digitsOf: number) }

        /// Adds the text that describes a value, escaped.
        public mutating func appendInterpolation<Value>(_ value: Value) {
            bytes.append(escaped: String(describing: value))
        }
    }
}

extension [UInt8] {
    /// Appends text as it is.
    fileprivate mutating func append(utf8Of text: String) {
        let hasStorage = text.utf8.withContiguousStorageIfAvailable { append(contentsOf: $0) } != nil
        if !hasStorage { append(contentsOf: text.utf8) }
    }

    /// Appends a number.
    fileprivate mutating func append(digitsOf number: Int) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var begin = digits.count
            var rest = number.magnitude
            repeat {
                begin -= 1
                digits[begin] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if number < 0 {
                begin -= 1
                digits[begin] = UInt8(ascii: "-")
            }
            append(contentsOf: digits[begin...])
        }
    }

    /// Appends the markup that shows `text`.
    fileprivate mutating func append(escaped text: String) {
        let hasStorage = text.utf8.withContiguousStorageIfAvailable { append(escapedOf: $0) } != nil
        if !hasStorage { append(escapedOf: text.utf8) }
    }

    /// Appends the markup that shows a text.
    private mutating func append(escapedOf text: some Collection<UInt8>) {
        // By bytes: what is escaped is ASCII, and a combining mark behind a `<` must not hide it.
        var begin = text.startIndex
        for index in text.indices where Self.isSpecial(text[index]) {
            append(contentsOf: text[begin..<index])
            append(utf8Of: Self.entity(of: text[index]))
            begin = text.index(after: index)
        }
        append(contentsOf: text[begin...])
    }

    /// Whether a byte is one of `"`, `&`, `'`, `<` and `>`, which are bits of the number.
    @inline(__always)
    private static func isSpecial(_ byte: UInt8) -> Bool { byte < 64 && 0x5000_00C4_0000_0000 >> UInt64(byte) & 1 != 0 }

    private static func entity(of byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): "&quot;"
        default: "&#39;"
        }
    }
}
