// HTML as a type of its own, so that text cannot get into a page without being escaped.

/// A piece of HTML. What is interpolated is escaped, unless it is HTML itself.
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

    /// What an interpolated literal becomes.
    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var markup = ""

        /// Creates an empty one.
        package init(literalCapacity: Int, interpolationCount: Int) { markup.reserveCapacity(literalCapacity * 2) }

        /// Adds a part of the literal as it is.
        package mutating func appendLiteral(_ literal: String) { markup += literal }

        /// Adds HTML as it is.
        package mutating func appendInterpolation(_ html: HTML) { markup += html.markup }

        /// Adds any other value as escaped text.
        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            markup += HTML.escaped(value.description)
        }
    }

    /// For text and for attributes in quotes. Control characters, which HTML has no way to write, become a replacement character.
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
