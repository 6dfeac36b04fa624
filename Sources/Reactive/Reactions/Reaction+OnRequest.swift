// Running a reaction on request: for scopes, whose output is never stale, and for hosts that render in turns of their
// own.

import CReactive

extension Reaction {
    /// Runs the tracked part now, on this thread, whether or not something has changed. Tells nobody, and leaves
    /// nothing in the queue for other threads.
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

    /// Whether no other thread has made a run due since `takeOver`, so that one that is due is so by the doing of the
    /// thread that called that. For telling loops from changes.
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

    /// Runs the tracked part now if what it read has changed. Under the lock. What the last run owned ends first:
    /// outside the lock, unless an enclosing transaction or tracked closure holds it.
    func runIfStale() {
        let flags = observer.flags
        guard flags.isDisjoint(with: [.running, .cancelled]), !flags.isDisjoint(with: [.stale, .maybeStale]),
            flags.contains(.stale) || graph.mustEvaluate(observer), let extras
        else { return }
        if !extras.tracked.isEmpty {
            let items = extras.tracked.takeItems()
            observer.flags.insert(.stale)
            if reactive_current().pointee.depth == 1 {
                // While another thread is in the effect, it stays that one's.
                if flags.contains(.inFlight) {
                    leaveLock { OwnedScope.dispose(items) }
                } else {
                    fly { OwnedScope.dispose(items) }
                }
            } else {
                OwnedScope.dispose(items)
            }
            // Unless it was cancelled or run meanwhile.
            guard observer.flags.contains(.stale) else {
                if observer.flags.contains(.maybeStale) || extras.effect?.isDue == true { lookAgain() }
                return
            }
        }
        runNested()
        if extras.effect?.isDue == true { lookAgain() }
    }
}
