// A picture of which node depends on which, for Mermaid, which viewers of Markdown draw.

extension RecoilSnapshot {
    /// The nodes and their edges as a Mermaid flowchart: atoms are round, selectors have corners, each edge goes from what is read to who reads it.
    ///
    /// - Parameter isSortNodeByName: Whether to order the lines by name, so that equal graphs give equal texts.
    /// - Returns: The text, for a block of `mermaid` in Markdown.
    public func generateMermaidGraph(isSortNodeByName: Bool = false) -> String {
        let names = uniqueNames
        let order = isSortNodeByName ? nodes.sorted { (names[$0.key] ?? "") < (names[$1.key] ?? "") } : nodes
        let numbers = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1.key, $0) })
        let boxes = order.enumerated().map { number, node in
            let name = "\"\(Self.escaped(names[node.key] ?? "?"))\""
            return node.isAtom ? "  n\(number)([\(name)])" : "  n\(number)[\(name)]"
        }
        let edges = order.enumerated().flatMap { reader, node in
            node.sources.compactMap { numbers[$0] }.sorted().map { "  n\($0) --> n\(reader)" }
        }
        return (["flowchart LR"] + boxes + edges).joined(separator: "\n")
    }

    private static func escaped(_ name: String) -> String {
        name.reduce(into: "") { text, character in
            switch character {
            case "\"": text += "#quot;"
            case "#": text += "#35;"
            case _ where character.isNewline: text += " "
            default: text.append(character)
            }
        }
    }
}
