// A picture of which node depends on which, for Graphviz.

extension RecoilSnapshot {
    /// The nodes and their edges in the language of Graphviz: atoms in one colour, selectors in another, each edge from what is read to who reads it.
    ///
    /// - Parameter isSortNodeByName: Whether to order the lines by name, so that equal graphs give equal texts.
    /// - Returns: The text, for `dot` and its like.
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
