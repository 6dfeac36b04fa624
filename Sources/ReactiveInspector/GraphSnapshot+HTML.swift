// The graph at one moment as a page for a browser: a single file that loads nothing.

@_exported public import Reactive

extension Diagnostics.GraphSnapshot {
    /// The graph as a page for a browser: the dependencies of each node, the latest changes, how often each reaction
    /// ran, and why.
    ///
    /// ```swift
    /// try Diagnostics.graph().html.write(toFile: "\(folder)/graph.html", atomically: true, encoding: .utf8)
    /// ```
    ///
    /// The page is a single file. A graph of more than 150 nodes is shown in groups of nodes with the same source
    /// location, so that 100,000 nodes stay usable.
    ///
    /// - Complexity: O(nodes + edges).
    public var html: String {
        inspectorPage(title: "Dependency graph", data: inspectorData, isLive: false)
    }

    /// The contents of the page, in short form, since there may be many nodes:
    /// `{"changes":7,"nodes":[node,…],"edges":[source,observer,…]}`, where a node is
    /// `[kind,"name","site",runCount,changedAt,ranAt,ranBeforeAt]`.
    private var inspectorData: String {
        var json = "{\"changes\":\(changes),\"nodes\":["
        for node in nodes {
            if node.id > 0 { json += "," }
            json += "[\(node.kind.number),"
            json.appendLiteral(of: node.name)
            json += ","
            json.appendLiteral(of: node.site)
            for number in [node.runCount, node.changedAt, node.ranAt, node.ranBeforeAt] { json += ",\(number ?? 0)" }
            json += "]"
        }
        json += "],\"edges\":["
        for (index, edge) in edges.enumerated() {
            if index > 0 { json += "," }
            json += "\(edge.source),\(edge.observer)"
        }
        return json + "]}"
    }
}
