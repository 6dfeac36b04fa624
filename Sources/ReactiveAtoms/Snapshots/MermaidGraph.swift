// The graph of a snapshot in the language of Mermaid, which viewers of Markdown draw.

extension RecoilSnapshot {
    /// Returns the nodes and their edges as a Mermaid flowchart: atoms are round, selectors have corners. Each edge
    /// leads from a node to one of its readers.
    ///
    /// - Parameter isSortNodeByName: Whether to order the lines by name, so that equal graphs give equal texts.
    /// - Returns: The text, for a block of `mermaid` in Markdown.
    public func generateMermaidGraph(isSortNodeByName: Bool = false) -> String {
        let nodes = NodePicture(of: self, isSortedByName: isSortNodeByName) { $0 }.nodes
        var lines = ["flowchart LR"]
        for (number, node) in nodes.enumerated() {
            let name = "\"\(Self.escaped(node.name))\""
            lines.append(node.isAtom ? "  n\(number)([\(name)])" : "  n\(number)[\(name)]")
        }
        for (reader, node) in nodes.enumerated() {
            for source in node.sources { lines.append("  n\(source) --> n\(reader)") }
        }
        return lines.joined(separator: "\n")
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
