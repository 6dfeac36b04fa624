// Why a line of input is refused.

/// Why a line is no command.
package struct CommandError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
