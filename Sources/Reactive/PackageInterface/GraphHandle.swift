// Graph handles: the graph of a piece of state, for all code outside the engine.
//
// The engine works on pointers to graphs, which nodes carry. All other code has a handle: of a node, or of the graph
// that was current when an owner of state (a store, a history, a renderer) was created. The owner keeps the handle, and
// uses it for each later access, because the thread may then have a different current graph, or may hold one. The
// package's other modules lock, begin transactions and create state only through handles.
//
//     withLock            locked; reads are tracked for the caller
//     withUntrackedLock   locked; reads are not tracked
//     inTransaction       locked, as one change
//     lockWhenFree        `withLock`, once this thread holds no other graph
//     run                 outside the lock; whatever is created belongs to the graph
//     whenFree            `run`, once this thread holds no graph
//
// A handle keeps its graph alive, and nothing that belongs to it. It is one reference (`nil` for the default graph),
// and costs as much as one to copy. Graphs keep no handles, so there are no reference cycles.

import CReactive

/// A graph, for code that creates state in it, or accesses its state later and from any thread.
///
/// It keeps the graph alive, and nothing in it.
package struct GraphHandle: Sendable {
    /// `nil` for the default graph.
    private let independent: IndependentGraph?

    /// The graph of all state that is created outside of an `IndependentGraph`.
    package static let `default` = GraphHandle(.default)

    /// The graph of state that this thread would create now: the graph that it holds, or that of its scope.
    package static var current: GraphHandle { GraphHandle(.current) }

    /// The graph that this thread holds, in a transaction or a tracked closure; `nil` elsewhere.
    package static var held: GraphHandle? { reactive_current().pointee.graph.map { GraphHandle($0) } }

    /// Creates a handle of the graph of an observable, a computed or a reaction.
    package init(of node: _Node) { self.init(node.graph) }

    init(_ graph: GraphPointer) { independent = graph.independent?.takeUnretainedValue() }

    package var pointer: GraphPointer { independent?.graph ?? .default }

    /// The name of the graph in messages.
    package var name: String { pointer.name }

    // MARK: - Locking

    /// Runs `body` with the graph locked. Its reads are tracked for the caller.
    ///
    /// - Precondition: This thread holds no other graph. This applies to all functions that lock immediately.
    package func withLock<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        let graph = pointer
        graph.enter()
        defer { withExtendedLifetime(independent) { graph.leave() } }
        return try body()
    }

    /// Runs `body` with the graph locked; its reads subscribe no observer.
    package func withUntrackedLock<R>(_ body: () throws -> R) rethrows -> R {
        try withLock { try untracked(body) }
    }

    /// Runs `body` as one change of the graph; see `Reactive.inTransaction`.
    @discardableResult
    package func inTransaction<R, E: Error>(
        fileID: StaticString = #fileID, line: UInt = #line, _ body: () throws(E) -> R
    ) throws(E) -> R {
        try withLock { () throws(E) in try Reactive.inTransaction(fileID: fileID, line: line, body) }
    }

    /// Runs `body` with the graph locked: now, or after this thread has released another graph that it holds.
    package func lockWhenFree(_ body: @escaping () -> Void) {
        guard isOutOfReach, let held = reactive_current().pointee.graph else { return withLock(body) }
        // The captures of `body` must be released before the other graph is held again.
        var pending: (() -> Void)? = body
        held.deferAction {
            if let body = pending.take() { withLock(body) }
        }
    }

    // MARK: - Outside the lock

    /// Runs `body`, which takes the locks that it needs. Whatever it creates belongs to the graph.
    ///
    /// - Precondition: This thread holds no other graph.
    package func run<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        try withExtendedLifetime(independent) { () throws(E) in try pointer.run(body) }
    }

    /// Runs `body` as `run` does, outside of every lock: now, or after this thread has released a graph that it holds.
    package func whenFree(_ body: @escaping () -> Void) {
        guard let held = reactive_current().pointee.graph else { return run(body) }
        held.deferAction { run(body) }
    }

    // MARK: - Questions

    /// Whether this thread holds another graph, so that it cannot lock this one.
    package var isOutOfReach: Bool { pointer.isOutOfReach }

    /// The reason why this thread cannot use `thing` of this graph: it holds another graph. `nil` if it can.
    package func obstacle(to thing: @autoclosure () -> String) -> String? {
        pointer.obstacle(to: thing())
    }

    /// The number of changes so far. If two numbers are equal, nothing was written in between. Valid under the lock.
    package var epoch: UInt64 { pointer.pointee.epoch }

    /// Whether this thread is in a transaction of the graph that can still be rolled back.
    // No test sees this always hold: another thread would have to be in such a transaction at this moment.
    package var mayRollBack: Bool { reactive_is_inside(pointer) && pointer.pointee.rollback_depth > 0 }
}

extension GraphHandle: Equatable {
    /// Whether both are the same graph.
    package static func == (a: GraphHandle, b: GraphHandle) -> Bool { a.independent === b.independent }
}
