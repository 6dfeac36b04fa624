// The names of nodes in messages of the package's other modules.

extension _Node {
    /// The name of the node: the given one, or the file and line of the call that created it.
    package final var displayName: String { NodeName.text(of: node.pointee) }

    /// Copies the name or source location of another node to a new one.
    @usableFromInline
    package final func shareName(of other: _Node) { NodeName.share(other.node.pointee, with: &node.pointee) }
}
