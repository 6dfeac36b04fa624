// What the package's other modules call a node in messages.

extension _Node {
    /// The name that the node was given, or else the file and line that created it.
    package final var displayName: String { NodeName.text(of: node.pointee) }

    /// Gives a new node the name or source location of another one.
    @usableFromInline
    package final func shareName(of other: _Node) { NodeName.share(other.node.pointee, with: &node.pointee) }
}
