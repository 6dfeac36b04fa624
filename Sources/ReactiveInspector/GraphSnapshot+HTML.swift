// The graph as a page for a browser: a single file that loads nothing.
//
// The style and the script are files in `Page`, embedded as bytes. Names belong to the program and may contain any
// characters. The page contains them as JSON without any `<`, so that no name can end the element around it, and the
// script treats them as text.

@_exported public import Reactive

extension Diagnostics.GraphSnapshot {
    /// The graph as a page for a browser: the dependencies of each node, the latest changes, how often each reaction
    /// ran, and why.
    ///
    /// ```swift
    /// try Diagnostics.graph().html.write(toFile: "\(folder)/graph.html", atomically: true, encoding: .utf8)
    /// ```
    ///
    /// The page is a single file. It stays usable with graphs of 10,000 nodes.
    ///
    /// - Complexity: O(nodes + edges).
    public var html: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta http-equiv="Content-Security-Policy" \
        content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
        <title>Dependency graph</title>
        <style>
        \(embedded(PackageResources.inspector_css))</style>
        </head>
        <body>
        <canvas id="graph" tabindex="0" role="img" \
        aria-label="The dependency graph; the list beside it has the same content"></canvas>
        <aside>
        <label for="search">Search <kbd>/</kbd></label>
        <input id="search" type="search" placeholder="name, file:line, kind" autocomplete="off" spellcheck="false">
        <p class="filters">
        <label><input type="checkbox" id="recent"> Last change only</label>
        </p>
        <p id="summary" role="status"></p>
        <div id="details"></div>
        </aside>
        <nav aria-label="View">
        <button id="closer" aria-label="Zoom in" title="Zoom in (+)">+</button>
        <button id="farther" aria-label="Zoom out" title="Zoom out (-)">−</button>
        <button id="whole" aria-label="Show the whole graph" title="Show the whole graph (0)">⤢</button>
        </nav>
        <script type="application/json" id="data">\(inspectorData)</script>
        <script>
        \(embedded(PackageResources.inspector_js))</script>
        </body>
        </html>

        """
    }

    /// A file of `Page`, which ends with a line feed.
    private func embedded(_ file: [UInt8]) -> String { String(decoding: file, as: UTF8.self) }

    /// The contents of the page, in short form, since there may be many nodes:
    /// `{"changes":7,"nodes":[node,…],"edges":[source,observer,…]}`, where a node is
    /// `[kind,"name","site",runCount,changedAt,ranAt,ranBeforeAt]`.
    private var inspectorData: String {
        var json = "{\"changes\":\(changes),\"nodes\":["
        for node in nodes {
            if node.id > 0 { json += "," }
            let kind =
                switch node.kind {
                case .observable: 0
                case .computed: 1
                case .reaction: 2
                }
            json += "[\(kind),"
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

extension String {
    /// Appends a text as a JSON literal in which no character has a meaning in HTML or JavaScript.
    fileprivate mutating func appendLiteral(of text: String) {
        self += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": self += "\\\""
            case "\\": self += "\\\\"
            case "\u{0}"..<" ", "<", ">", "&", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                self += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: unicodeScalars.append(scalar)
            }
        }
        self += "\""
    }
}
