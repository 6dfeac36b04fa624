// The event log records: it turns what the engine reports of one graph into raw events.

import CReactive
import Reactive

extension RawEvent.Traits {
    static var none: Self { Self(bits: 0) }
    /// The value of a derivation has changed.
    static var changed: Self { Self(bits: 1) }
    static var derivation: Self { Self(bits: 2) }
    static var reaction: Self { Self(bits: 4) }
    /// `detail` of an end is a retained `NodeName`, without observation.
    static var ownsName: Self { Self(bits: RawEvent.ownsName) }
    /// `detail` of an end is an index into the texts of the chunk.
    static var hasText: Self { Self(bits: 16) }
    /// No evaluation has ever read the node.
    static var unread: Self { Self(bits: 32) }

    func contains(_ other: Self) -> Bool { bits & other.bits != 0 }
    mutating func insert(_ other: Self) { bits |= other.bits }
}

extension EventChunk {
    var isFull: Bool { count == EventChunk.capacity }
    var events: UnsafeBufferPointer<RawEvent> { UnsafeBufferPointer(start: memory, count: count) }

    @inline(__always)
    func append(_ event: RawEvent) {
        (memory + count).initialize(to: event)
        count &+= 1
        if event.kind != .cause { eventCount &+= 1 }
    }

    /// Adds a text; returns its index.
    func add(_ text: String) -> UInt64 {
        texts.append(text)
        return UInt64(texts.count - 1)
    }
}

extension EventLog {
    // MARK: - Listeners

    func add(_ listener: EventListener) {
        handOver()
        listeners.append(listener)
    }

    func removeListener(of owner: AnyObject) {
        handOver()
        listeners.removeAll { $0.owner === owner }
    }

    /// Gives the events so far to the listeners.
    func handOver() {
        guard let chunk, chunk.count > 0 || chunk.isLast else { return }
        self.chunk = nil
        for listener in listeners { listener.take(chunk) }
    }

    /// Returns the chunk that has room for an event.
    @inline(__always)
    private func chunkWithRoom() -> EventChunk {
        if let chunk, !chunk.isFull { return chunk }
        return newChunk()
    }

    @inline(never)
    private func newChunk() -> EventChunk {
        handOver()
        let new = EventChunk(of: self)
        chunk = new
        return new
    }

    // MARK: - Occurrences

    func note(_ occurrence: Occurrence) {
        switch occurrence {
        case .creation(let node): record(.creation, at: node)
        case .end(let node): recordEnd(of: node)
        case .write(let node): recordWrite(of: node)
        case .begin(let observer): begin(observer)
        case .evaluation(let observer, let hasChanged): end(observer, .evaluation, hasChanged: hasChanged)
        case .run(let observer): end(observer, .run, hasChanged: false)
        case .flight(let reaction): flights[reaction] = reactive_now()
        case .endOfFlight(let reaction): endFlight(of: reaction)
        case .transaction(let origin): transactions.append((origin: origin, start: reactive_now()))
        case .commit: endTransaction(.transaction)
        case .rollBack: endTransaction(.rollBack)
        case .hop(let reaction): record(.hop, at: reaction.asNode)
        case .delay(let reaction): record(.delay, at: reaction.asNode)
        case .issue(let message, let site): recordIssue(message.pointee, at: site.pointee)
        case .endOfGraph:
            chunkWithRoom().isLast = true
            handOver()
        }
    }

    private func nextNumber() -> UInt64 {
        lastNumber &+= 1
        return lastNumber
    }

    private var thread: UInt64 { UInt64(UInt(bitPattern: reactive_current())) }

    /// Notes that an event names a node, whose code is running on this thread.
    private func name(_ node: NodePointer) {
        node.pointee.flags.insert(.recorded)
        if node.pointee.flags.contains(.namedBySource), names[node] == nil {
            names[node] = NodeName.text(of: node.pointee)
        }
    }

    /// Returns the name and the source location of a node that has not ended, although its deinitialisers may have
    /// begun.
    func label(of node: NodePointer) -> (name: String, site: String)? {
        guard node.pointee.flags.contains(.namedBySource) else {
            return (NodeName.text(of: node.pointee), NodeName.site(of: node.pointee))
        }
        if let name = names[node] { return (name, name) }
        // The name is computed, by code of the program: not while this thread holds all graphs.
        guard !reactive_is_held_with_all(graph), let object = node.living else { return nil }
        DeferredReleases.add(object: object)
        let name = NodeName.text(of: node.pointee)
        names[node] = name
        return (name, name)
    }

    private func record(_ kind: RawEvent.Kind, at node: NodePointer?, detail: UInt64 = 0, since start: UInt64? = nil) {
        let now = reactive_now()
        if let node { name(node) }
        chunkWithRoom().append(
            RawEvent(
                kind: kind, traits: node.map { $0.traits } ?? .none, number: nextNumber(), node: node, detail: detail,
                thread: thread, start: start ?? now, end: now))
    }

    private func recordWrite(of node: NodePointer) {
        name(node)
        chunkWithRoom().append(
            RawEvent(
                kind: .write, traits: node.traits, number: nextNumber(), node: node, detail: graph.pointee.epoch + 1,
                thread: thread, start: reactive_now(), end: transactions.last?.origin ?? 0))
    }

    private func recordIssue(_ message: String, at site: String) {
        let chunk = chunkWithRoom()
        let now = reactive_now()
        let text = chunk.add("\(site)\n\(message)")
        chunk.append(
            RawEvent(
                kind: .issue, traits: .hasText, number: nextNumber(), node: nil, detail: text, thread: thread,
                start: now, end: now))
    }

    // MARK: - Evaluations and runs

    private func begin(_ observer: ObserverPointer) {
        let validatedAt = observer.pointee.validated_at
        let run: Run = (
            nextNumber(), reactive_now(), graph.pointee.epoch, validatedAt, graph.pointee.evaluations
        )
        recordCauses(of: observer, run: run) { $0.pointee.changed_at > validatedAt }
        runs.append(run)
    }

    private func end(_ observer: ObserverPointer, _ kind: RawEvent.Kind, hasChanged: Bool) {
        // A recording that began in the middle does not know the beginning.
        guard let run = runs.popLast() else { return }
        // Computeds that were evaluated meanwhile. (What the run has written itself is no cause of it.)
        if graph.pointee.evaluations > run.evaluations + 1 {
            recordCauses(of: observer, run: run) {
                $0.pointee.flags.contains(.derivation) && $0.pointee.changed_at >= run.epoch
                    && $0.pointee.changed_at > run.validatedAt
            }
        }
        let node = observer.asNode
        name(node)
        var traits = node.traits
        if hasChanged { traits.insert(.changed) }
        let flush = reactive_current().pointee.flush?.pointee.since ?? .max
        chunkWithRoom().append(
            RawEvent(
                kind: kind, traits: traits, number: run.number, node: node,
                detail: kind == .run ? flush : graph.pointee.epoch, thread: thread, start: run.start,
                end: reactive_now()))
    }

    /// Records the sources that may be causes of a run, its own and those of the parts that it will check: O(sources of
    /// these), as the evaluation itself.
    private func recordCauses(of observer: ObserverPointer, run: Run, where isCause: (NodePointer) -> Bool) {
        observer.forEachSource { if isCause($0) { recordCause($0, of: run) } }
        // Parts often share their sources.
        var recorded: Set<NodePointer> = []
        forEachPartToCheck(of: observer) { part in
            part.forEachSource { source in
                if isCause(source), recorded.insert(source).inserted { recordCause(source, of: run) }
            }
        }
    }

    private func forEachPartToCheck(of observer: ObserverPointer, _ body: (ObserverPointer) -> Void) {
        if observer.pointee.node.flags.contains(.reaction) {
            Callbacks.forEachDuePart(of: observer, body)
        } else {
            observer.forEachCollectedPart(body)
        }
    }

    private func recordCause(_ source: NodePointer, of run: Run) {
        chunkWithRoom().append(
            RawEvent(
                kind: .cause, traits: .none, number: 0, node: source, detail: source.pointee.changed_at,
                thread: run.number,
                start: run.start, end: run.start))
    }

    /// Records an effect, or the cleanups before a run, unless the recording began during it.
    private func endFlight(of reaction: ObserverPointer) {
        guard let start = flights.removeValue(forKey: reaction) else { return }
        record(.effect, at: reaction.asNode, since: start)
    }

    private func endTransaction(_ kind: RawEvent.Kind) {
        guard let transaction = transactions.popLast() else { return }
        record(kind, at: nil, detail: transaction.origin, since: transaction.start)
    }

    /// Records the end of a node, with its name.
    private func recordEnd(of node: NodePointer) {
        let chunk = chunkWithRoom()
        let now = reactive_now()
        var traits = node.traits
        var detail = node.pointee.origin
        if node.pointee.flags.contains(.namedBySource) {
            traits.insert(.hasText)
            detail = chunk.add(names.removeValue(forKey: node) ?? "unknown")
        } else if let origin = NodeName.retainedForEvent(node.pointee) {
            traits.insert(.ownsName)
            detail = origin
        }
        if !traits.contains(.reaction), node.pointee.last_reader == 0 { traits.insert(.unread) }
        node.pointee.flags.remove(.recorded)
        chunk.append(
            RawEvent(
                kind: .end, traits: traits, number: nextNumber(), node: node, detail: detail, thread: thread,
                start: now, end: now))
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// The log, while events are recorded.
    var eventLog: EventLog? { recorder.map { unsafeDowncast($0.log, to: EventLog.self) } }

    /// Begins to record for a listener. Under the lock.
    func add(_ listener: EventListener) {
        if let eventLog {
            if !eventLog.listeners.contains(where: { $0.owner === listener.owner }) { eventLog.add(listener) }
            return
        }
        let log = EventLog(of: self, number: RecordingsInProgress.nextLog())
        log.add(listener)
        pointee.recorder = Unmanaged.passRetained(Recorder(log, note: log.note)).toOpaque()
        pointee.recording = 1
        pointee.logging |= REACTIVE_LOGGING_RECORDING
        pointee.log_ready_for = nil
    }

    /// Ends the recording for the listener of `owner`. Under the lock.
    func removeListener(of owner: AnyObject) {
        guard let eventLog else { return }
        eventLog.removeListener(of: owner)
        if eventLog.listeners.isEmpty { freeRecorder() }
    }
}

extension UnsafeMutablePointer where Pointee == NodeHeader {
    var traits: RawEvent.Traits {
        if pointee.flags.contains(.reaction) { return .reaction }
        return pointee.flags.contains(.derivation) ? .derivation : .none
    }

    /// The object; `nil` if its deinitialisers have begun. The memory must still exist.
    var living: _Node? {
        weak var living: _Node?
        object._withUnsafeGuaranteedRef { living = $0 }
        return living
    }
}
