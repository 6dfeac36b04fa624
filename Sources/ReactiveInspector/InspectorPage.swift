// The page: a single file. The style and the scripts are files in `Page`, embedded as bytes.
//
// Names belong to the program and may contain any characters. The page contains them as JSON without any `<`, so that
// no name can end the element around it, and the script treats them as text.

/// Returns the page.
///
/// - Parameters:
///   - title: The title of the document.
///   - data: The contents of the page as JSON without any `<`: a graph, or the title of a live page.
///   - isLive: Whether the page reads a stream, and so may connect to the server that it came from.
func inspectorPage(title: String, data: String, isLive: Bool) -> String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
    script-src 'unsafe-inline'\(isLive ? "; connect-src 'self'" : "")">
    <title>\(escaped(title))</title>
    <style>
    \(embedded(PackageResources.inspector_css))</style>
    </head>
    <body>
    <main>
    <div id="head">
    <div role="group" aria-label="What the graph shows">
    <button type="button" data-mode="whole" aria-pressed="true" title="Whole graph (1)">Whole graph</button>
    <button type="button" data-mode="near" aria-pressed="false" title="Neighbourhood (2)">Neighbourhood</button>
    <button type="button" data-mode="last" aria-pressed="false" title="Last change (3)">Last change</button>
    </div>
    <ul id="legend" aria-label="Legend">
    <li class="observable">\
    <svg viewBox="0 0 22 12" aria-hidden="true"><rect x="1" y="1" width="20" height="10" rx="5"/></svg>observable</li>
    <li class="computed">\
    <svg viewBox="0 0 22 12" aria-hidden="true"><path d="M5 1h12l4 5-4 5H5L1 6z"/></svg>computed</li>
    <li class="reaction">\
    <svg viewBox="0 0 22 12" aria-hidden="true"><path d="M1 1h20l-4 5 4 5H1z"/></svg>reaction</li>
    <li class="recent"><svg viewBox="0 0 12 12" aria-hidden="true"><circle cx="6" cy="6" r="4"/></svg>\
    <span class="color">orange:&nbsp;</span>part of the last change</li>
    </ul>
    </div>
    <canvas id="graph" tabindex="0" role="application" aria-roledescription="graph" aria-label="The dependency graph. \
    Arrow keys go from node to node, Enter selects. The panel has the same content as lists."></canvas>
    <nav aria-label="View">
    <button type="button" id="closer" aria-label="Zoom in" title="Zoom in (+)">+</button>
    <button type="button" id="farther" aria-label="Zoom out" title="Zoom out (-)">−</button>
    <button type="button" id="whole" aria-label="Fit the drawing" title="Fit the drawing (0)">⤢</button>
    <button type="button" id="values" class="live" title="Values of the nodes that are shown (v)">Values</button>
    <button type="button" id="pause" class="live" title="Pause or continue the timeline (p)">Pause</button>
    <button type="button" id="keys" aria-label="Keys" title="Keys (?)">?</button>
    </nav>
    <p id="notice" role="status" hidden></p>
    </main>
    <section id="history" class="live" aria-label="Timeline">
    <div id="travel" role="group" aria-label="Time travel" hidden>
    <button type="button" id="back" aria-label="Step back" title="Step back ([)">◀</button>
    <input id="position" type="range" min="0" max="0" value="0" aria-label="Step">
    <button type="button" id="forward" aria-label="Step forward" title="Step forward (])">▶</button>
    <output id="step"></output>
    </div>
    <canvas id="timeline" tabindex="0" role="application" aria-roledescription="timeline" aria-label="The timeline. \
    Left and right arrow keys go from event to event, up and down to other threads, Enter zooms."></canvas>
    </section>
    <aside aria-label="Details">
    <label for="search">Search <kbd>/</kbd></label>
    <input id="search" type="search" placeholder="name, file:line, kind" autocomplete="off" spellcheck="false">
    <p class="filters">
    <label><input type="checkbox" id="recent"> Last change only</label>
    </p>
    <p id="summary"></p>
    <p id="status" role="status"></p>
    <div id="details"></div>
    </aside>
    <dialog id="help" aria-labelledby="help-title">
    <form method="dialog">
    <h1 id="help-title">Keys</h1>
    <dl>
    <dt><kbd>/</kbd></dt><dd>Search; Enter selects the first match</dd>
    <dt><kbd>1</kbd> <kbd>2</kbd> <kbd>3</kbd></dt><dd>Whole graph, neighbourhood, last change</dd>
    <dt><kbd>Arrows</kbd></dt><dd>Next node, event or row; with Shift, move the drawing</dd>
    <dt><kbd>Enter</kbd></dt><dd>Select a node; zoom to the selected event</dd>
    <dt><kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd></dt><dd>Zoom in, zoom out, fit the drawing</dd>
    <dt><kbd>Escape</kbd></dt><dd>Select nothing</dd>
    <dt class="live"><kbd>v</kbd></dt><dd class="live">Values of the nodes that are shown</dd>
    <dt class="live"><kbd>p</kbd></dt><dd class="live">Pause or continue the timeline</dd>
    <dt class="live"><kbd>[</kbd> <kbd>]</kbd></dt><dd class="live">Step back, step forward in time</dd>
    </dl>
    <p class="live">In the timeline, an evaluation that changed nothing is hollow. Idle times are shortened.</p>
    <button class="action">Close</button>
    </form>
    </dialog>
    <script type="application/json" id="data">\(data)</script>
    \(scripts)
    </body>
    </html>

    """
}

/// The scripts, in the order of their dependencies. They share their global names.
private var scripts: String {
    [
        PackageResources.model_js, PackageResources.layout_js, PackageResources.scenes_js, PackageResources.graph_js,
        PackageResources.timeline_js, PackageResources.details_js, PackageResources.live_js, PackageResources.keys_js,
    ]
    .map { "<script>\n\(embedded($0))</script>" }.joined(separator: "\n")
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
