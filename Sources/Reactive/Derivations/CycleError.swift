// The error of a computed that depends on itself.

/// The error of a computed that depends on itself.
///
/// ``ThrowingComputed/value`` throws it at the read that closes the cycle. A plain ``Computed`` stops the program and
/// shows the same path.
public struct CycleError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The names of the computeds on the cycle, in the order in which they read one another. The first is also the
    /// last.
    public let path: [String]

    /// The path in one line, `cycle: A1 → B1 → A1`. A long path is shortened in its middle.
    public var description: String { "cycle: " + abbreviated(path) }
}
