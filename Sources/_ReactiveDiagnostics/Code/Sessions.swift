// A session receives the chunks of all graphs while a recording is in progress.
//
//     graph's lock held        log ──chunk──▶ session      keeps it, or decodes it for the batches
//     afterwards               chunks ──▶ decoder of each graph ──▶ events

import CReactive
import Reactive

extension RecordingSession {
    private func withState<Result>(_ body: (State) -> Result) -> Result { state.withLock { body($0) } }

    // MARK: - Start and stop

    func start() {
        withState {
            $0.isRunning = true
            $0.start = reactive_now()
        }
        RecordingsInProgress.begin(self)
        beginInAllGraphs()
    }

    func stop() {
        guard
            withState({ state in
                defer { state.isRunning = false }
                return state.isRunning
            })
        else { return }
        RecordingsInProgress.end(self)
        endInAllGraphs()
    }

    private func beginInAllGraphs() {
        if !visitAllGraphs(.begin) { GraphPointer.current.deferAction { self.beginInAllGraphs() } }
    }

    private func endInAllGraphs() {
        if !visitAllGraphs(.end) { GraphPointer.current.deferAction { self.endInAllGraphs() } }
    }

    private func catchUpWithAllGraphs() {
        if !visitAllGraphs(.catchUp) { GraphPointer.current.deferAction { self.catchUpWithAllGraphs() } }
    }

    /// Visits all graphs, except those that are in use if this thread holds one; returns false then.
    private func visitAllGraphs(_ visit: GraphVisit) -> Bool {
        typealias Call = (session: RecordingSession, visit: GraphVisit)
        var call: Call = (self, visit)
        let hasAll = withUnsafeMutablePointer(to: &call) {
            reactive_with_all_graphs(
                { graph, argument in
                    let call = argument.unsafelyUnwrapped.assumingMemoryBound(to: Call.self).pointee
                    call.session.visit(graph, call.visit)
                }, $0)
        }
        // This session has made others take chunks, too.
        passOnBatchesLater()
        for session in RecordingsInProgress.sessions where session !== self { session.passOnBatchesLater() }
        return hasAll
    }

    private func visit(_ graph: GraphPointer, _ visit: GraphVisit) {
        switch visit {
        case .begin: begin(graph)
        case .catchUp: catchUp(with: graph)
        case .end:
            catchUp(with: graph)
            graph.removeListener(of: self)
        }
    }

    /// Begins to record a graph, unless the recording was stopped before it reached the graph.
    private func begin(_ graph: GraphPointer) {
        if withState({ $0.isRunning }) { graph.add(EventListener(owner: self, take: take)) }
    }

    /// Takes the events so far of a graph, and the names of the nodes that are alive.
    private func catchUp(with graph: GraphPointer) {
        guard let log = graph.eventLog else { return }
        log.handOver()
        guard receive == nil else { return }
        let chunks = withState { $0.logs[log.number]?.chunks ?? [] }
        let labels = RecordingSession.labels(ofNodesAliveAfter: chunks)
        withState { $0.logs[log.number]?.known = (chunks, labels) }
    }

    /// Makes a new graph take part, if the session is in progress.
    fileprivate func join(_ graph: GraphPointer) {
        if graph.isOutOfReach, let held = reactive_current().pointee.graph {
            // It is created in a transaction or a tracked closure of a different graph.
            let joining = Joining(graph, session: self)
            return held.deferAction { joining.session.join(joining.graph) }
        }
        graph.enter()
        begin(graph)
        graph.leave()
    }

    // MARK: - Chunks

    private func take(_ chunk: EventChunk) {
        if receive != nil { return pass(on: chunk) }
        withState { state in
            let log = state.logs[chunk.log] ?? Log()
            state.logs[chunk.log] = log
            log.chunks.append(chunk)
            if chunk.isLast { log.known = nil }
            state.order.append(chunk.log)
            state.count += chunk.eventCount
            while let oldest = state.logs[state.order[state.first]], let chunk = oldest.chunks.first,
                state.count - chunk.eventCount >= limit
            {
                oldest.chunks.removeFirst()
                if oldest.chunks.isEmpty { state.logs[state.order[state.first]] = nil }
                state.first += 1
                state.count -= chunk.eventCount
                state.dropped += chunk.eventCount
            }
            if state.first * 2 > state.order.count {
                state.order.removeFirst(state.first)
                state.first = 0
            }
        }
    }

    /// Decodes a chunk, and passes the events on once this thread holds no graph. If it holds all graphs,
    /// `visitAllGraphs` does so.
    private func pass(on chunk: EventChunk) {
        let labels = RecordingSession.labels(ofNodesAliveAfter: [chunk])
        withState { state in
            let log = state.logs[chunk.log] ?? Log()
            let decoder = log.decoder ?? EventDecoder(graph: state.numbers.graph(chunk.log))
            log.decoder = decoder
            state.logs[chunk.log] = chunk.isLast ? nil : log
            decoder.addEnds(of: chunk)
            state.batches.append(
                decoder.decode(chunk, start: state.start, numbers: state.numbers) { labels[$0] ?? EventDecoder.unknown }
            )
        }
        if !reactive_is_held_with_all(chunk.graph) { passOnBatchesLater() }
    }

    /// Passes batches on once this thread holds no graph.
    private func passOnBatchesLater() { GraphPointer.current.deferAction { self.passOnBatches() } }

    /// Passes batches on until there are none, unless a thread does so already.
    private func passOnBatches() {
        guard let receive,
            withState({ state in
                defer { state.isPassingOn = true }
                return !state.isPassingOn
            })
        else { return }
        while let batch = nextBatch() { receive(batch) }
    }

    /// Returns the next batch; without one, the thread no longer passes on.
    private func nextBatch() -> [Diagnostics.Event]? {
        withState { state in
            state.isPassingOn = !state.batches.isEmpty
            return state.isPassingOn ? state.batches.removeFirst() : nil
        }
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
        return Dictionary(uniqueKeysWithValues: alive.map { ($0, EventDecoder.label(ofLiving: $0)) })
    }

    // MARK: - Events

    var droppedCount: Int { withState { $0.dropped } }

    func events() -> [Diagnostics.Event] {
        guard receive == nil else { return [] }
        if withState({ $0.isRunning }) { catchUpWithAllGraphs() }
        let (order, start) = withState { ($0.order[$0.first...], $0.start) }
        let numbers = EventNumbers()
        var events: [Diagnostics.Event] = []
        var decoded: Set<Int> = []
        // In the order in which the graphs were first recorded.
        for number in order where decoded.insert(number).inserted {
            let (chunks, labels) = withState { state in
                let log = state.logs[number]
                return log?.known ?? (log?.chunks ?? [], [:])
            }
            let decoder = EventDecoder(graph: numbers.graph(number))
            for chunk in chunks { decoder.addEnds(of: chunk) }
            for chunk in chunks {
                events += decoder.decode(chunk, start: start, numbers: numbers) { labels[$0] ?? EventDecoder.unknown }
            }
        }
        return events.sorted { ($0.start, $0.id) < ($1.start, $1.id) }
    }
}

extension RecordingsInProgress {
    /// The recordings of all graphs.
    static var sessions: [RecordingSession] { state.withLock { $0.sessions } }

    /// Returns a number for a log that is new.
    static func nextLog() -> Int {
        state.withLock {
            $0.lastLog += 1
            return $0.lastLog
        }
    }

    private static func join(_ graph: GraphPointer) { for session in sessions { session.join(graph) } }

    /// Begins a recording: of all graphs, or of one that the caller takes care of.
    static func begin(_ session: RecordingSession? = nil) {
        state.withLock {
            $0.count += 1
            if let session { $0.sessions.append(session) }
            reactive_set_recordings { RecordingsInProgress.join($0) }
        }
    }

    static func end(_ session: RecordingSession? = nil) {
        state.withLock {
            $0.count -= 1
            $0.sessions.removeAll { $0 === session }
            if $0.count == 0 { reactive_set_recordings(nil) }
        }
    }
}
