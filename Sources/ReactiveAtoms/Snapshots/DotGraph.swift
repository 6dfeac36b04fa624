// The graph of a snapshot in the language of Graphviz.

extension RecoilSnapshot {
    /// Returns the nodes and their edges in the language of Graphviz: atoms in one colour, selectors in another. Each
    /// edge leads from a node to one of its readers.
    ///
    /// - Parameter isSortNodeByName: Whether to order the lines by name, so that equal graphs give equal texts.
    /// - Returns: The text, for `dot` and similar programs.
    public func generateDotGraph(isSortNodeByName: Bool = false) -> String {
        guard !nodes.isEmpty else { return "digraph Empty { label=\"Empty Store\"; }" }
        let nodes = NodePicture(of: self, isSortedByName: isSortNodeByName, Self.quoted).nodes
        var readers = nodes.map { _ in [String]() }
        for node in nodes {
            for source in node.sources { readers[source].append(node.name) }
        }
        var lines = ["digraph Store {", "node [style=\"filled\"];"]
        for (node, readers) in zip(nodes, readers) {
            let fill = node.isAtom ? "gold" : "lightskyblue"
            lines.append("\(node.name) [fillcolor=\"\(fill)\"];")
            for reader in readers.sorted() { lines.append("\(node.name) -> \(reader);") }
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    private static func quoted(_ name: String) -> String {
        let isIdentifier =
            name.first.map { $0.isLetter || $0 == "_" } == true
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        if isIdentifier { return name }
        let escaped = name.flatMap { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }
        return "\"" + String(escaped) + "\""
    }
}
