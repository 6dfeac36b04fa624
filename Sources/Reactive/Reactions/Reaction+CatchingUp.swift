// For our own modules: bringing a reaction up to date ahead of its turn, asking where the calling thread stands, and holding the graph.

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
    package static var holdsGraph: Bool { reactive_current().pointee.graph != nil }

    /// Whether what it reads now is recorded.
    package static var isTracking: Bool { reactive_current().pointee.active != nil }

    /// Whether it is in a transaction that can still be taken back.
    package static var mayRollBack: Bool { (reactive_current().pointee.graph?.pointee.rollback_depth ?? 0) > 0 }
}

/// Runs `body` with the graph locked, tracked as the caller is.
package func holdingGraph<R>(_ body: () throws -> R) rethrows -> R {
    let graph = GraphPointer.default
    graph.enter()
    defer { graph.leave() }
    return try body()
}

extension _Node {
    /// A number that grows whenever the value changes. Valid under the lock, right after a read.
    package final var version: UInt64 { node.pointee.changed_at }
}

extension ThrowingComputed {
    /// A number that grows whenever the value changes. Valid under the lock, right after a read.
    package var version: UInt64 { result.version }
}
