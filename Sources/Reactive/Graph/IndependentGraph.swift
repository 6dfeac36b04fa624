// Graphs besides the default one, for work that has nothing to do with each other.
//
// All state belongs to a graph: a lock, a queue, two counters. One graph for everything means one thread at a time inside it. A server
// with sessions that do not share state gives each a graph of its own, and they run in parallel.
//
// A thread holds one graph at a time, so that no two threads can wait for each other's. Which one is decided when state is made
// (`GraphPointer.current`), and the nodes point to it. Whoever holds a graph and would need another is stopped with both names; see
// `enter`. The object of an independent graph owns its state; nodes and handles (GraphHandle.swift) retain the object.

import CReactive

/// A graph of its own for state that shares nothing with other state, so that several threads can work at once.
///
/// State, computeds and reactions belong to a graph. Unless told otherwise that is one for the whole process, and one thread at a time
/// is inside it. A server can give each session its own:
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
/// - What is made inside ``run(_:)`` belongs to this graph, as does what its reactions make.
/// - State knows its graph: read it and write it from anywhere, outside of transactions and of closures that are tracked.
/// - Inside a transaction, a computed or the tracked closure of a reaction only state of the same graph may be used; other state stops the
///   program with the names of both graphs. An effect is outside: it may write to any graph, which is the way from one to another. Two
///   graphs that write to each other until one value repeats settle as one would.
/// - A reaction may be cancelled anywhere; in a transaction of another graph it ends when that does.
/// - References may be let go of anywhere. Only the last one to state that a transaction of its graph is writing, on another thread,
///   counts as using it.
/// - Writes to two graphs are two changes: no transaction spans them.
/// - The graph lives as long as this object or anything that belongs to it; a live reaction keeps it, as ever, until it is cancelled.
///
/// May be used from any thread.
public final class IndependentGraph: Sendable {
    // What the pointer leads to is guarded by the graph's lock.
    nonisolated(unsafe) let graph: GraphPointer
    // Called on the threads that create nodes in this graph; see the initialiser that sets it.
    nonisolated(unsafe) let onCreation: ((_Node) -> Void)?

    /// Creates a graph.
    ///
    /// - Parameter name: What messages call it.
    public init(named name: String? = nil) {
        onCreation = nil
        graph = .allocate(capacity: 1)
        reactive_graph_init(graph, Unmanaged.passUnretained(self).toOpaque())
        if let name { graph.details.name = name }
    }

    /// Creates a graph that hands over each node that is created in it, for one thread to find out what a piece of code
    /// creates.
    ///
    /// - Parameter onCreation: Gets the node, which is still being initialised: keep it weakly, and use it later. Must
    ///   not create nodes itself.
    package init(onCreation: @escaping (_Node) -> Void) {
        self.onCreation = onCreation
        graph = .allocate(capacity: 1)
        reactive_graph_init(graph, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { graph.free() }

    /// Runs `body` so that the state and the reactions made in it belong to this graph, and a transaction is one of this graph.
    ///
    /// - Parameter body: Runs at once, outside the lock. What it makes in other tasks or on other threads does not belong to the graph.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    /// - Precondition: Not called in a transaction or a tracked closure of another graph.
    @discardableResult
    public func run<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        try graph.run(body)
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// The object of an independent graph, or `nil` for the default graph.
    var independent: Unmanaged<IndependentGraph>? { pointee.owner.map { .fromOpaque($0) } }

    /// Keeps an independent graph alive.
    func retain() { _ = independent?.retain() }

    /// Undoes one `retain`. Precondition: this thread does not hold the graph.
    func release() { independent?.release() }

    /// Runs `body` in the scope of this graph: what is created in it belongs to the graph.
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
        freeEdgePool()
        freeLog()
        pointee.due.free()
        let buffers = [pointee.path, pointee.worklist, pointee.routers, pointee.away, pointee.reactions]
        for buffer in buffers { reactive_free(buffer.base) }
        deallocate()
    }

    /// What messages call the graph.
    var name: String {
        if self == .default { return "the default graph" }
        guard pointee.details != nil, let name = details.name else { return "an unnamed graph" }
        return "graph \(name)"
    }

    /// Whether this thread holds a different graph, so that it cannot lock this one.
    var isOutOfReach: Bool { reactive_current().pointee.graph.map { $0 != self } ?? false }

    /// Why this thread cannot use `thing`, which belongs to this graph: it holds a different one. `nil` if it can.
    func obstacle(to thing: @autoclosure () -> String) -> String? {
        guard isOutOfReach, let held = reactive_current().pointee.graph else { return nil }
        return """
            \(thing()) belongs to \(name), and cannot be used together with state of \(held.name). \
            Keep what belongs together in one graph.
            """
    }

    /// Ends the program: this thread holds another graph and needs this one too.
    @usableFromInline @inline(never)
    func stopForMixing(with held: GraphPointer, at node: NodePointer?) -> Never {
        let thing = node.map { "\(NodeName.text(of: $0.pointee)), which belongs to \(name)," } ?? name
        fatalError(
            """
            Reactive: \(thing) is used inside a transaction or a tracked closure of \(held.name). State of two graphs \
            cannot change as one: use it before or afterwards, or from an effect.
            """)
    }
}

extension _Node {
    /// Why this thread must not use the node now: it holds a different graph. `nil` if it may.
    package final var obstacle: String? { graph.obstacle(to: NodeName.text(of: node.pointee)) }
}
