// The recorder: what happens in one graph, as raw events, while there are listeners.
//
// While nothing is recorded, none of this costs an instruction on the hot paths. The places that record are branches that
// the engine takes anyway for other reasons, and that a recording makes it take always:
//
//     logging < 0        a write goes through `prepareLog`; a transaction and a run of a reaction have begun
//     attention > 0      an evaluation begins or has ended; a transaction ends (the same word counts the log's entries)
//     flag `recorded`    the deinitialiser of a node that an event names takes its slow path, and so do its effects
//
// Each graph has a recorder of its own, which the graph's lock guards. An event is 56 bytes in a chunk of memory. A
// full chunk goes to the listeners, which keep it, pass it on or drop it. Events name nodes by address. A node ends with
// an event that has its name, so an address means the node that lives until the next such event. The sources of causes
// may have ended before; their addresses are only compared. The names of living nodes are read when the listeners ask.
//
// A listener joins and leaves under the lock, between two chunks, and so receives exactly what happens in between.

import CReactive

/// An event as it is recorded.
@usableFromInline struct RawEvent: BitwiseCopyable {
    @usableFromInline enum Kind: UInt8, BitwiseCopyable {
        case creation, end, write, evaluation, run, effect, cause, transaction, rollBack, hop, delay, issue
    }

    struct Traits: OptionSet, BitwiseCopyable {
        let rawValue: UInt8
        /// The value of a derivation has changed.
        static let changed = Traits(rawValue: 1)
        static let derivation = Traits(rawValue: 2)
        static let reaction = Traits(rawValue: 4)
        /// `detail` of an end is a retained `NodeName`, without observation.
        static let ownsName = Traits(rawValue: 8)
        /// `detail` of an end is an index into the texts of the chunk.
        static let hasText = Traits(rawValue: 16)
        /// No evaluation has ever read the node.
        static let unread = Traits(rawValue: 32)
    }

    let kind: Kind
    var traits: Traits = []
    /// Its number in the graph. An evaluation or a run gets it when it begins.
    var number: UInt64
    var node: NodePointer?
    /// Writes and evaluations: the epoch of the change. Runs: that at which the flush began; the maximum outside of
    /// one. Causes: the epoch at which the source changed. Ends: the name. Transactions and issues: file and line.
    var detail: UInt64
    /// Causes: the number of the evaluation or run. Otherwise the thread's context, as a number.
    var thread: UInt64
    var start: UInt64
    /// Writes, which take no time: the packed file and line of the transaction around it, or 0.
    var end: UInt64
}

/// A part of what was recorded in one graph. It does not change once it has been handed over.
final class EventChunk {
    static let capacity = 1024

    let graph: UInt
    private lazy var memory = UnsafeMutablePointer<RawEvent>.allocate(capacity: EventChunk.capacity)
    private(set) var count = 0
    /// The texts of events that have one.
    private(set) var texts: [String] = []

    init(of graph: GraphPointer) { self.graph = UInt(bitPattern: graph) }

    deinit {
        guard count > 0 else { return }
        for event in events where event.traits.contains(.ownsName) { NodeName.release(origin: event.detail) }
        memory.deallocate()
    }

    /// The number of events without causes, which belong to other events.
    private(set) var eventCount = 0
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

/// Receives what is recorded in graphs.
class EventListener {
    /// Takes a chunk. Called under the lock of its graph, or when the graph ends.
    func take(_ chunk: EventChunk) {}

    /// Called after the last chunk before names are asked for, under the graph's lock: the nodes that events name
    /// and that have not ended are alive.
    func resolveNames(in graph: GraphPointer) {}
}

/// Records the events of one graph. Guarded by the graph's lock.
final class Recorder {
    /// An evaluation or run in progress.
    private struct Run {
        let number: UInt64
        let start: UInt64
        let epoch: UInt64
        let validatedAt: UInt64
        let evaluations: UInt64
    }

    /// A transaction in progress: the packed file and line of its call, and the time at which it began.
    private struct Transaction {
        let origin: UInt64
        let start: UInt64
    }

    private let graph: GraphPointer
    private(set) var listeners: [EventListener] = []
    private var chunk: EventChunk
    private var runs: [Run] = []
    private var transactions: [Transaction] = []
    /// The times at which effects and cleanups began that run outside the lock, by their reactions.
    private var flights: [ObserverPointer: UInt64] = [:]
    /// The names of the nodes whose names are computed, as they were at their first event. When such a node is freed, its
    /// source may be gone before it.
    private var names: [NodePointer: String] = [:]
    private var lastNumber: UInt64 = 0

    init(of graph: GraphPointer) {
        self.graph = graph
        chunk = EventChunk(of: graph)
    }

    func add(_ listener: EventListener) {
        handOver()
        listeners.append(listener)
    }

    func remove(_ listener: EventListener) {
        handOver()
        listeners.removeAll { $0 === listener }
    }

    /// Gives the events so far to the listeners.
    func handOver() {
        guard chunk.count > 0 else { return }
        let full = chunk
        chunk = EventChunk(of: graph)
        for listener in listeners { listener.take(full) }
    }

    private func append(_ event: RawEvent) {
        if chunk.isFull { handOver() }
        chunk.append(event)
    }

    private func nextNumber() -> UInt64 {
        lastNumber &+= 1
        return lastNumber
    }

    private var thread: UInt64 { UInt64(UInt(bitPattern: reactive_current())) }

    /// Notes that an event names a node, whose code is running on this thread.
    private func note(_ node: NodePointer) {
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

    static func traits(of node: NodePointer) -> RawEvent.Traits {
        let flags = node.pointee.flags
        if flags.contains(.reaction) { return .reaction }
        return flags.contains(.derivation) ? .derivation : []
    }

    // MARK: - Events

    func record(_ kind: RawEvent.Kind, at node: NodePointer?, detail: UInt64 = 0, since start: UInt64? = nil) {
        let now = reactive_now()
        if let node { note(node) }
        append(
            RawEvent(
                kind: kind, traits: node.map { Recorder.traits(of: $0) } ?? [], number: nextNumber(), node: node,
                detail: detail, thread: thread, start: start ?? now, end: now))
    }

    /// Records a change that a write is about to make.
    func recordWrite(of node: NodePointer, epoch: UInt64) {
        note(node)
        append(
            RawEvent(
                kind: .write, traits: Recorder.traits(of: node), number: nextNumber(), node: node, detail: epoch,
                thread: thread, start: reactive_now(), end: transactions.last?.origin ?? 0))
    }

    func recordIssue(_ message: String, at site: String) {
        if chunk.isFull { handOver() }
        let now = reactive_now()
        let text = chunk.add("\(site)\n\(message)")
        append(
            RawEvent(
                kind: .issue, traits: .hasText, number: nextNumber(), node: nil, detail: text, thread: thread,
                start: now, end: now))
    }

    func begin(_ observer: ObserverPointer, validatedAt: UInt64) {
        let run = Run(
            number: nextNumber(), start: reactive_now(), epoch: graph.pointee.epoch, validatedAt: validatedAt,
            evaluations: graph.pointee.evaluations)
        recordCauses(of: observer, run: run) { $0.pointee.changed_at > validatedAt }
        runs.append(run)
    }

    func end(_ observer: ObserverPointer, _ kind: RawEvent.Kind, hasChanged: Bool) {
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
        note(node)
        var traits = Recorder.traits(of: node)
        if hasChanged { traits.insert(.changed) }
        let flush = reactive_current().pointee.flush?.pointee.since ?? .max
        append(
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
        if observer.flags.contains(.reaction) {
            Callbacks.forEachDuePart(of: observer, body)
        } else {
            observer.forEachCollectedPart(body)
        }
    }

    private func recordCause(_ source: NodePointer, of run: Run) {
        append(
            RawEvent(
                kind: .cause, number: 0, node: source, detail: source.pointee.changed_at, thread: run.number,
                start: run.start, end: run.start))
    }

    func beginFlight(of reaction: ObserverPointer) { flights[reaction] = reactive_now() }

    /// Records an effect, or the cleanups before a run, unless the recording began during it.
    func endFlight(of reaction: ObserverPointer) {
        guard let start = flights.removeValue(forKey: reaction) else { return }
        record(.effect, at: reaction.asNode, since: start)
    }

    func beginTransaction(origin: UInt64) {
        transactions.append(Transaction(origin: origin, start: reactive_now()))
    }

    func endTransaction(_ kind: RawEvent.Kind) {
        guard let transaction = transactions.popLast() else { return }
        record(kind, at: nil, detail: transaction.origin, since: transaction.start)
    }

    /// Records the end of a node, with its name.
    func recordEnd(of node: NodePointer) {
        if chunk.isFull { handOver() }
        let now = reactive_now()
        var traits = Recorder.traits(of: node)
        var detail = node.pointee.origin
        if node.pointee.flags.contains(.namedBySource) {
            traits.insert(.hasText)
            detail = chunk.add(names.removeValue(forKey: node) ?? "unknown")
        } else if let origin = NodeName.retainedForEvent(node.pointee) {
            traits.insert(.ownsName)
            detail = origin
        }
        if !traits.contains(.reaction), node.pointee.last_reader == 0 { traits.insert(.unread) }
        append(
            RawEvent(
                kind: .end, traits: traits, number: nextNumber(), node: node, detail: detail, thread: thread,
                start: now, end: now))
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Whether events are recorded. Under the lock.
    @inlinable @inline(__always)
    var isRecorded: Bool { Int64(bitPattern: pointee.logging) < 0 }

    /// The recorder, while events are recorded.
    var recorder: Recorder? {
        pointee.recorder.map { Unmanaged<Recorder>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Begins to record for a listener. Under the lock.
    func add(_ listener: EventListener) {
        let recorder = recorder ?? Recorder(of: self)
        guard !recorder.listeners.contains(where: { $0 === listener }) else { return }
        if pointee.recorder == nil { pointee.recorder = Unmanaged.passRetained(recorder).toOpaque() }
        recorder.add(listener)
        pointee.recording = 1
        pointee.logging |= REACTIVE_LOGGING_RECORDING
        pointee.log_ready_for = nil
    }

    /// Ends the recording for a listener. Under the lock.
    func remove(_ listener: EventListener) {
        guard let recorder else { return }
        recorder.remove(listener)
        if recorder.listeners.isEmpty { freeRecorder() }
    }

    /// Frees the recorder. Under the lock, or together with the graph.
    func freeRecorder() {
        guard let recorder = pointee.recorder else { return }
        pointee.recorder = nil
        pointee.recording = 0
        pointee.logging &= ~REACTIVE_LOGGING_RECORDING
        Unmanaged<Recorder>.fromOpaque(recorder).release()
    }

    // MARK: - Calls of the engine, all of them while events are recorded

    /// - Parameters:
    ///   - fileID: The file of the call that began the transaction.
    ///   - line: The line of the call.
    @usableFromInline @inline(never)
    func recordBeginOfTransaction(_ fileID: StaticString, _ line: UInt) {
        recorder?.beginTransaction(origin: NodeName.packed(fileID, line) ?? 0)
    }

    /// Records a change that a write is about to make.
    @usableFromInline @inline(never)
    func recordWrite(of node: NodePointer) { recorder?.recordWrite(of: node, epoch: pointee.epoch + 1) }

    @inline(never)
    func recordBegin(ofRun reaction: ObserverPointer) {
        recorder?.begin(reaction, validatedAt: reaction.pointee.validated_at)
    }

    @inline(never)
    func recordEnd(of node: NodePointer) {
        enter()
        recorder?.recordEnd(of: node)
        node.pointee.flags.remove(.recorded)
        leave()
    }

    /// Records an issue. Without effect if this thread holds a different graph.
    func recordIssue(_ message: String, at site: String) {
        guard !isOutOfReach else { return }
        enter()
        recorder?.recordIssue(message, at: site)
        leave()
    }

    /// Records the creation of a node that is no part of another. Without effect if this thread holds a different
    /// graph.
    @inline(never)
    func recordCreation(of node: NodePointer) {
        guard node.pointee.flags.isDisjoint(with: .part), !isOutOfReach else { return }
        enter()
        recorder?.record(.creation, at: node)
        leave()
    }
}

extension UnsafeMutablePointer where Pointee == NodeHeader {
    /// The object; `nil` if its deinitialisers have begun. The memory must still exist.
    var living: _Node? {
        weak var living: _Node?
        object._withUnsafeGuaranteedRef { living = $0 }
        return living
    }
}
