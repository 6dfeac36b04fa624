// What messages of the package's other modules call a node, and how these compare values.

extension _Node {
    /// The given name, or else the file and line that created the node.
    package final var displayName: String { NodeName.text(of: node.pointee) }
}

extension Equality {
    /// The rule as a function.
    @inlinable
    package var comparison: (Value, Value) -> Bool { areEqual }
}
