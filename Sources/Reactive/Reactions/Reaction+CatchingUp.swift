// For our own modules: bringing a reaction up to date ahead of its turn, and asking where the calling thread stands.

import CReactive

extension Reaction {
    /// Runs the tracked part now if what it read has changed, whatever the schedule and the isolation say. Under the lock.
    ///
    /// What it finds out is delivered when the reaction's turn comes, as ever. Does nothing inside its own run, or once it is cancelled.
    package func catchUp() {
        let graph = graph
        graph.enter()
        defer { graph.leave() }
        guard observer.flags.isDisjoint(with: [.cancelled, .running]), needsRun() else { return }
        run()
    }
}

/// Where the calling thread stands.
package enum CurrentThread {
    /// Whether it holds the graph: in a transaction, or in a closure that is tracked.
    package static var holdsGraph: Bool { reactive_is_inside(GraphPointer.default) }

    /// Whether it is in a transaction that can still be taken back.
    package static var mayRollBack: Bool { holdsGraph && GraphPointer.default.pointee.rollback_depth > 0 }
}
