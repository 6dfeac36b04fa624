// Reactions whose runs other modules schedule themselves: hosts that render, and the history.

import CReactive

extension Reaction {
    /// Runs the tracked closure now if something that it read has changed, regardless of the schedule and the
    /// isolation. Under the lock.
    ///
    /// The effect runs when the reaction is next due, as usual. Does nothing inside its own run, or once it is
    /// cancelled.
    package func catchUp() {
        let graph = graph
        graph.enter()
        defer { graph.leave() }
        updateKeys()
        // No test sees this left out: a cancelled reaction has no closure that could run.
        guard observer.flags.isDisjoint(with: [.cancelled, .running]), needsRun() else { return }
        runNested()
    }

    /// Runs the reaction and its effect now, if it is due and waits for a hop to the actor of the calling code. If this
    /// thread is in an operation, it runs at the end of that.
    package func runIfDue() {
        let graph = graph
        graph.enter()
        // No test sees this always hold: a cancelled reaction that is due does not run.
        if observer.flags.isDisjoint(with: .cancelled) { graph.makeDueWithoutChange(observer) }
        graph.leave()
    }

    /// Runs the tracked closure now, on this thread, whether or not something has changed. Notifies no observer, and
    /// leaves nothing in the queue for other threads.
    package func runNow() {
        let graph = graph
        graph.enter()
        defer { graph.leave() }
        // No test sees this always hold: `runIfStale` looks again.
        // No test sees this left out: as above.
        guard observer.flags.isDisjoint(with: [.cancelled, .running]) else { return }
        observer.flags.insert(.stale)
        runIfStale()
    }

    /// Whether something that the last run read has changed; see `Schedule.notifyOnly`.
    package var isStale: Bool {
        let graph = graph
        graph.enter()
        defer { graph.leave() }
        updateKeys()
        return needsRun()
    }

    /// Whether no other thread has made a run due since `setHost`. If so, the thread that called `setHost` caused the
    /// run that is due. Used to tell loops from changes.
    package var isUndisturbed: Bool {
        let graph = graph
        graph.enter()
        defer { graph.leave() }
        return options?.isDisturbed != true
    }

    /// Records that this thread renders. From now on, a run that another thread makes due is a change from outside.
    package func setHost() {
        let graph = graph
        graph.enter()
        options?.host = reactive_current()
        options?.isDisturbed = false
        graph.leave()
    }

    /// Marks all changes as seen: only the next change makes a run due. Does nothing if another thread has made a run
    /// due.
    ///
    /// - Returns: Whether it did so.
    package func forgetChanges() -> Bool {
        let graph = graph
        graph.enter()
        defer { graph.leave() }
        guard isUndisturbed else { return false }
        updateKeys()
        graph.rearm(observer)
        options?.parts?.forgetChanges()
        observer.flags.remove(.stale)
        observer.pointee.validated_at = graph.pointee.epoch
        return true
    }
}

extension ObserverScope {
    /// Renders now, on this thread, whether or not something has changed. Notifies no observer, and leaves nothing in
    /// the queue for other threads.
    package func render() { reaction.runNow() }

    /// Whether something that the last render read has changed. For hosts that schedule their renders themselves; see
    /// `Schedule.notifyOnly`.
    package var isStale: Bool { reaction.isStale }
}
