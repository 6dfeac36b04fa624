// Live events: what is new in one graph since the last look.

import CReactive
import Reactive

extension LiveEvents {
    /// Begins to record. Under the lock, as everything here.
    func begin() {
        RecordingsInProgress.begin()
        graph.add(EventListener(owner: self, take: take))
    }

    func end() {
        graph.removeListener(of: self)
        RecordingsInProgress.end()
    }

    private func take(_ chunk: EventChunk) {
        chunks.append(chunk)
        decoder.addEnds(of: chunk)
        count += chunk.eventCount
        while let oldest = chunks.first, count - oldest.eventCount >= limit {
            // They are dropped, but decoded all the same, for the numbers of the nodes.
            count -= oldest.eventCount
            update.droppedCount += decode(chunks.removeFirst()).count
        }
    }

    func next() -> LiveUpdate {
        graph.eventLog?.handOver()
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
        defer { update = LiveUpdate() }
        return update
    }

    /// Returns a node and its name by its number; `nil` if it has ended. Under the lock.
    func label(of id: Int) -> (node: _Node, name: String)? {
        guard let node = decoder.address(of: id), let object = node.living else { return nil }
        return (object, EventDecoder.label(ofLiving: node).name)
    }

    private func decode(_ chunk: EventChunk) -> [Diagnostics.Event] {
        // A node whose end is not known is alive: no later chunk exists yet.
        decoder.decode(chunk, start: start, numbers: numbers) { EventDecoder.label(ofLiving: $0) }
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
            let label = EventDecoder.label(ofLiving: node)
            update.nodes.append(
                (
                    id: id, kind: figures.kind, name: label.name, site: label.site, runCount: figures.runCount ?? 0,
                    changedAt: figures.changedAt ?? 0, ranAt: figures.ranAt ?? 0,
                    ranBeforeAt: figures.ranBeforeAt ?? 0, sources: sources.map { number(of: $0) }
                ))
        }
    }

    private func number(of node: NodePointer) -> Int {
        decoder.node(at: node, node.traits, numbers) { EventDecoder.label(ofLiving: $0) }.id
    }
}
