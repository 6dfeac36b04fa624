// Which graph something belongs to: the one answer, for everything outside the engine.
//
// The engine works on pointers to graphs, which nodes carry. Everybody else has a handle: of a node, or the current one
// when an owner of state (a store, a history, a renderer) was created. The owner keeps the handle and goes through it
// whenever it comes back, since the thread that it comes back on may have another graph for its own, or may hold one.
// There is no other way to lock, to enclose in a transaction or to create state from the package's other modules.
//
//     withLock            locked, tracked as the caller is
//     withUntrackedLock   locked, and nothing is recorded
//     inTransaction       locked, as one change
//     lockWhenFree        `withLock`, once this thread holds no other graph
//     run                 outside the lock; what is created belongs to the graph
//     whenFree            `run`, once this thread holds no graph
//
// A handle keeps its graph alive, and nothing that belongs to it. It is one reference, to nothing for the default
// graph, and so costs as much as one to copy. Graphs keep no handles, so that there are no cycles.

import CReactive

/// A graph, for code that creates state in it, or comes back to its state later and from any thread.
///
/// It keeps the graph alive, and nothing in it.
package struct GraphHandle: Sendable {
    /// `nil` for the default graph.
    private let independent: IndependentGraph?

    /// The graph that state belongs to unless it is created in an `IndependentGraph`.
    package static let `default` = GraphHandle(.default)

    /// The graph that state belongs to which is created here and now: the one that this thread holds, or that of its
    /// scope.
    package static var current: GraphHandle { GraphHandle(.current) }

    /// The graph that this thread holds, in a transaction or a tracked closure; `nil` outside of those.
    package static var held: GraphHandle? { reactive_current().pointee.graph.map { GraphHandle($0) } }

    /// The graph of an observable, a computed or a reaction.
    package init(of node: _Node) { self.init(node.graph) }

    init(_ graph: GraphPointer) { independent = graph.independent?.takeUnretainedValue() }

    var pointer: GraphPointer { independent?.graph ?? .default }

    /// What messages call the graph.
    package var name: String { pointer.name }

    // MARK: - Locking

    /// Runs `body` with the graph locked, tracked as the caller is.
    ///
    /// - Precondition: This thread holds no other graph, here and in the other functions that lock now.
    package func withLock<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        let graph = pointer
        graph.enter()
        defer { withExtendedLifetime(independent) { graph.leave() } }
        return try body()
    }

    /// Takes the lock, or counts one level more. Whoever calls it keeps the graph alive.
    package func enter() { pointer.enter() }

    /// Ends one `enter`. The outermost runs the reactions that are due.
    package func leave() { pointer.leave() }

    /// Runs `body` with the graph locked; nothing is subscribed to what it reads.
    package func withUntrackedLock<R>(_ body: () throws -> R) rethrows -> R {
        try withLock { try untracked(body) }
    }

    /// Runs `body` as one change of the graph; see `Reactive.inTransaction`.
    @discardableResult
    package func inTransaction<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        try withLock { () throws(E) in try Reactive.inTransaction(body) }
    }

    /// Runs `body` with the graph locked: now, or, if this thread holds another graph, when it has released that one.
    package func lockWhenFree(_ body: @escaping () -> Void) {
        guard isOutOfReach, let held = reactive_current().pointee.graph else { return withLock(body) }
        // What `body` has captured must be released before the other graph is held again.
        var pending: (() -> Void)? = body
        held.deferAction {
            if let body = pending.take() { withLock(body) }
        }
    }

    // MARK: - Outside the lock

    /// Runs `body`, which locks what it needs: what it creates belongs to the graph.
    ///
    /// - Precondition: This thread holds no other graph.
    package func run<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        try withExtendedLifetime(independent) { () throws(E) in try pointer.run(body) }
    }

    /// Runs `body` as `run` does, outside of every lock: now, or, if this thread holds a graph, when it has released
    /// that one.
    package func whenFree(_ body: @escaping () -> Void) {
        guard let held = reactive_current().pointee.graph else { return run(body) }
        held.deferAction { run(body) }
    }

    // MARK: - Questions

    /// Whether this thread holds another graph, so that it cannot lock this one.
    package var isOutOfReach: Bool { pointer.isOutOfReach }

    /// Why this thread cannot use `thing`, which belongs to this graph: it holds another one. `nil` if it can.
    package func obstacle(to thing: @autoclosure () -> String) -> String? {
        pointer.obstacle(to: thing())
    }

    /// Whether this thread holds the graph and records what it reads.
    package var isTracking: Bool { reactive_is_inside(pointer) && reactive_is_tracking() }

    /// The number of changes so far: two equal numbers mean that nothing was written in between. Valid under the lock.
    package var epoch: UInt64 { pointer.pointee.epoch }

    /// Whether this thread is in a transaction of the graph that can still be rolled back.
    package var mayRollBack: Bool { reactive_is_inside(pointer) && pointer.pointee.rollback_depth > 0 }
}

extension GraphHandle: Equatable {
    /// Whether both are the same graph.
    package static func == (a: GraphHandle, b: GraphHandle) -> Bool { a.independent === b.independent }
}
