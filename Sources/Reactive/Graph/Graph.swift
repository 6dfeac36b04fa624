// The graph: one lock, two counters, and the work in progress, shared by the nodes that point to it.
//
// This folder is the lowest layer of the library. It knows nodes, edges, marks and due work, but no value, closure or
// reaction as a type. The folders depend on one another in this order, and each names only what is below it
// (`.ci/floors` checks that):
//
//     PackageInterface   the interface for the package's other modules, besides the public one
//     Diagnostics        live reactions, dependencies, descriptions
//     Bridges            observers inside and outside of the library that follow each other's state
//     Reactions          closures that run again; implements the functions that the graph calls, in Callbacks.swift
//     Derivations        values computed from others
//     State              values that are written, and how values are compared
//     Transactions       several writes as one change
//     Issues             errors that the library reports and survives
//     Isolation          actors, owners that are held weakly, small locks
//     Graph              this folder; CReactive, below it, has the layout and the lock
//
// The graph calls upwards in two ways, through which all user code is reached:
//
//     _Node, _Derivation   overridden methods and a function in each node: restore a value, compare it, compute it anew
//     GraphCallbacks       static functions that `Callbacks` implements: run a reaction, notify it through one of its
//                          parts, and a few that are rarely called
//
// The files of this folder:
//
//     Graph            entering and leaving              EdgePool        allocation of edges
//     Node             the objects of nodes              Subscription    linking, unlinking, going live
//     Reading          reads that need the graph         Tracking        recording an evaluation's reads
//     Propagation      push: what may be stale           Validation      pull: what really is stale
//     DueWork          the queue of reactions            LiveReactions   the registry that keeps reactions alive
//     Flush            the flush at the end of the outermost operation
//     TakingOver       reactions that several threads have made due
//     Observation      sources that report whether they are observed
//     Routers          views that are evaluated before the nodes of their keys are used
//     TransactionLog   earlier values, for rollbacks and for values that are written back
//     OutsideReads     reads that observers outside of the library follow
//     FreedNode        nodes that end when their thread has released a different graph
//     DeferredReleases objects that are released later, without recursion
//     Cycles           the dependencies of a derivation on a cycle
//     GraphCallbacks   the functions of reactions that the graph calls
//     IndependentGraph graphs besides the default one
//     Invariants       the invariants below as code, for tests
//
// The algorithm is push-pull. A write pushes "maybe stale" down the edges and queues the reactions that it reaches
// (Propagation). A read, or a reaction that is next in the queue, pulls: it walks up to what really changed and
// re-evaluates only that (Validation). Every change of a value takes a new *epoch*. A node is valid if none of its
// sources changed after the epoch at which it was validated. Epochs also serve derivations without observers. Those
// keep their cache and their sources, but are in no source's list. They check at the next read, in O(1) if the graph's
// epoch has not changed.
//
// Words: a *walk* follows edges from node to node. A *path* is a chain of nodes, each of which reads the next. A *step*
// is one level of a pulling walk, and `path` in the graph's state is the list of the steps down to the current node. To
// *flush* is to run due work until there is none. To *dispatch* a reaction is to decide whether, where and when it
// runs. A thread that runs user code outside the lock during a flush is *absent*, and the reaction that it runs is *in
// flight*.
//
// Invariants, whenever the lock is free (Invariants.swift checks them, and that lists, counts and epochs are
// consistent):
//  1. A live derivation that is maybe stale has only (maybe) stale live observers. (One that is stale and not maybe
//     stale does not stop the push.)
//  2. A (maybe) stale reaction is queued, suspended, in flight on some thread, hopping to its actor, or left to its
//     schedule.
//  3. An edge is in its source's list exactly if its observer is live.
//  4. No evaluation is in progress; `path` and `worklist` are empty.
//  5. `due` is empty. Due work belongs to the threads that are absent, in their records.
//  6. A live observer that is not marked has been validated since the last change of its sources.
//  7. The log is empty, unless some thread is absent.

import CReactive

@usableFromInline package typealias GraphPointer = UnsafeMutablePointer<GraphState>

extension UnsafeMutablePointer where Pointee == GraphState {
    /// The graph of all state that is created outside of an `IndependentGraph`.
    @inlinable @inline(__always)
    static var `default`: GraphPointer { reactive_default_graph() }

    /// The graph of everything that is created now: the graph that this thread holds, or that of its scope, or the
    /// default one.
    @inlinable @inline(__always)
    package static var current: GraphPointer { reactive_current_graph() }

    /// Takes the graph's lock, or increments its depth. Without contention this costs one compare-and-swap. It costs
    /// none if the lock is nested, or if the thread has been the only user for long.
    ///
    /// - Parameter node: The node for which the lock is taken, if it is one node.
    @inlinable @inline(__always)
    package func enter(for node: NodePointer? = nil) {
        if !reactive_enter(self) { stopForMixing(with: reactive_current().pointee.graph.unsafelyUnwrapped, at: node) }
    }

    /// Balances one `enter`. The outermost call first flushes the graph: it runs the reactions that are due.
    @inlinable @inline(__always)
    package func leave() {
        if reactive_leave_needs_flush(self) { flush() }
    }

    /// Releases the lock, whatever its depth. Only for code that takes it again or ends the outermost operation.
    func unlock() {
        noteHoppingRouters()
        reactive_current().pointee.graph = nil
        reactive_unlock(self)
    }

    /// Takes the lock again that `unlock` released.
    func relock() {
        reactive_lock(self)
        let thread = reactive_current()
        thread.pointee.graph = self
        thread.pointee.depth = 1
    }
}
