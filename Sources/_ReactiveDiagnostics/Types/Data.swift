// The data of recordings. The code is in the other files of this module.
//
//     engine ──occurrence──▶ log of the graph ──chunk──▶ session, or live events ──▶ decoder ──▶ events
//
// Each graph has an event log of its own, which the graph's lock guards. An event is 56 bytes in a chunk of memory. A
// full chunk goes to the listeners. Events name nodes by address. A node ends with an event that has its name, so an
// address means the node that lives until the next such event. The sources of causes may have ended before; their
// addresses are only compared. The names of living nodes are read when the listeners ask.
//
// A listener joins and leaves under the lock, between two chunks, and so receives exactly what happens in between.
//
// ## What a program links that never records
//
// Only this file. The runtime can find types by name, so a linker keeps them, and what their metadata refers to. It
// keeps or leaves out the functions of a file together. Therefore:
//
//  - All types of the module are here, without their methods, and as few as possible; small ones are tuples.
//    (Not those with closures: in generic types, the compiler converts these, with metadata.)
//  - Empty collections are created by `Dictionary()` and `Set()`: the compiler specialises the literals for each type.
//  - The other files have no closures that escape with more than one captured reference: the compiler creates metadata
//    for these, which the linker would keep. Captured parts are in an object instead, such as `Joining`.
//  - The name of this file comes first in the alphabet: linkers take the first of equal functions, of which the
//    compiler puts one into each file that needs it. The name of its folder comes last: the compiler puts functions
//    that belong to no file into the first one that it compiles. And the module's name comes after those of modules
//    that begin with a capital letter, so that these use their own.
//
// The step `weight` of .ci/run fails if this no longer holds.

import CReactive
import Reactive

// MARK: - Raw events

/// An event as it is recorded.
struct RawEvent: BitwiseCopyable {
    enum Kind: BitwiseCopyable {
        case creation, end, write, evaluation, run, effect, cause, transaction, rollBack, hop, delay, issue
    }

    /// A set of bits.
    struct Traits: BitwiseCopyable {
        var bits: UInt8
    }

    /// The bit that `detail` of an end is a retained `NodeName`, without observation.
    static var ownsName: UInt8 { 8 }

    let kind: Kind
    var traits: Traits
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
    static var capacity: Int { 1024 }

    /// The number of the log that recorded it.
    let log: Int
    let graph: GraphPointer
    let memory = UnsafeMutablePointer<RawEvent>.allocate(capacity: EventChunk.capacity)
    @exclusivity(unchecked) var count = 0
    /// The number of events without causes, which belong to other events.
    @exclusivity(unchecked) var eventCount = 0
    /// The texts of events that have one.
    var texts: [String] = []
    /// Whether the graph has ended.
    var isLast = false

    init(of log: EventLog) {
        self.log = log.number
        graph = log.graph
    }

    deinit {
        for index in 0..<count where memory[index].traits.bits & RawEvent.ownsName != 0 {
            NodeName.release(origin: memory[index].detail)
        }
        memory.deallocate()
    }
}

/// Receives what is recorded in graphs.
final class EventListener {
    let owner: AnyObject
    /// Takes a chunk. Called under the lock of its graph, or when the graph ends.
    let take: (EventChunk) -> Void

    init(owner: AnyObject, take: @escaping (EventChunk) -> Void) {
        self.owner = owner
        self.take = take
    }
}

/// Records the events of one graph. Guarded by the graph's lock, so exclusivity is not checked again.
final class EventLog {
    /// An evaluation or run in progress.
    typealias Run = (number: UInt64, start: UInt64, epoch: UInt64, validatedAt: UInt64, evaluations: UInt64)
    /// A transaction in progress: the packed file and line of its call, and the time at which it began.
    typealias Transaction = (origin: UInt64, start: UInt64)

    let graph: GraphPointer
    /// A number that no other log has. (A graph may have the address of one that has ended.)
    let number: Int
    @exclusivity(unchecked) var listeners: [EventListener] = []
    /// The chunk that is being filled.
    @exclusivity(unchecked) var chunk: EventChunk?
    @exclusivity(unchecked) var runs: [Run] = []
    @exclusivity(unchecked) var transactions: [Transaction] = []
    /// The times at which effects and cleanups began that run outside the lock, by their reactions.
    @exclusivity(unchecked) var flights: [ObserverPointer: UInt64] = Dictionary()
    /// The names of the nodes whose names are computed, as they were at their first event. When such a node is freed,
    /// its source may be gone before it.
    @exclusivity(unchecked) var names: [NodePointer: String] = Dictionary()
    @exclusivity(unchecked) var lastNumber: UInt64 = 0

    init(of graph: GraphPointer, number: Int) {
        self.graph = graph
        self.number = number
    }
}

// MARK: - Recordings

/// Receives the chunks of all graphs while a recording is in progress.
final class RecordingSession: @unchecked Sendable {
    // Sendable because `state` is guarded.

    /// What is known of one log.
    final class Log {
        /// The chunks that are kept.
        var chunks: [EventChunk] = []
        /// The chunks when they were last asked for, and the labels of the nodes that were alive after them. `nil` once
        /// the graph has ended, when all names are in the chunks.
        var known: (chunks: [EventChunk], labels: [NodePointer: EventDecoder.Label])?
        /// The decoder, if events are passed on in batches.
        var decoder: EventDecoder?
    }

    /// An object, so that `Guarded` does not copy the collections when they change.
    final class State {
        var isRunning = false
        /// The start, in nanoseconds of the clock that all threads share.
        var start: UInt64 = 0
        var logs: [Int: Log] = Dictionary()
        /// The logs of the chunks, the oldest first. Those before `first` were dropped.
        var order: [Int] = []
        var first = 0
        /// The number of events in the chunks.
        var count = 0
        var dropped = 0
        /// The batches that are not passed on yet, and whether a thread passes batches on.
        var batches: [[Diagnostics.Event]] = []
        var isPassingOn = false
        let numbers = EventNumbers()
    }

    let limit: Int
    let receive: (@Sendable ([Diagnostics.Event]) -> Void)?
    let state = Guarded(State())

    init(limit: Int, receive: (@Sendable ([Diagnostics.Event]) -> Void)?) {
        self.limit = max(limit, 1)
        self.receive = receive
    }
}

/// The recordings in progress: while there are any, new nodes are recorded, and new graphs take part.
enum RecordingsInProgress {
    final class State {
        /// The recordings of all graphs.
        var sessions: [RecordingSession] = []
        /// The number of all recordings.
        var count = 0
        /// The number of the last log.
        var lastLog = 0
    }

    static let state = Guarded(State())
}

/// What a session does with a graph.
enum GraphVisit {
    case begin, catchUp, end
}

/// A graph that takes part in a recording once this thread has released a different one.
final class Joining {
    let graph: GraphPointer
    let independent: IndependentGraph?
    let session: RecordingSession

    init(_ graph: GraphPointer, session: RecordingSession) {
        self.graph = graph
        independent = graph.independent?.takeUnretainedValue()
        self.session = session
    }
}

// MARK: - Events

/// The numbers by which the events of a recording name graphs, threads and nodes.
final class EventNumbers {
    var graphs: [Int: Int] = Dictionary()
    var threads: [UInt64: Int] = Dictionary()
    var lastNode = -1
    var lastEvent = -1
}

/// Turns the raw events of one graph, in order, into events.
final class EventDecoder {
    /// The name and the source location of a node.
    typealias Label = (name: String, site: String)
    typealias Change = (node: NodePointer, epoch: UInt64)

    let graph: Int
    /// Whether the nodes are noted that the events name.
    let notesNodes: Bool
    var named: Set<NodePointer> = Set()
    var ended: [Int] = []
    /// The addresses of the nodes by their numbers, if they are noted.
    var addresses: [Int: NodePointer] = Dictionary()
    /// The nodes that have not ended, as far as events have named them.
    var nodes: [NodePointer: Diagnostics.Event.Node] = Dictionary()
    /// The events that made the latest changes of a node.
    var changes: [NodePointer: [(epoch: UInt64, event: Int)]] = Dictionary()
    var causes: [UInt64: [Change]] = Dictionary()
    /// The labels of nodes that end in the chunks known so far, by address; the last end first.
    var ends: [NodePointer: [Label]] = Dictionary()

    init(graph: Int, notesNodes: Bool = false) {
        self.graph = graph
        self.notesNodes = notesNodes
    }
}

// MARK: - Live graphs

// A node has a number that is never used again. Every node with a number carries the flag `recorded`, so its end is
// recorded. An address therefore means the same node until the event of its end, and may be followed under the lock.

/// The events of one graph since the last update, and the numbers of its nodes. Guarded by the graph's lock.
final class LiveEvents {
    let graph: GraphPointer
    let limit: Int
    let start = reactive_now()
    var chunks: [EventChunk] = []
    /// The number of events in the chunks.
    var count = 0
    let numbers = EventNumbers()
    let decoder = EventDecoder(graph: 0, notesNodes: true)
    var isFirst = true
    var update = LiveUpdate()
    /// The numbers of the nodes that an update had.
    var described: Set<Int> = Set()

    init(of graph: GraphPointer, limit: Int) {
        self.graph = graph
        self.limit = max(limit, EventChunk.capacity)
    }
}
