// A picture of which node depends on which, for Graphviz.

extension RecoilSnapshot {
    /// The nodes and their edges in the language of Graphviz: atoms in one colour, selectors in another, each edge from what is read to who reads it.
    ///
    /// - Parameter isSortNodeByName: Whether to order the lines by name, so that equal graphs give equal texts.
    /// - Returns: The text, for `dot` and its like.
    public func generateDotGraph(isSortNodeByName: Bool = false) -> String {
        guard !nodes.isEmpty else { return "digraph Empty { label=\"Empty Store\"; }" }
        let names = uniqueNames.mapValues(Self.quoted)
        var readers: [NodeKey: [String]] = [:]
        for node in nodes {
            for source in node.sources { readers[source, default: []].append(names[node.key] ?? "?") }
        }
        let order = isSortNodeByName ? nodes.sorted { (names[$0.key] ?? "") < (names[$1.key] ?? "") } : nodes
        var lines = ["digraph Store {", "node [style=\"filled\"];"]
        for node in order {
            let name = names[node.key] ?? "?"
            let fill = node.isAtom ? "gold" : "lightskyblue"
            lines.append("\(name) [fillcolor=\"\(fill)\"];")
            for reader in (readers[node.key] ?? []).sorted() { lines.append("\(name) -> \(reader);") }
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
