// The error of a computed whose owner is gone.

/// The error of a ``ThrowingComputed`` whose owner was released before the first value was computed.
public struct OwnerGoneError: Error, CustomStringConvertible {
    /// The name of the computed: the given one, or its file and line.
    public let name: String

    /// A readable description.
    public var description: String { "\(name) has no value: its owner was released before the first read" }
}
