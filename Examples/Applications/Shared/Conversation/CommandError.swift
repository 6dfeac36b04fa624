// Errors in lines of input.

/// The reason why a line is not a command.
package struct CommandError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
