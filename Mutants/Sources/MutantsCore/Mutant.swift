// A mutant: one small change of the sources that a test should notice.

/// A small change in one place.
package struct Mutant: Sendable, Equatable {
    /// The file, relative to the root of the package.
    package let file: String
    /// The line, counted from 1.
    package let line: Int
    /// The column, in bytes and counted from 1.
    package let column: Int
    package let kind: Kind
    /// The code that the mutant changes, shortened.
    package let code: String

    package enum Kind: String, Sendable, CaseIterable {
        /// A condition, or a part of one, always holds.
        case alwaysTrue = "always true"
        /// A condition, or a part of one, never holds.
        case alwaysFalse = "always false"
        /// A comparison or a Boolean literal has the opposite value.
        case negated
        /// A comparison includes its boundary, or no longer does.
        case boundary
        /// A sum is a difference, or vice versa.
        case arithmetic
        /// A statement is gone.
        case deleted
        /// A flag of a set is gone, or an operation on a set of flags.
        case flagGone = "without the flag"
    }

    /// What the lists of the command say. No other mutant has the same.
    package var description: String { "\(file):\(line):\(column) \(kind.rawValue): \(code)" }

    /// The folder whose score the mutant belongs to: that of its file.
    package var folder: String { file.split(separator: "/").dropLast().joined(separator: "/") }
}

/// The code of a mutant for lists: one line, and not long.
func abbreviated(_ code: some StringProtocol) -> String {
    let line = code.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return line.count <= 60 ? line : line.prefix(57) + "…"
}
