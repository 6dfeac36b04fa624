// Reactions for modules that decide themselves when one runs: hosts, which render in turns of their own, and the history.

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

    /// Runs the tracked part now, on this thread, whether or not something has changed. Tells nobody, and leaves nothing in the queue for
    /// other threads.
    package func runNow() {
        let graph = graph
        graph.enter()
        defer { graph.leave() }
        guard observer.flags.isDisjoint(with: [.cancelled, .running]) else { return }
        observer.flags.insert(.stale)
        runIfStale()
    }

    /// Whether something that the last run read has changed; see `Schedule.told`.
    package var isStale: Bool {
        let graph = graph
        graph.enter()
        defer { graph.leave() }
        return needsRun()
    }

    /// Whether no other thread has made a run due since `takeOver`, so that one that is due is so by the doing of the thread that called
    /// that. For telling loops from changes.
    package var isUndisturbed: Bool {
        let graph = graph
        graph.enter()
        defer { graph.leave() }
        return extras?.isDisturbed != true
    }

    /// Notes that this thread renders: what makes a run due on another one is a change from outside.
    package func takeOver() {
        let graph = graph
        graph.enter()
        extras?.host = reactive_current()
        extras?.isDisturbed = false
        graph.leave()
    }

    /// Counts what has changed as seen: only the next change makes a run due. Does nothing if it is disturbed.
    ///
    /// - Returns: Whether it did so.
    package func forgetChanges() -> Bool {
        let graph = graph
        graph.enter()
        defer { graph.leave() }
        guard isUndisturbed else { return false }
        graph.rearm(observer)
        extras?.parts?.forgetChanges()
        observer.flags.remove(.stale)
        observer.pointee.validated_at = graph.pointee.epoch
        return true
    }
}

extension ObserverScope {
    /// Renders now, on this thread, whether or not something has changed. Tells nobody, and leaves nothing in the queue for other threads.
    package func render() { reaction.runNow() }

    /// Whether something that the last render read has changed. For hosts that render in turns of their own; see `Schedule.told`.
    package var isStale: Bool { reaction.isStale }
}
