// A session receives the chunks of all graphs while a recording is in progress, and turns raw events into events.
//
//     graph's lock held        recorder ──chunk──▶ session      keeps it, or decodes it for the batches
//     afterwards               chunks ──▶ decoder of each graph ──▶ events

import CReactive

final class RecordingSession: EventListener, @unchecked Sendable {
    // Sendable because `state` is guarded.

    private struct State {
        var isRunning = false
        /// The start, in nanoseconds of the clock that all threads share.
        var start: UInt64 = 0
        /// The chunks, the oldest first. Those before `first` were dropped.
        var chunks: [EventChunk?] = []
        var first = 0
        /// The number of events in the chunks.
        var count = 0
        var dropped = 0
        /// The chunks of each graph, and the labels of the nodes that are alive after them, when these were last
        /// asked for.
        var resolved: [UInt: (chunks: [EventChunk], labels: [NodePointer: EventDecoder.Label])] = [:]
        /// The decoders of the graphs, if events are passed on in batches.
        var decoders: [UInt: EventDecoder] = [:]
        /// The batches that are not passed on yet.
        var batches: [[Diagnostics.Event]] = []
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

    func start() {
        withState {
            $0.isRunning = true
            $0.start = reactive_now()
        }
        RecordingsInProgress.begin(self)
        // It may have been stopped before it reaches a graph that is in use now.
        inAllGraphs { graph, session in if session.withState({ $0.isRunning }) { graph.add(session) } }
    }

    func stop() {
        guard
            withState({ state in
                defer { state.isRunning = false }
                return state.isRunning
            })
        else { return }
        RecordingsInProgress.end(self)
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
        // This session has made others take chunks, too.
        let sessions = RecordingsInProgress.sessions + [self]
        GraphPointer.current.deferAction { for session in sessions { session.passOnBatches() } }
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

    /// Makes a new graph take part, if the session is in progress.
    func join(_ graph: GraphPointer) {
        if graph.isOutOfReach, let held = reactive_current().pointee.graph {
            // It is created in a transaction or a tracked closure of a different graph.
            let independent = graph.independent?.takeUnretainedValue()
            return held.deferAction { withExtendedLifetime(independent) { self.join(graph) } }
        }
        graph.enter()
        if withState({ $0.isRunning }) { graph.add(self) }
        graph.leave()
    }

    // MARK: - Chunks

    override func take(_ chunk: EventChunk) {
        if receive != nil { return pass(on: chunk) }
        withState { state in
            state.chunks.append(chunk)
            state.count += chunk.eventCount
            while let oldest = state.chunks[state.first], state.count - oldest.eventCount >= limit {
                state.chunks[state.first] = nil
                state.first += 1
                state.count -= oldest.eventCount
                state.dropped += oldest.eventCount
            }
            if state.first * 2 > state.chunks.count {
                state.chunks.removeFirst(state.first)
                state.first = 0
            }
        }
    }

    /// Decodes a chunk, and passes the events on once this thread holds no graph. If it holds all graphs, `inAllGraphs`
    /// does so.
    private func pass(on chunk: EventChunk) {
        guard let graph = GraphPointer(bitPattern: chunk.graph) else { return }
        let labels = RecordingSession.labels(ofNodesAliveAfter: [chunk])
        withState { state in
            let decoder = state.decoders[chunk.graph] ?? EventDecoder(graph: state.numbers.graph(chunk.graph))
            state.decoders[chunk.graph] = decoder
            decoder.addEnds(of: chunk)
            state.batches.append(
                decoder.decode(chunk, start: state.start, numbers: &state.numbers) { labels[$0] ?? .unknown })
        }
        if !reactive_is_held_with_all(graph) { GraphPointer.current.deferAction { self.passOnBatches() } }
    }

    private func passOnBatches() {
        let batches = withState { state in
            defer { state.batches = [] }
            return state.batches
        }
        if let receive { for batch in batches { receive(batch) } }
    }

    override func resolveNames(in graph: GraphPointer) {
        guard receive == nil else { return }
        let address = UInt(bitPattern: graph)
        let chunks = withState { state in state.chunks.compactMap { $0?.graph == address ? $0 : nil } }
        let labels = RecordingSession.labels(ofNodesAliveAfter: chunks)
        withState { $0.resolved[address] = (chunks, labels) }
    }

    /// Returns the labels of the nodes that chunks of one graph name and that have not ended. Under the graph's lock.
    private static func labels(ofNodesAliveAfter chunks: [EventChunk]) -> [NodePointer: EventDecoder.Label] {
        var alive: Set<NodePointer> = []
        for chunk in chunks {
            for event in chunk.events {
                // The sources of causes may have been freed meanwhile, without an event.
                guard event.kind != .cause, let node = event.node else { continue }
                if event.kind == .end { alive.remove(node) } else { alive.insert(node) }
            }
        }
        return Dictionary(uniqueKeysWithValues: alive.map { ($0, EventDecoder.Label.ofLiving($0)) })
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
        let (chunks, resolved, start) = withState { ($0.chunks.compactMap { $0 }, $0.resolved, $0.start) }
        var byGraph = Dictionary(grouping: chunks, by: \.graph).mapValues { ($0, [NodePointer: EventDecoder.Label]()) }
        for (graph, known) in resolved { byGraph[graph] = known }
        var numbers = EventNumbers()
        var events: [Diagnostics.Event] = []
        // In the order in which the graphs were first recorded.
        for graph in chunks.map(\.graph) {
            guard let (chunks, labels) = byGraph.removeValue(forKey: graph) else { continue }
            let decoder = EventDecoder(graph: numbers.graph(graph))
            for chunk in chunks { decoder.addEnds(of: chunk) }
            for chunk in chunks {
                events += decoder.decode(chunk, start: start, numbers: &numbers) { labels[$0] ?? .unknown }
            }
        }
        return events.sorted { ($0.start, $0.id) < ($1.start, $1.id) }
    }
}

/// The recordings in progress: while there are any, new nodes are recorded, and new graphs take part.
enum RecordingsInProgress {
    private final class Box {
        /// The recordings of all graphs.
        var sessions: [RecordingSession] = []
        /// The number of all recordings.
        var count = 0
    }

    private static let box = Guarded(Box())

    /// The recordings of all graphs.
    static var sessions: [RecordingSession] { box.withLock { $0.sessions } }

    private static func join(_ graph: GraphPointer) { for session in sessions { session.join(graph) } }

    /// Begins a recording: of all graphs, or of one that the caller takes care of.
    static func begin(_ session: RecordingSession? = nil) {
        box.withLock {
            $0.count += 1
            if let session { $0.sessions.append(session) }
            reactive_set_recordings { RecordingsInProgress.join($0) }
        }
    }

    static func end(_ session: RecordingSession? = nil) {
        box.withLock {
            $0.count -= 1
            $0.sessions.removeAll { $0 === session }
            if $0.count == 0 { reactive_set_recordings(nil) }
        }
    }
}
