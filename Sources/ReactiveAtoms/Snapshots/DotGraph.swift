// A picture of which node depends on which, for Graphviz.

extension RecoilSnapshot {
    /// The nodes and their edges in the language of Graphviz: atoms in one colour, selectors in another, each edge from what is read to who reads it.
    ///
    /// - Parameter isSortNodeByName: Whether to order the lines by name, so that equal graphs give equal texts.
    /// - Returns: The text, for `dot` and its like.
    public func generateDotGraph(isSortNodeByName: Bool = false) -> String {
        guard !nodes.isEmpty else { return "digraph Empty { label=\"Empty Store\"; }" }
        let names = uniqueNames
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

    /// A name for each node that no other has, as an identifier of the language.
    private var uniqueNames: [NodeKey: String] {
        var names: [NodeKey: String] = [:]
        for (name, nodes) in Dictionary(grouping: nodes, by: \.key.name) {
            let inOrder = nodes.sorted { $0.key.position < $1.key.position }
            for (index, node) in inOrder.enumerated() {
                names[node.key] = Self.quoted(index == 0 ? name : "\(name) #\(index + 1)")
            }
        }
        return names
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

extension NodeKey {
    /// Where it stands, to order nodes of one name by.
    fileprivate var position: String {
        guard let place else { return "" }
        let line = String(place.line + 1_000_000)
        return "\(place.fileID) \(line) \(place.column + 1_000_000)"
    }
}
