// A type for HTML, so that text cannot appear in a page without being escaped.

/// A piece of HTML. Interpolated values are escaped unless they are HTML.
///
/// ```swift
/// let title = "<script>"
/// let item: HTML = "<li>\(title)</li>"  // <li>&lt;script&gt;</li>
/// ```
package struct HTML: Sendable, Hashable, ExpressibleByStringInterpolation {
    /// The markup.
    package let markup: String

    /// Creates a piece from a literal.
    package init(stringLiteral literal: String) { markup = literal }

    /// Creates a piece from a literal with escaped values in it.
    package init(stringInterpolation interpolation: Interpolation) { markup = interpolation.markup }

    /// Escapes a text.
    package init(text: String) { markup = HTML.escaped(text) }

    /// Joins pieces.
    package init(_ pieces: some Sequence<HTML>) { markup = pieces.map(\.markup).joined() }

    /// The interpolation of a literal.
    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var markup = ""

        /// Creates an empty interpolation.
        package init(literalCapacity: Int, interpolationCount: Int) { markup.reserveCapacity(literalCapacity * 2) }

        /// Adds a part of the literal unchanged.
        package mutating func appendLiteral(_ literal: String) { markup += literal }

        /// Adds HTML unchanged.
        package mutating func appendInterpolation(_ html: HTML) { markup += html.markup }

        /// Adds any other value as escaped text.
        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            markup += HTML.escaped(value.description)
        }
    }

    /// Escapes text for contents and quoted attributes. Control characters, which HTML cannot represent, become
    /// replacement characters.
    private static func escaped(_ text: String) -> String {
        var markup = ""
        markup.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": markup += "&amp;"
            case "<": markup += "&lt;"
            case ">": markup += "&gt;"
            case "\"": markup += "&quot;"
            case "'": markup += "&#39;"
            case "\n", "\t": markup.unicodeScalars.append(scalar)
            case "\u{0}"..<" ", "\u{7F}"..<"\u{A0}": markup += "\u{FFFD}"
            default: markup.unicodeScalars.append(scalar)
            }
        }
        return markup
    }
}
