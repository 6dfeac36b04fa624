// Markup as a type of its own, so that text cannot get into it without being escaped.
//
// `MarkupWriter.append(escaping:)` is the one place of the library that escapes for HTML. (The page of ReactiveInspector
// has no text in its markup: names are in it as JSON.)
//
// Markup is kept as bytes, since it is copied from piece to piece: appending bytes costs half as much as appending strings.
// Where they lie is in MarkupWriter.swift.

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
    /// The markup as UTF-8: a part of a block.
    // Safe to send, because bytes that belong to a piece are not written any more.
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

    /// Takes text for markup as it is. Never pass what a user has entered.
    public init(markup: String) {
        var writer = MarkupWriter(capacity: markup.utf8.count)
        writer.append(markup)
        self = writer.finish()
    }

    /// Creates the markup that shows `text`.
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

    /// One piece behind the other.
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

    /// Collects a literal's pieces.
    public struct StringInterpolation: StringInterpolationProtocol {
        @usableFromInline var writer: MarkupWriter

        /// Creates an empty one.
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

        /// Adds pieces of HTML, one behind the other.
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

        /// Adds the text that describes a value, escaped.
        public mutating func appendInterpolation<Value>(_ value: Value) {
            writer.append(escaping: String(describing: value))
        }
    }
}
