// Markup as a type of its own, so that text cannot get into it without being escaped.
//
// `init(text:)` is the one place of the library that escapes for HTML. (The page of ReactiveInspector has no text in its
// markup: names are in it as JSON.)

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
    /// The markup.
    public let markup: String

    /// Takes text for markup as it is. Never pass what a user has entered.
    public init(markup: String) { self.markup = markup }

    /// Creates the markup that shows `text`.
    public init(text: some StringProtocol) {
        var markup = ""
        markup.reserveCapacity(text.utf8.count)
        // By scalars: a combining mark behind a `<` must not hide it.
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": markup += "&amp;"
            case "<": markup += "&lt;"
            case ">": markup += "&gt;"
            case "\"": markup += "&quot;"
            case "'": markup += "&#39;"
            default: markup.unicodeScalars.append(scalar)
            }
        }
        self.markup = markup
    }

    /// Creates markup from a literal.
    public init(stringLiteral markup: String) { self.init(markup: markup) }

    /// Creates markup from a literal with interpolations.
    public init(stringInterpolation: StringInterpolation) { self.init(markup: stringInterpolation.markup) }

    /// The markup.
    public var description: String { markup }

    /// One piece behind the other.
    public static func + (a: HTML, b: HTML) -> HTML { HTML(markup: a.markup + b.markup) }

    /// Collects a literal's pieces.
    public struct StringInterpolation: StringInterpolationProtocol {
        var markup = ""

        /// Creates an empty one.
        public init(literalCapacity: Int, interpolationCount: Int) { markup.reserveCapacity(literalCapacity) }

        /// Adds a piece of the literal.
        public mutating func appendLiteral(_ literal: String) { markup += literal }

        /// Adds HTML.
        public mutating func appendInterpolation(_ html: HTML) { markup += html.markup }

        /// Adds pieces of HTML, one behind the other.
        public mutating func appendInterpolation(_ pieces: some Sequence<HTML>) {
            for piece in pieces { markup += piece.markup }
        }

        /// Adds text, escaped.
        public mutating func appendInterpolation<Value>(_ value: Value) {
            markup += HTML(text: String(describing: value)).markup
        }
    }
}
