// For our own modules: bringing a reaction up to date ahead of its turn, and asking how new a value is.

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
        runNested()
    }
}

extension _Node {
    /// A number that grows whenever the value changes. Valid under the lock, right after a read.
    package final var version: UInt64 { node.pointee.changed_at }
}

extension ThrowingComputed {
    /// A number that grows whenever the value changes. Valid under the lock, right after a read.
    package var version: UInt64 { result.version }
}
