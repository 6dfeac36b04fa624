// The page: a single file. The style and the scripts are files in `Page`, embedded as bytes.
//
// Names belong to the program and may contain any characters. The page contains them as JSON without any `<`, so that no
// name can end the element around it, and the script treats them as text.

/// Returns the page.
///
/// - Parameters:
///   - title: The title of the document.
///   - data: The contents of the page as JSON, in which no character has a meaning in HTML.
///   - isLive: Whether the page may connect to the server that it came from.
func inspectorPage(title: String, data: String, isLive: Bool) -> String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta http-equiv="Content-Security-Policy" \
    content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\(isLive ? "; connect-src 'self'" : "")">
    <title>\(escaped(title))</title>
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
    <script type="application/json" id="data">\(data)</script>
    <script>
    \(embedded(PackageResources.inspector_js))</script>
    </body>
    </html>

    """
}

/// A file of `Page`, which ends with a line feed.
private func embedded(_ file: [UInt8]) -> String { String(decoding: file, as: UTF8.self) }

/// Returns a text in which no character has a meaning in HTML.
private func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
        switch character {
        case "<": result += "&lt;"
        case "&": result += "&amp;"
        default: result.append(character)
        }
    }
}

extension String {
    /// Appends a text as a JSON literal in which no character has a meaning in HTML or JavaScript.
    mutating func appendLiteral(of text: String) {
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
