// What happens when a computed reads itself.

/// A computed depends on itself.
///
/// Thrown by ``ThrowingComputed/value`` at the read that closes the cycle. A plain ``Computed`` stops the program with
/// the same path.
public struct CycleError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The names of the computeds on the cycle, in the order in which they read one another; the first is also the
    /// last.
    public let path: [String]

    /// The path in one line, `cycle: A1 → B1 → A1`; a long one without its middle.
    public var description: String { "cycle: " + abbreviated(path) }
}
