// The messages of a stream, as JSON in one line. All members may be missing:
//
//     viewer     the number of the stream, in its first message; the page sends it back in questions
//     nodes      [id, kind, name, site, runCount, changedAt, ranAt, ranBeforeAt, [source, …]]: new, or as it is now
//     ended      the ids of nodes that were freed
//     changes    the number of changes so far
//     events     [id, kind, node, thread, start, duration, changed, [cause, …], flush, text]
//     dropped    the number of events that were left out
//     travel     the position in the history, the number of its steps, and their titles
//
// A node, a flush or a change that does not exist is -1.

import Reactive

extension LiveUpdate {
    /// The update as a message.
    func message(viewer: Int?, position: TimeTravel.Position?) -> String {
        var json = "{"
        func member(_ name: String) {
            if json.utf8.count > 1 { json += "," }
            json += "\"\(name)\":"
        }
        if let viewer {
            member("viewer")
            json += "\(viewer)"
        }
        if !nodes.isEmpty {
            member("nodes")
            json.appendArray(nodes) { $0.appendNode($1) }
        }
        if !ended.isEmpty {
            member("ended")
            json += "\(ended)"
        }
        member("changes")
        json += "\(changes)"
        if !events.isEmpty {
            member("events")
            json.appendArray(events) { $0.appendEvent($1) }
        }
        if droppedCount > 0 {
            member("dropped")
            json += "\(droppedCount)"
        }
        if let position {
            member("travel")
            json += "{\"position\":\(position.done),\"count\":\(position.count),\"titles\":"
            json.appendArray(position.titles) { $0.appendLiteral(of: $1) }
            json += "}"
        }
        return json + "}"
    }
}

extension String {
    fileprivate mutating func appendArray<Element>(
        _ elements: [Element], _ append: (inout String, Element) -> Void
    ) {
        self += "["
        for (index, element) in elements.enumerated() {
            if index > 0 { self += "," }
            append(&self, element)
        }
        self += "]"
    }

    fileprivate mutating func appendNode(_ node: LiveNode) {
        self += "[\(node.id),\(node.kind.number),"
        appendLiteral(of: node.name)
        self += ","
        appendLiteral(of: node.site)
        self += ",\(node.runCount),\(node.changedAt),\(node.ranAt),\(node.ranBeforeAt),\(node.sources)]"
    }

    fileprivate mutating func appendEvent(_ event: Diagnostics.Event) {
        let changed = event.hasChanged.map { $0 ? 1 : 0 } ?? -1
        self += "[\(event.id),\"\(event.kind)\",\(event.node?.id ?? -1),\(event.thread),\(event.start),"
        self += "\(event.duration),\(changed),\(event.causes),\(event.flush ?? -1),"
        appendLiteral(of: event.shownText)
        self += "]"
    }
}

extension Diagnostics.Event {
    /// The text. The message of an issue may have values, so `Diagnostics.describe` decides what is shown of it.
    fileprivate var shownText: String {
        guard let text, kind == .issue else { return text ?? "" }
        return Diagnostics.describe(text, text.split(separator: "\n").first.map(String.init) ?? "")
    }
}

extension Diagnostics.GraphSnapshot.Node.Kind {
    /// The number of the kind in messages.
    var number: Int {
        switch self {
        case .observable: 0
        case .computed: 1
        case .reaction: 2
        }
    }
}
