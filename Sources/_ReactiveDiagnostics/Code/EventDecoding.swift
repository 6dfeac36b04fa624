// The decoder reads what was recorded in one graph, chunk by chunk, and returns events. It maps addresses to nodes, and
// changes to the events that made them: a change is known by its node and its epoch.

import CReactive
import Reactive

extension EventNumbers {
    func graph(_ log: Int) -> Int { EventNumbers.number(of: log, in: &graphs) }
    func thread(_ address: UInt64) -> Int { EventNumbers.number(of: address, in: &threads) }

    func node() -> Int {
        lastNode += 1
        return lastNode
    }

    func event() -> Int {
        lastEvent += 1
        return lastEvent
    }

    private static func number<Key>(of key: Key, in numbers: inout [Key: Int]) -> Int {
        if let number = numbers[key] { return number }
        let number = numbers.count
        numbers[key] = number
        return number
    }
}

extension EventDecoder {
    /// Returns the address of a node by its number, if nodes are noted and it has not ended.
    func address(of id: Int) -> NodePointer? { addresses[id] }

    /// Returns the living nodes that events have named since the last call, and the numbers of those that have ended.
    func takeNotes() -> (named: Set<NodePointer>, ended: [Int]) {
        defer { (named, ended) = ([], []) }
        return (named, ended)
    }

    /// Takes the names from the events of ends. Called for each chunk, in order, before the first that may name the
    /// nodes is decoded.
    func addEnds(of chunk: EventChunk) {
        for event in chunk.events where event.kind == .end {
            ends[event.node.unsafelyUnwrapped, default: []].insert(EventDecoder.label(event, in: chunk), at: 0)
        }
    }

    private static func label(_ end: RawEvent, in chunk: EventChunk) -> Label {
        if end.traits.contains(.hasText) {
            let text = chunk.texts[Int(end.detail)]
            return (text, text)
        }
        return NodeName.label(origin: end.detail, isObject: end.traits.contains(.ownsName))
    }

    /// Returns the events of the next chunk.
    ///
    /// - Parameters:
    ///   - chunk: The chunk.
    ///   - start: The start of the recording.
    ///   - numbers: The numbers of the recording.
    ///   - label: Returns the label of a node that does not end in the chunks known so far.
    func decode(
        _ chunk: EventChunk, start: UInt64, numbers: EventNumbers, label: (NodePointer) -> Label
    ) -> [Diagnostics.Event] {
        var events: [Diagnostics.Event] = []
        events.reserveCapacity(chunk.count)
        for event in chunk.events {
            if event.kind == .cause {
                let change = (node: event.node.unsafelyUnwrapped, epoch: event.detail)
                causes[event.thread, default: []].append(change)
                continue
            }
            if event.kind == .creation, let address = event.node { forget(address) }
            let id = numbers.event()
            let node = event.node.map { self.node(at: $0, event.traits, numbers, label: label) }
            let changes = causes.removeValue(forKey: event.number) ?? []
            let changed = event.traits.contains(.changed)
            // An effect or a transaction may have begun before the recording, during a different one.
            let began = max(0, Int(event.start) - Int(start))
            var decoded = Diagnostics.Event(
                id: id, kind: .init(event.kind), graph: graph, thread: numbers.thread(event.thread), start: began,
                duration: event.kind == .write ? 0 : Int(event.end) - Int(start) - began)
            decoded.node = node
            if event.kind == .evaluation { decoded.hasChanged = changed }
            decoded.causes = Set(changes.compactMap { self.event(of: $0) }).sorted()
            if event.kind == .run { decoded.flush = Int(exactly: event.detail) }
            decoded.wasUnread = event.traits.contains(.unread)
            decoded.text = EventDecoder.text(of: event, in: chunk)
            events.append(decoded)
            guard let address = event.node else { continue }
            if notesNodes { named.insert(address) }
            if event.kind == .write || changed { note(event.detail, of: address, event: id) }
            if event.kind == .end {
                forget(address)
                ends[address]?.removeLast()
            }
        }
        return events
    }

    private static func site(packed origin: UInt64) -> String? { origin == 0 ? nil : NodeName.site(packed: origin) }

    private static func text(of event: RawEvent, in chunk: EventChunk) -> String? {
        switch event.kind {
        case .issue: chunk.texts[Int(event.detail)]
        case .transaction, .rollBack: site(packed: event.detail)
        case .write: site(packed: event.end)
        default: nil
        }
    }

    /// Returns the node at an address.
    func node(
        at address: NodePointer, _ traits: RawEvent.Traits, _ numbers: EventNumbers,
        label: (NodePointer) -> Label
    ) -> Diagnostics.Event.Node {
        if let node = nodes[address] { return node }
        let label = ends[address]?.last ?? label(address)
        let node = Diagnostics.Event.Node(
            id: numbers.node(),
            kind: traits.contains(.reaction) ? .reaction : traits.contains(.derivation) ? .computed : .observable,
            name: label.name, site: label.site)
        nodes[address] = node
        if notesNodes { addresses[node.id] = address }
        return node
    }

    /// Remembers the last changes of a node: a run may name one that is no longer the latest.
    private func note(_ epoch: UInt64, of node: NodePointer, event: Int) {
        var latest = changes[node] ?? []
        if latest.count == 4 { latest.removeFirst() }
        latest.append((epoch, event))
        changes[node] = latest
    }

    private func event(of change: Change) -> Int? {
        // A change may have gone on after its event, for instance at several nodes of one collection.
        changes[change.node]?.last { $0.epoch <= change.epoch }?.event
    }

    private func forget(_ node: NodePointer) {
        if notesNodes, let ended = nodes[node] {
            self.ended.append(ended.id)
            addresses[ended.id] = nil
            named.remove(node)
        }
        nodes[node] = nil
        changes[node] = nil
    }
}

extension EventDecoder {
    static var unknown: Label { ("unknown", "unknown") }

    /// Returns the label of a node that has not ended. Under the lock of its graph, which is recorded.
    static func label(ofLiving node: NodePointer) -> Label {
        node.pointee.graph.eventLog?.label(of: node) ?? unknown
    }
}

extension Diagnostics.Event.Kind {
    fileprivate init(_ kind: RawEvent.Kind) {
        self =
            switch kind {
            case .creation: .creation
            case .end: .end
            case .write: .write
            case .evaluation, .cause: .evaluation
            case .run: .run
            case .effect: .effect
            case .transaction: .transaction
            case .rollBack: .rollBack
            case .hop: .hop
            case .delay: .delay
            case .issue: .issue
            }
    }
}
