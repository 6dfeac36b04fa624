// The graph: one lock, two counters, and the work in progress, shared by the nodes that point to it.
//
// This folder is the lowest floor of the library. It knows nodes, edges, marks and due work; it knows no value, no
// closure and no reaction as a type. The folders stand on one another in this order, and each names only what is below
// it (`.ci/floors` checks that):
//
//     PackageInterface   what the package's other modules use besides the public face
//     Diagnostics        what is alive, what depends on what, how things print
//     Bridges            observers that follow what other libraries observe
//     Reactions          what runs again; implements what the graph asks for, in Callbacks.swift
//     Derivations        values computed from others
//     State              values that are written, and how values are compared
//     Transactions       several writes as one change
//     Issues             what went wrong and was survived
//     Isolation          actors, owners that are held weakly, small locks
//     Graph              this folder; CReactive, below it, has the layout and the lock
//
// The graph reaches up in two ways, which lead to all user code there is:
//
//     _Node, _Derivation   overridden methods and a function in each node: put a value back, compare it, compute it anew
//     GraphCallbacks       static functions that `Callbacks` implements: run a reaction, notify it through one of its
//                          parts, and a few that are rarely called
//
// How the files of this folder divide the work:
//
//     Graph            entering and leaving              EdgePool        where edges come from
//     Node             what a node is                    Subscription    linking, unlinking, going live
//     Reading          what a read asks                  Tracking        recording an evaluation's reads
//     Propagation      push: what may be stale           Validation      pull: what really is stale
//     DueWork          which reaction is next            LiveReactions   the registry that keeps reactions alive
//     Settling         what the outermost operation does before it ends
//     TakingOver       who runs what several threads made due
//     Observation      sources that are to know whether somebody observes them
//     Routers          views that are evaluated before anybody relies on the nodes of their keys
//     TransactionLog   earlier values, for roll-backs and for values that are written back
//     OutsideReads     reads that observers outside of the library follow
//     FreedNode        nodes that end when their thread has released a different graph
//     Trash            releasing objects late and without recursion
//     Cycles           what a derivation on a cycle depends on
//     GraphCallbacks   what is asked of reactions
//     IndependentGraph graphs besides the default one
//     Invariants       what holds whenever the lock is free, as code for tests
//
// The algorithm is push-pull. A write pushes "maybe stale" down the edges and queues the reactions it meets (Propagation). A
// reaction whose turn it is, or a read, pulls: it walks up to what really changed and re-evaluates only that (Validation). Every change of
// a value takes a new *epoch*; a node is valid if none of its sources changed after the epoch it was validated at. Epochs also
// serve derivations that nobody observes: they keep their cache and their sources, are in nobody's list, and check at the next
// read, in O(1) if the graph's epoch has not moved.
//
// Invariants, whenever the lock is free (Invariants.swift checks them, and that lists, counts and epochs are consistent):
//  1. A live derivation that is maybe stale has only (maybe) stale live observers. (One that is stale and not maybe stale
//     does not stop the push.)
//  2. A (maybe) stale reaction is queued, suspended, in flight on some thread, on its way to its actor, or left to its schedule.
//  3. An edge is in its source's list exactly if its observer is live.
//  4. No evaluation is in progress; `path` and `worklist` are empty.
//  5. `due` is empty. What is due belongs to the threads that are absent, in their records.
//  6. A live observer that is not marked has been validated since its sources changed last.
//  7. The log is empty, unless some thread is absent.

import CReactive

@usableFromInline typealias GraphPointer = UnsafeMutablePointer<GraphState>

extension UnsafeMutablePointer where Pointee == GraphState {
    /// The graph that state belongs to unless told otherwise.
    @inlinable @inline(__always)
    static var `default`: GraphPointer { reactive_default_graph() }

    /// The graph that what is made now belongs to: the one that this thread holds, or that of its scope, or the default one.
    @inlinable @inline(__always)
    static var current: GraphPointer { reactive_current_graph() }

    /// Takes the graph's lock, or counts one level more. Uncontended: one compare-and-swap; none when nested, or where the
    /// thread has been the only one for long.
    ///
    /// - Parameter node: What it is taken for, if that is one node.
    @inlinable @inline(__always)
    func enter(for node: NodePointer? = nil) {
        if !reactive_enter(self) { stopForMixing(with: reactive_current().pointee.graph.unsafelyUnwrapped, at: node) }
    }

    /// Undoes one `enter`. The outermost settles the graph first: runs the reactions that are due.
    @inlinable @inline(__always)
    func leave() {
        if reactive_leave_needs_settling(self) { settle() }
    }

    /// Gives the lock up, whatever the depth. Only for code that takes it again or ends the outermost operation.
    func unlock() {
        lookForRouters()
        let thread = reactive_current()
        thread.pointee.graph = nil
        thread.pointee.depth = 0
        reactive_unlock(self)
    }

    /// Takes the lock that `unlock` gave up.
    func relock() {
        reactive_lock(self)
        let thread = reactive_current()
        thread.pointee.graph = self
        thread.pointee.depth = 1
    }
}
