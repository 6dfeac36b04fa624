// Independent graphs: graphs besides the default one, for unrelated work.
//
// All state belongs to a graph: a lock, a queue, two counters. With one graph for everything, only one thread at a time
// can be inside it. A server with sessions that do not share state gives each session a graph of its own, and the
// sessions run in parallel.
//
// A thread holds one graph at a time, so that no two threads can wait for each other's graph. The graph of a piece of
// state is determined when the state is created (`GraphPointer.current`), and its nodes point to the graph. If a thread
// that holds one graph needs another, the program stops with a message that names both; see `enter`. The object of an
// independent graph owns its state; nodes and handles (GraphHandle.swift) retain the object.

import CReactive

/// An independent graph, for state that shares nothing with other state, so that several threads can work in parallel.
///
/// State, computeds and reactions belong to a graph. By default that is one graph for the whole process, and one thread
/// at a time is inside it. A server can give each session its own graph:
///
/// ```swift
/// let graph = IndependentGraph(named: "session 7")
/// let cart = graph.run { Cart() }  // its observables belong to the session's graph
/// graph.run {
///     autorun { print("items:", cart.items.count) }  // prints "items: 0"
/// }
/// cart.items.append("pear")  // prints "items: 1"
/// graph.run { inTransaction { cart.items = [] } }  // prints "items: 0"
/// graph.cancelReactions()
/// ```
///
/// - Everything that is created inside ``run(_:)`` belongs to this graph, and so does everything that its reactions
///   create.
/// - State knows its graph: read and write it from anywhere, except inside transactions and tracked closures of other
///   graphs.
/// - Inside a transaction, a computed or the tracked closure of a reaction, only state of the same graph may be used.
///   Using other state stops the program with a message that names both graphs.
/// - An effect holds no graph and may write to any. This is how one graph changes another. If two graphs write to each
///   other until a value repeats, the result is the same as in one graph.
/// - A reaction may be cancelled anywhere; inside a transaction of another graph, the cancellation happens when that
///   transaction ends.
/// - References may be released anywhere, with one exception. Releasing the last reference to state that another
///   thread's transaction of the graph is writing counts as using that state.
/// - Writes to two graphs are two changes: no transaction spans them.
/// - The graph lives as long as this object or anything that belongs to the graph. A live reaction keeps the graph
///   until the reaction is cancelled.
///
/// May be used from any thread.
public final class IndependentGraph: Sendable {
    // The graph's lock guards the memory that the pointer refers to.
    nonisolated(unsafe) let graph: GraphPointer
    // Called on the threads that create nodes in this graph; see the initialiser that sets it.
    nonisolated(unsafe) let onCreation: ((_Node) -> Void)?

    /// Creates a graph.
    ///
    /// - Parameter name: The name of the graph in messages.
    public init(named name: String? = nil) {
        onCreation = nil
        graph = .allocate(capacity: 1)
        reactive_graph_init(graph, Unmanaged.passUnretained(self).toOpaque())
        if let name { graph.details.name = name }
        reactive_join_recordings(graph)
    }

    /// Creates a graph that reports each node that is created in it. With it, one thread finds out which nodes a piece
    /// of code creates.
    ///
    /// - Parameter onCreation: Receives the node, which is still being initialised: keep it weakly, and use it later.
    ///   Must not create nodes itself.
    package init(onCreation: @escaping (_Node) -> Void) {
        self.onCreation = onCreation
        graph = .allocate(capacity: 1)
        reactive_graph_init(graph, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { graph.free() }

    /// Runs `body` in the scope of this graph: state and reactions that it creates belong to the graph, and its
    /// transactions are of this graph.
    ///
    /// - Parameter body: Runs immediately, outside the lock. Anything that it creates in other tasks or on other
    ///   threads does not belong to the graph.
    /// - Returns: The value that `body` returns.
    /// - Throws: The error that `body` throws.
    /// - Precondition: Not called in a transaction or a tracked closure of another graph.
    @discardableResult
    public func run<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        try graph.run(body)
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// The object of an independent graph, or `nil` for the default graph.
    package var independent: Unmanaged<IndependentGraph>? { pointee.owner.map { .fromOpaque($0) } }

    /// Keeps an independent graph alive.
    func retain() { _ = independent?.retain() }

    /// Balances one `retain`. Precondition: this thread does not hold the graph.
    func release() { independent?.release() }

    /// Runs `body` in the scope of this graph: whatever it creates belongs to the graph.
    func run<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        let thread = reactive_current()
        if let held = thread.pointee.graph, held != self { stopForMixing(with: held, at: nil) }
        let outer = thread.pointee.scope
        thread.pointee.scope = self
        defer { thread.pointee.scope = outer }
        return try body()
    }

    /// Frees the state of an independent graph.
    fileprivate func free() {
        freeReader()
        if let details = pointee.details { Unmanaged<GraphDetails>.fromOpaque(details).release() }
        reactive_graph_end(self)
        record(.endOfGraph)
        freeRecorder()
        freeMemory()
    }

    // No test sees this block: only a leak checker sees memory that stays.
    private func freeMemory() {
        freeEdgePool()
        freeLog()
        pointee.due.free()
        let buffers = [pointee.path, pointee.worklist, pointee.routers, pointee.hopping, pointee.reactions]
        for buffer in buffers { reactive_free(buffer.base) }
        deallocate()
    }

    /// The name of the graph in messages.
    var name: String {
        if self == .default { return "the default graph" }
        // No test sees this: it only saves details without a name.
        guard pointee.details != nil, let name = details.name else { return "an unnamed graph" }
        return "graph \(name)"
    }

    /// Whether this thread holds a different graph, so that it cannot lock this one.
    package var isOutOfReach: Bool { reactive_current().pointee.graph.map { $0 != self } ?? false }

    /// The reason why this thread cannot use `thing` of this graph: it holds a different graph. `nil` if it can.
    func obstacle(to thing: @autoclosure () -> String) -> String? {
        guard isOutOfReach, let held = reactive_current().pointee.graph else { return nil }
        return """
            \(thing()) belongs to \(name), and cannot be used together with state of \(held.name). \
            Create both in the same graph.
            """
    }

    /// Ends the program with a message: this thread holds another graph and needs this one too.
    @usableFromInline @inline(never)
    func stopForMixing(with held: GraphPointer, at node: NodePointer?) -> Never {
        let thing = node.map { "\(NodeName.text(of: $0.pointee)), which belongs to \(name)," } ?? name
        let home = held == .default ? self : held
        fatalError(
            """
            Reactive: \(thing) is used inside a transaction or a tracked closure of \(held.name). These can use one \
            graph only. If both belong together, create the state and its reactions, and begin the transactions, in \
            `run` of \(home.name). (Instead of `try await when`, call `when` of that graph.) Otherwise move the use \
            before or after them, or into an effect.
            """)
    }
}

extension _Node {
    /// The reason why this thread must not use the node now: it holds a different graph. `nil` if it may.
    package final var obstacle: String? { graph.obstacle(to: NodeName.text(of: node.pointee)) }
}
