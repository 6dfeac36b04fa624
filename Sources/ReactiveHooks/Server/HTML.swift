// Markup as a type of its own, so that text cannot get into it without being escaped.
//
// `MarkupWriter.append(escaping:)` is the only function of the library that escapes for HTML. (The page of
// ReactiveInspector has no text in its markup: it contains names as JSON.)
//
// Markup is stored as bytes, because it is copied from piece to piece: appending bytes costs half as much as appending
// strings. See MarkupWriter.swift for how the bytes are stored.

/// A piece of HTML. Interpolated values are escaped, unless they are HTML themselves.
///
/// ```swift
/// let name = "<Ann & Bob>"
/// let greeting: HTML = "<p title=\"\(name)\">Hello, \(name)!</p>"
/// print(greeting)
/// // prints:
/// // <p title="&lt;Ann &amp; Bob&gt;">Hello, &lt;Ann &amp; Bob&gt;!</p>
/// ```
///
/// Escaping protects text between tags and attribute values in quotes. It does not make text safe inside `<script>` or
/// `<style>`, nor an untrusted address safe in `href`.
public struct HTML: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The markup as UTF-8: a part of a block.
    // Safe to send, because the bytes of a complete piece are never written again.
    private nonisolated(unsafe) let block: MarkupBlock
    private let start: Int
    private let count: Int

    /// The markup.
    ///
    /// - Complexity: O(n), where n is the length of the markup.
    public var markup: String { withBytes { String(decoding: $0, as: UTF8.self) } }

    init(block: MarkupBlock, start: Int, count: Int) {
        self.block = block
        self.start = start
        self.count = count
    }

    /// Creates markup from text that is markup already. Never pass user input.
    public init(markup: String) {
        var writer = MarkupWriter(capacity: markup.utf8.count)
        writer.append(markup)
        self = writer.finish()
    }

    /// Creates markup that shows `text`.
    public init(text: some StringProtocol) {
        var writer = MarkupWriter(capacity: text.utf8.count)
        writer.append(escaping: String(text))
        self = writer.finish()
    }

    /// Creates markup from a literal.
    public init(stringLiteral markup: String) { self.init(markup: markup) }

    /// Creates markup from a literal with interpolations.
    public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.writer.finish() }

    /// The markup.
    public var description: String { markup }

    /// Returns the markup of both pieces, one after the other.
    public static func + (a: HTML, b: HTML) -> HTML {
        var writer = MarkupWriter(capacity: a.count + b.count)
        a.withBytes { writer.append($0) }
        b.withBytes { writer.append($0) }
        return writer.finish()
    }

    /// Whether two pieces have the same markup.
    ///
    /// - Complexity: O(n), where n is the length of the markup.
    public static func == (a: HTML, b: HTML) -> Bool {
        a.count == b.count && a.withBytes { a in b.withBytes { b in a.elementsEqual(b) } }
    }

    /// Hashes the markup.
    ///
    /// - Complexity: O(n), where n is the length of the markup.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    @inline(__always)
    private func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        block.withUnsafeMutablePointerToElements { body(UnsafeBufferPointer(start: $0 + start, count: count)) }
    }

    /// The pieces of a literal.
    public struct StringInterpolation: StringInterpolationProtocol {
        @usableFromInline var writer: MarkupWriter

        /// Creates an empty literal.
        public init(literalCapacity: Int, interpolationCount: Int) {
            writer = MarkupWriter(capacity: literalCapacity + 16 * interpolationCount)
        }

        /// Adds a piece of the literal.
        @inlinable @inline(__always)
        public mutating func appendLiteral(_ literal: String) {
            // Inlined, so that the compiler knows the bytes.
            var literal = literal
            literal.withUTF8 { writer.append(literal: $0) }
        }

        /// Adds HTML.
        public mutating func appendInterpolation(_ html: HTML) { html.withBytes { writer.append($0) } }

        /// Adds pieces of HTML, one after the other.
        @inlinable
        public mutating func appendInterpolation(_ pieces: some Sequence<HTML>) {
            for piece in pieces { appendInterpolation(piece) }
        }

        /// Adds text, escaped.
        public mutating func appendInterpolation(_ text: String) { writer.append(escaping: text) }

        /// Adds text, escaped.
        public mutating func appendInterpolation(_ text: Substring) { writer.append(escaping: String(text)) }

        /// Adds a number.
        public mutating func appendInterpolation(_ number: Int) { writer.append(number) }

        /// Adds the description of a value, escaped.
        public mutating func appendInterpolation<Value>(_ value: Value) {
            writer.append(escaping: String(describing: value))
        }
    }
}
