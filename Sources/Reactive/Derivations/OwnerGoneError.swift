// The error of a computed that has lost its owner.

/// The owner of a ``ThrowingComputed`` was gone before the first value had been computed.
public struct OwnerGoneError: Error, CustomStringConvertible {
    /// The computed: the name that it was given, or the file and line.
    public let name: String

    /// A sentence for people.
    public var description: String { "the owner of \(name) was gone before its first value was computed" }
}
