// The inspector of a running program: a page that shows a graph while it changes, for any HTTP server.
//
//     browser  GET X          ──▶ page                  the page, once
//              GET X/events   ──▶ events()              server-sent events, as long as the page is open
//              POST X/ask     ──▶ answer(to:)           a value, or a step in time
//
// Each stream has a `LiveGraph` of its own, which records while the stream exists. LiveUpdate+JSON.swift has the format
// of the messages, and Page has the script that reads them.

import ReactiveJSON
public import ReactiveCodable

extension Diagnostics {
    /// Returns an inspector of a graph: a page for a browser that shows the graph and its timeline as they change.
    ///
    /// It covers one graph: inside `run` of an `IndependentGraph`, that graph; elsewhere, the default one. Nothing is
    /// recorded while no page is open.
    ///
    /// The page shows names, issues, and on demand values. On a server, show it only to people who may see those, and
    /// set `Diagnostics.describe` to hide secrets. It decides what is shown of values and of the messages of issues.
    /// Names are always shown.
    ///
    /// - Parameter title: The title of the page; by default the name of the graph.
    public static func inspector(titled title: String? = nil) -> Inspector {
        Inspector(of: .current, title: title, travel: nil)
    }

    /// Returns an inspector that also travels in time: the page steps back and forth in a history.
    ///
    /// It covers the graph that `Diagnostics.inspector()` covers. The steps change the root of the history, as undo and
    /// redo do. To leave the state of the program alone, pass the history of a copy, and call this function in the
    /// graph of the copy.
    ///
    /// The page lists the steps by their paths, such as `add /cars/7`. A component of a path may be the key of a
    /// dictionary, so `Diagnostics.describe` is called with each component, as a string, and the name of each component
    /// around it: here with `7` and `cars`. What it returns is shown. The first component has the name `""`.
    ///
    /// - Parameters:
    ///   - title: The title of the page; by default the name of the graph.
    ///   - history: The history. The inspector keeps it.
    ///   - isolation: The actor on which the history is used; by default that of the caller.
    public static func inspector<Root>(
        titled title: String? = nil, history: History<Root>, isolation: isolated (any Actor)? = #isolation
    ) -> Inspector {
        Inspector(of: .current, title: title, travel: TimeTravel(in: history, on: isolation))
    }
}

/// An inspector of a graph, which an HTTP server shows under three paths.
///
/// With a path of the server's choice, here `/inspector`:
///
/// | Request | Answer | Content type |
/// |---|---|---|
/// | `GET /inspector` | ``page`` | `text/html` |
/// | `GET /inspector/events` | each of ``events()`` as `data: ELEMENT` and an empty line | `text/event-stream` |
/// | `POST /inspector/ask` | ``answer(to:)`` with the body of the request | `application/json` |
///
/// A server that listens on a loopback address should refuse requests whose `Host` is not that address, whose `Origin`
/// is a different one, or whose `Sec-Fetch-Site` is neither `same-origin` nor `none`. Otherwise pages from elsewhere
/// that the browser shows could read the state. Other users of the machine can read it all the same.
///
/// May be used from any thread.
public struct Inspector: Sendable {
    private let graph: GraphHandle
    private let title: String
    private let travel: TimeTravel?
    private let viewers = Viewers()

    init(of graph: GraphHandle, title: String?, travel: TimeTravel?) {
        self.graph = graph
        self.title = title ?? graph.name
        self.travel = travel
    }

    /// The page. It is a single file, which loads nothing but the events and the answers.
    public var page: String {
        var data = "{\"live\":true,\"title\":"
        data.appendLiteral(of: title)
        return inspectorPage(title: title, data: data + ",\"travels\":\(travel != nil)}", isLive: true)
    }

    /// Returns the messages for one page, each a line of JSON: first all nodes that live reactions depend on, then what
    /// changes, at most five times a second.
    ///
    /// The graph is recorded until the stream is released or its task is cancelled. A page that reads slowly gets fewer
    /// and larger messages; of more than 20,000 events, the oldest are dropped. A message arrives at least every 15
    /// seconds, so that the server notices that the page is closed.
    ///
    /// - Complexity: The first message O(nodes + edges), then O(events) each. The graph is locked while a message is
    ///   collected.
    public func events() -> AsyncStream<String> {
        let viewer = Viewer(of: graph, travel: travel)
        viewers.add(viewer)
        return AsyncStream(unfolding: { await viewer.next() })
    }

    /// Answers a question of a page that reads the ``events()`` of this inspector or of a copy of it.
    ///
    /// - Parameter question: The body of the request.
    /// - Returns: A line of JSON: the answer, or an object with the member `error`.
    public func answer(to question: String) async -> String {
        guard let question = try? JSONValue(parsing: question) else { return error("The question is not JSON.") }
        if let id = question["value"]?.int {
            guard let viewer = question["viewer"]?.int.flatMap(viewers.viewer) else {
                return error("The page is no longer connected. Load it again.")
            }
            guard let (value, name) = viewer.graph.value(of: id) else { return error("It has no value, or no longer.") }
            return object("value", Diagnostics.describe(value, name))
        }
        if let position = question["travel"]?.int {
            guard let travel else { return error("There is no history to travel in.") }
            return await travel.go(to: position).map(error) ?? "{}"
        }
        return error("The question has neither a value nor a position.")
    }

    private func error(_ text: String) -> String { object("error", text) }

    private func object(_ key: String, _ text: String) -> String {
        var json = "{\"\(key)\":"
        json.appendLiteral(of: String(text.prefix(10_000)))
        return json + "}"
    }
}

extension JSONValue {
    fileprivate var int: Int? {
        if case .number(let number) = self { number.exactly(Int.self) } else { nil }
    }
}
