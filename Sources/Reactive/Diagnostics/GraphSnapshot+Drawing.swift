// The graph in the languages of two programs that draw graphs.

extension Diagnostics.GraphSnapshot {
    /// The graph in Graphviz's language: `dot -Tsvg`.
    @_alwaysEmitIntoClient
    public var dot: String {
        let shapes: [Node.Kind: String] = [.observable: "ellipse", .computed: "box", .reaction: "hexagon"]
        let nodes = nodes.map { node in
            let name = node.name.escapedForDrawing(["\\": "\\\\", "\"": "\\\"", "\n": "\\n"])
            return "  n\(node.id) [label=\"\(name)\", shape=\(shapes[node.kind]!)];"
        }
        let edges = edges.map { "  n\($0.source) -> n\($0.observer);" }
        return (["digraph reactive {", "  rankdir=LR;"] + nodes + edges + ["}"]).joined(separator: "\n") + "\n"
    }

    /// The graph as a Mermaid flowchart, which Markdown viewers draw.
    @_alwaysEmitIntoClient
    public var mermaid: String {
        let nodes = nodes.map { node in
            let name = node.name.escapedForDrawing(["\"": "#quot;", "#": "#35;", "\n": " "])
            return switch node.kind {
            case .observable: "  n\(node.id)([\"\(name)\"])"
            case .computed: "  n\(node.id)[\"\(name)\"]"
            case .reaction: "  n\(node.id){{\"\(name)\"}}"
            }
        }
        let edges = edges.map { "  n\($0.source) --> n\($0.observer)" }
        return (["flowchart LR"] + nodes + edges).joined(separator: "\n") + "\n"
    }
}

extension String {
    @_alwaysEmitIntoClient
    internal func escapedForDrawing(_ replacements: [Character: String]) -> String {
        reduce(into: "") { $0 += replacements[$1] ?? String($1) }
    }
}
