// A session receives the chunks of all graphs while a recording is in progress, and turns raw events into events.
//
//     graph's lock held        recorder ──chunk──▶ session      keeps it, or decodes it for the batches
//     afterwards               chunks ──▶ decoder of each graph ──▶ events
//
// A decoder reads the chunks of one graph in order. It maps addresses to nodes, and changes to the events that made
// them: a change is known by its node and its epoch.

import CReactive

final class RecordingSession: EventListener, @unchecked Sendable {
    // Sendable because `state` is guarded.

    /// The name and the source location of a node.
    struct Label {
        let name: String
        let site: String
    }

    private struct State {
        var isRunning = false
        /// The start, in nanoseconds of the clock that all threads share.
        var start: UInt64 = 0
        var chunks: [EventChunk] = []
        var first = 0
        var dropped = 0
        /// The labels of nodes that were alive when they were last asked for, by graph.
        var labels: [UInt: [NodePointer: Label]] = [:]
        /// The decoders of the graphs, if events are passed on in batches.
        var decoders: [UInt: EventDecoder] = [:]
        var numbers = EventNumbers()
    }

    private let limit: Int
    private let receive: (@Sendable ([Diagnostics.Event]) -> Void)?
    /// An object, so that `Guarded` does not copy the collections when they change.
    private final class Box { var state = State() }
    private let box = Guarded(Box())

    init(limit: Int, receive: (@Sendable ([Diagnostics.Event]) -> Void)?) {
        self.limit = max(limit, 1)
        self.receive = receive
    }

    private func withState<Result>(_ body: (inout State) -> Result) -> Result {
        box.withLock { body(&$0.state) }
    }

    // MARK: - Start and stop

    /// The sessions in progress, so that a new graph can join them.
    private final class Sessions { var all: [RecordingSession] = [] }
    private static let sessions = Guarded(Sessions())

    func start() {
        withState {
            $0.isRunning = true
            $0.start = reactive_now()
        }
        RecordingSession.sessions.withLock {
            $0.all.append(self)
            reactive_set_recordings { RecordingSession.join($0) }
        }
        inAllGraphs { graph, session in graph.add(session) }
    }

    func stop() {
        guard
            withState({ state in
                defer { state.isRunning = false }
                return state.isRunning
            })
        else { return }
        RecordingSession.sessions.withLock {
            $0.all.removeAll { $0 === self }
            if $0.all.isEmpty { reactive_set_recordings(nil) }
        }
        inAllGraphs { graph, session in
            graph.recorder?.handOver()
            session.resolveNames(in: graph)
            graph.remove(session)
        }
    }

    /// Calls `body` with all graphs; with those that are in use only once this thread has released its own.
    private func inAllGraphs(_ body: @escaping (GraphPointer, RecordingSession) -> Void) {
        let call = Call(session: self, body: body)
        let hasAll = reactive_with_all_graphs(
            { graph, argument in
                let call = Unmanaged<Call>.fromOpaque(argument.unsafelyUnwrapped).takeUnretainedValue()
                call.body(graph, call.session)
            }, Unmanaged.passUnretained(call).toOpaque())
        withExtendedLifetime(call) {}
        if !hasAll { GraphPointer.current.deferAction { self.inAllGraphs(body) } }
    }

    private final class Call {
        let session: RecordingSession
        let body: (GraphPointer, RecordingSession) -> Void

        init(session: RecordingSession, body: @escaping (GraphPointer, RecordingSession) -> Void) {
            self.session = session
            self.body = body
        }
    }

    /// Makes a new graph join the sessions in progress.
    private static func join(_ graph: GraphPointer) {
        for session in sessions.withLock({ $0.all }) {
            graph.enter()
            if session.withState({ $0.isRunning }) { graph.add(session) }
            graph.leave()
        }
    }

    // MARK: - Chunks

    override func take(_ chunk: EventChunk) {
        if receive != nil { return pass(on: chunk) }
        let dropped: EventChunk? = withState { state in
            state.chunks.append(chunk)
            guard state.chunks.count - state.first > max(limit / EventChunk.capacity, 1) else { return nil }
            let oldest = state.chunks[state.first]
            state.dropped += oldest.count
            state.first += 1
            if state.first * 2 > state.chunks.count {
                state.chunks.removeFirst(state.first)
                state.first = 0
            }
            return oldest
        }
        withExtendedLifetime(dropped) {}
    }

    private func pass(on chunk: EventChunk) {
        guard let receive, let graph = GraphPointer(bitPattern: chunk.graph) else { return }
        let batch = withState { state in
            let decoder = state.decoders[chunk.graph] ?? EventDecoder(graph: state.numbers.graph(chunk.graph))
            state.decoders[chunk.graph] = decoder
            decoder.addEnds(of: chunk)
            let labels = RecordingSession.labels(ofNodesAliveAfter: [chunk])
            return decoder.decode(chunk, labels: labels, start: state.start, numbers: &state.numbers)
        }
        if reactive_is_inside(graph) { graph.deferAction { receive(batch) } } else { receive(batch) }
    }

    override func resolveNames(in graph: GraphPointer) {
        guard receive == nil else { return }
        withState { state in
            let chunks = state.chunks[state.first...].filter { $0.graph == UInt(bitPattern: graph) }
            state.labels[UInt(bitPattern: graph)] = RecordingSession.labels(ofNodesAliveAfter: chunks)
        }
    }

    /// Returns the labels of the nodes that chunks of one graph name and that have not ended. Under the graph's lock.
    private static func labels(ofNodesAliveAfter chunks: [EventChunk]) -> [NodePointer: Label] {
        var alive: Set<NodePointer> = []
        for chunk in chunks {
            for event in chunk.events {
                guard let node = event.node else { continue }
                if event.kind == .end { alive.remove(node) } else { alive.insert(node) }
            }
        }
        return Dictionary(
            uniqueKeysWithValues: alive.map { node in
                (node, Label(name: NodeName.text(of: node.pointee), site: NodeName.site(of: node.pointee)))
            })
    }

    // MARK: - Events

    var droppedCount: Int { withState { $0.dropped } }

    func events() -> [Diagnostics.Event] {
        guard receive == nil else { return [] }
        if withState({ $0.isRunning }) {
            inAllGraphs { graph, session in
                graph.recorder?.handOver()
                session.resolveNames(in: graph)
            }
        }
        let (chunks, labels, start) = withState { (Array($0.chunks[$0.first...]), $0.labels, $0.start) }
        var numbers = EventNumbers()
        var decoders: [UInt: EventDecoder] = [:]
        for chunk in chunks {
            let decoder = decoders[chunk.graph] ?? EventDecoder(graph: numbers.graph(chunk.graph))
            decoders[chunk.graph] = decoder
            decoder.addEnds(of: chunk)
        }
        let events = chunks.flatMap { chunk in
            decoders[chunk.graph]!.decode(chunk, labels: labels[chunk.graph] ?? [:], start: start, numbers: &numbers)
        }
        return events.sorted { ($0.start, $0.id) < ($1.start, $1.id) }
    }
}

/// The numbers by which the events of a recording name graphs, threads and nodes.
struct EventNumbers {
    private var graphs: [UInt: Int] = [:]
    private var threads: [UInt64: Int] = [:]
    private var lastNode = -1
    private var lastEvent = -1

    mutating func graph(_ address: UInt) -> Int { EventNumbers.number(of: address, in: &graphs) }
    mutating func thread(_ address: UInt64) -> Int { EventNumbers.number(of: address, in: &threads) }

    mutating func node() -> Int {
        lastNode += 1
        return lastNode
    }

    mutating func event() -> Int {
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

/// Turns the raw events of one graph, in order, into events.
final class EventDecoder {
    private struct Change {
        let node: NodePointer
        let epoch: UInt64
    }

    private let graph: Int
    /// The nodes that have not ended, as far as events have named them.
    private var nodes: [NodePointer: Diagnostics.Event.Node] = [:]
    /// The events that made the latest changes of a node.
    private var changes: [NodePointer: [(epoch: UInt64, event: Int)]] = [:]
    private var causes: [UInt64: [Change]] = [:]
    /// The labels of nodes that end in the chunks known so far, by address; the last end first.
    private var ends: [NodePointer: [RecordingSession.Label]] = [:]

    init(graph: Int) { self.graph = graph }

    /// Takes the names from the events of ends. Called for each chunk, in order, before the first that may name the
    /// nodes is decoded.
    func addEnds(of chunk: EventChunk) {
        for event in chunk.events where event.kind == .end {
            ends[event.node.unsafelyUnwrapped, default: []].insert(EventDecoder.label(event, in: chunk), at: 0)
        }
    }

    private static func label(_ end: RawEvent, in chunk: EventChunk) -> RecordingSession.Label {
        if end.traits.contains(.hasText) {
            let text = chunk.texts[Int(end.detail)]
            return .init(name: text, site: text)
        }
        let (name, site) = NodeName.label(origin: end.detail, isObject: end.traits.contains(.ownsName))
        return .init(name: name, site: site)
    }

    /// Returns the events of the next chunk.
    ///
    /// - Parameters:
    ///   - chunk: The chunk.
    ///   - labels: The labels of the nodes that do not end in the chunks known so far.
    ///   - start: The start of the recording.
    ///   - numbers: The numbers of the recording.
    func decode(
        _ chunk: EventChunk, labels: [NodePointer: RecordingSession.Label], start: UInt64,
        numbers: inout EventNumbers
    ) -> [Diagnostics.Event] {
        var events: [Diagnostics.Event] = []
        events.reserveCapacity(chunk.count)
        for event in chunk.events {
            if event.kind == .cause {
                let change = Change(node: event.node.unsafelyUnwrapped, epoch: event.detail)
                causes[event.thread, default: []].append(change)
                continue
            }
            if event.kind == .creation, let address = event.node { forget(address) }
            let id = numbers.event()
            let named = event.node.map { self.node(at: $0, event.traits, labels, &numbers) }
            let changes = causes.removeValue(forKey: event.number) ?? []
            let changed = event.traits.contains(.changed)
            events.append(
                Diagnostics.Event(
                    id: id, kind: .init(event.kind), node: named, graph: graph, thread: numbers.thread(event.thread),
                    start: Int(event.start) - Int(start), duration: Int(event.end - event.start),
                    hasChanged: event.kind == .evaluation ? changed : nil,
                    causes: changes.compactMap { self.event(of: $0) }.sorted(),
                    flush: event.kind == .run ? Int(event.detail) : nil,
                    wasUnread: event.traits.contains(.unread),
                    text: EventDecoder.text(of: event, in: chunk)))
            guard let address = event.node else { continue }
            if event.kind == .write || changed { note(event.detail, of: address, event: id) }
            if event.kind == .end {
                forget(address)
                ends[address]?.removeLast()
            }
        }
        return events
    }

    private static func text(of event: RawEvent, in chunk: EventChunk) -> String? {
        switch event.kind {
        case .issue: chunk.texts[Int(event.detail)]
        case .transaction, .rollBack: event.detail == 0 ? nil : NodeName.site(packed: event.detail)
        default: nil
        }
    }

    private func node(
        at address: NodePointer, _ traits: RawEvent.Traits, _ labels: [NodePointer: RecordingSession.Label],
        _ numbers: inout EventNumbers
    ) -> Diagnostics.Event.Node {
        if let node = nodes[address] { return node }
        let label = ends[address]?.last ?? labels[address] ?? .init(name: "unknown", site: "unknown")
        let node = Diagnostics.Event.Node(
            id: numbers.node(),
            kind: traits.contains(.reaction) ? .reaction : traits.contains(.derivation) ? .computed : .observable,
            name: label.name, site: label.site)
        nodes[address] = node
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
        changes[change.node]?.last { $0.epoch == change.epoch }?.event
    }

    private func forget(_ node: NodePointer) {
        nodes[node] = nil
        changes[node] = nil
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
