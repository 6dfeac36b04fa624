// A graph as it changes, for tools that show it: first all nodes, then what is new since the last look.
//
//     writers, under the lock    recorder ──chunk──▶ LiveEvents    keeps it; too many: keeps only which nodes it names
//     the tool, now and then     takes the lock ──▶ decodes the events, describes the nodes that they name
//
// A node has a number that is never used again. Every node with a number carries the flag `recorded`, so its end is
// recorded. An address therefore means the same node until the event of its end, and may be followed under the lock.

import CReactive

/// A graph as it changes. It records events from its creation until it is released.
///
/// Any thread may use it, one at a time, if it holds no other graph.
package final class LiveGraph: @unchecked Sendable {
    // Sendable because the graph's lock guards `events`.

    /// A node, as it is now.
    package struct Node {
        /// Its number, as in the events.
        package let id: Int
        package let kind: Diagnostics.GraphSnapshot.Node.Kind
        package let name: String
        package let site: String
        /// The numbers that a `GraphSnapshot` has; 0 for those that the node does not have.
        package let runCount: Int
        package let changedAt: Int
        package let ranAt: Int
        package let ranBeforeAt: Int
        /// The numbers of the nodes that it has read last.
        package let sources: [Int]
    }

    /// What is new since the last update.
    package struct Update {
        /// The nodes that are new or that events name. Their sources are known, or among them.
        package var nodes: [Node] = []
        /// The nodes that have ended.
        package var ended: [Int] = []
        /// The events, in the order in which they began.
        package var events: [Diagnostics.Event] = []
        /// The number of events that were left out because there were too many.
        package var droppedCount = 0
        /// The number of changes of values so far.
        package var changes = 0

        package var isEmpty: Bool { nodes.isEmpty && ended.isEmpty && events.isEmpty }
    }

    private let graph: GraphHandle
    private let events: LiveEvents

    /// Begins to record a graph.
    ///
    /// - Parameters:
    ///   - graph: The graph.
    ///   - limit: The number of events that an update may have.
    package init(of graph: GraphHandle, limit: Int) {
        self.graph = graph
        events = LiveEvents(of: graph.pointer, limit: limit)
        graph.lockWhenFree { [events] in
            RecordingsInProgress.begin()
            graph.pointer.add(events)
        }
    }

    deinit {
        graph.lockWhenFree { [graph, events] in
            graph.pointer.remove(events)
            RecordingsInProgress.end()
        }
    }

    /// Returns what is new; the first time, all nodes that live reactions depend on.
    ///
    /// - Complexity: O(new events, and the sources of the nodes that they name); the first time O(nodes + edges). The
    ///   graph is locked meanwhile.
    package func update() -> Update { graph.withUntrackedLock { events.next() } }

    /// Returns the present value and the name of a node; `nil` if the node has ended or has no value. A computed is not
    /// evaluated.
    package func value(of id: Int) -> (value: Any, name: String)? {
        graph.withUntrackedLock {
            guard let node = events.node(numbered: id), let object = node.living,
                let value = (object as? any PresentingValue)?.presentValue
            else { return nil }
            // Released after the lock: the node, if this is the last reference, and the value.
            DeferredReleases.add(object: object)
            return (value, EventDecoder.Label.ofLiving(node).name)
        }
    }
}

/// The events of one graph since the last update, and the numbers of its nodes. Guarded by the graph's lock.
private final class LiveEvents: EventListener {
    private let graph: GraphPointer
    private let limit: Int
    private let start = reactive_now()
    private var chunks: [EventChunk] = []
    /// The number of events in the chunks.
    private var count = 0
    private var numbers = EventNumbers()
    private let decoder = EventDecoder(graph: 0, notesNodes: true)
    private var isFirst = true
    private var update = LiveGraph.Update()
    /// The numbers of the nodes that an update had.
    private var described: Set<Int> = []

    init(of graph: GraphPointer, limit: Int) {
        self.graph = graph
        self.limit = max(limit, EventChunk.capacity)
    }

    override func take(_ chunk: EventChunk) {
        chunks.append(chunk)
        decoder.addEnds(of: chunk)
        count += chunk.eventCount
        while let oldest = chunks.first, count - oldest.eventCount >= limit {
            // They are dropped, but decoded all the same, for the numbers of the nodes.
            count -= oldest.eventCount
            update.droppedCount += decode(chunks.removeFirst()).count
        }
    }

    func next() -> LiveGraph.Update {
        graph.recorder?.handOver()
        for chunk in chunks { update.events += decode(chunk) }
        chunks = []
        count = 0
        update.events.sort { ($0.start, $0.id) < ($1.start, $1.id) }
        var (nodes, ended) = decoder.takeNotes()
        if isFirst {
            isFirst = false
            nodes.formUnion(graph.activeReactionsInOrder().map(\.asNode))
        }
        described.subtract(ended)
        update.ended = ended
        describe(nodes)
        update.changes = Int(graph.pointee.epoch)
        defer { update = LiveGraph.Update() }
        return update
    }

    func node(numbered id: Int) -> NodePointer? { decoder.address(of: id) }

    private func decode(_ chunk: EventChunk) -> [Diagnostics.Event] {
        // A node whose end is not known is alive: no later chunk exists yet.
        decoder.decode(chunk, start: start, numbers: &numbers) { .ofLiving($0) }
    }

    /// Adds nodes to the update, and those of their sources, and of these and so on, that are not described yet.
    private func describe(_ nodes: Set<NodePointer>) {
        var seen = nodes
        var pending = Array(nodes)
        while let node = pending.popLast() {
            let id = number(of: node)
            described.insert(id)
            // Only a living node can be asked for its view.
            let isReadable = node.pointee.flags.isDisjoint(with: .routed) || node.living != nil
            let sources = isReadable ? graph.sources(of: node) : []
            for source in sources where !seen.contains(source) && !described.contains(number(of: source)) {
                seen.insert(source)
                pending.append(source)
            }
            node.pointee.flags.insert(.recorded)
            let figures = graph.figures(of: node)
            let label = EventDecoder.Label.ofLiving(node)
            update.nodes.append(
                LiveGraph.Node(
                    id: id, kind: figures.kind, name: label.name, site: label.site, runCount: figures.runCount ?? 0,
                    changedAt: figures.changedAt ?? 0, ranAt: figures.ranAt ?? 0,
                    ranBeforeAt: figures.ranBeforeAt ?? 0, sources: sources.map { number(of: $0) }))
        }
    }

    private func number(of node: NodePointer) -> Int {
        decoder.node(at: node, Recorder.traits(of: node), &numbers) { .ofLiving($0) }.id
    }
}

extension Diagnostics {
    /// Whether the graph of a node is recorded. For tests.
    package static func isRecording(_ node: _Node) -> Bool {
        let graph = GraphHandle(of: node)
        return graph.withUntrackedLock { graph.pointer.isRecorded }
    }
}
