// A graph as it changes, for tools that show it: first all nodes, then what is new since the last look.
//
//     writers, under the lock    event log ──chunk──▶ LiveEvents    keeps it, or only which nodes it names
//     the tool, now and then     takes the lock ──▶ decodes the events, describes the nodes that they name

import CReactive
import Reactive

/// A graph as it changes. It records events from its creation until it is released.
///
/// Any thread may use it, one at a time, if it holds no other graph.
final class LiveGraph: @unchecked Sendable {
    // Sendable because the graph's lock guards `events`.
    private let graph: GraphHandle
    private let events: RecordingCode.LiveEvents
    private let code: RecordingCode.Functions

    /// Begins to record a graph.
    ///
    /// - Parameters:
    ///   - graph: The graph.
    ///   - limit: The number of events that an update may have.
    init(of graph: GraphHandle, limit: Int) {
        self.graph = graph
        let code = RecordingCode.functions(at: reactive_recording_functions())
        self.code = code
        let events = code.newLiveEvents(graph.pointer, limit)
        self.events = events
        graph.lockWhenFree { code.startLive(events) }
    }

    deinit {
        graph.lockWhenFree { [code, events] in code.stopLive(events) }
    }

    /// Returns what is new; the first time, all nodes that live reactions depend on.
    ///
    /// - Complexity: O(new events, and the sources of the nodes that they name); the first time O(nodes + edges). The
    ///   graph is locked meanwhile.
    func update() -> LiveUpdate { graph.withUntrackedLock { code.update(events) } }

    /// Returns the present value and the name of a node; `nil` if the node has ended or has no value. A computed is not
    /// evaluated.
    func value(of id: Int) -> (value: Any, name: String)? {
        graph.withUntrackedLock {
            guard let (node, name) = code.label(events, id) else { return nil }
            // Released after the lock: the node, if this is the last reference, and the value.
            DeferredReleases.add(object: node)
            guard let value = (node as? any PresentingValue)?.presentValue else { return nil }
            return (value, name)
        }
    }
}
