// Loops: reactions that make one another run without end. They are suspended and resumed, and an issue names the loop.
//
// A suspended reaction stays out of the queue until all other work is done. Then it counts as validated, although it
// has not seen its last changes. So the next change from outside runs it again.
//
// To name a loop, the last runs before the limit record which reaction wrote which source. From the reaction that has
// reached the limit, the path goes backwards: the source that made it run, the reaction that wrote that source, the
// source that made that one run, until a reaction appears twice.
//
// A reaction that only reads what a loop writes runs as often as the loop, and may be the first to reach the limit. The
// path from it ends in a loop that it is no part of. Such a reaction continues: it must see the last value, and the
// loop reaches the limit a few runs later. A source may have several writers, and only the last one is recorded. So the
// reaction is suspended in any case at twice the limit.

import CReactive

/// The number of runs of one reaction, during one thread's flush of the graph, that counts as a loop.
private let runLimit = 100
/// The number of runs from which on writes are recorded, so that a loop can be named.
private let traceLimit = 80

extension Reaction {
    /// Whether the reaction may run once more in this flush. Suspends it if not.
    ///
    /// The count restarts when a change from outside affects a reaction in flight here, because the next runs are a
    /// response to that change.
    @inline(__always)
    func mayRunAgain() -> Bool {
        let since = reactive_current().pointee.flush?.pointee.since ?? 0
        return observer.pointee.validated_at < since || mayRunAgain(since)
    }

    @inline(never)
    private func mayRunAgain(_ since: UInt64) -> Bool {
        let options = ensureOptions()
        // Not if another thread has counted since: two threads could restart the count for each other without end.
        if options.repeatsSince < since {
            options.repeatsSince = since
            options.repeats = 0
        }
        options.repeats += 1
        // No test sees this always hold: writers would only be recorded earlier.
        // No test sees this boundary: they would be recorded later by one run.
        if options.repeats >= traceLimit { graph.startTracing() }
        guard options.repeats >= runLimit else { return true }
        let loop = graph.loop(behind: observer)
        if !loop.isPassed, options.repeats < 2 * runLimit { return true }
        graph.suspend(self, loop)
        return false
    }
}

/// What makes a reaction run again and again.
private struct Loop {
    /// Each reaction before the source that it writes. If a loop was found, the first name is also the last.
    let names: [String]
    /// Whether the loop passes through the reaction, as far as is known.
    let isPassed: Bool
}

extension UnsafeMutablePointer where Pointee == GraphState {
    fileprivate func suspend(_ reaction: Reaction, _ loop: Loop) {
        reaction.observer.flags.insert(.suspended)
        pointee.due.suspended.push(Unmanaged.passRetained(reaction).toOpaque())
        Diagnostics.report(
            .init(
                kind: .loop,
                message: """
                    \(reaction.name) runs in a loop: \(abbreviated(loop.names)). It is suspended until one of its \
                    dependencies changes from outside the loop. Make the writes converge, or wrap the reads in \
                    `untracked`.
                    """,
                site: NodeName.site(of: reaction.node.pointee)), in: self)
    }

    /// Ends the suspension of the reactions that this flush has suspended. Returns whether there were any.
    @inline(__always)
    func resumeSuspendedReactions() -> Bool {
        guard pointee.due.suspended.count > 0 else { return false }
        resumeSuspended()
        // No test sees this: the flush ends, and then stops tracing.
        return true
    }

    @inline(never)
    private func resumeSuspended() {
        let thread = reactive_current()
        while pointee.due.suspended.count > 0 {
            let reaction = Unmanaged<Reaction>.fromOpaque(pointee.due.suspended.pop(UnsafeMutableRawPointer.self))
            reaction._withUnsafeGuaranteedRef { reaction in
                // Another thread may have taken it over.
                // No test sees this always hold: only a reaction that two threads suspend would resume early.
                guard reaction.observer.flags.contains(.suspended), reaction.node.pointee.held_by == thread else {
                    return
                }
                rearm(reaction.observer)
                reaction.observer.flags.remove([.suspended, .stale])
                reaction.observer.pointee.validated_at = pointee.epoch
            }
            DeferredReleases.add(reaction.toOpaque())
        }
    }

    /// Begins to record writers for the flush of this thread, unless they are already recorded for another thread.
    func startTracing() {
        // No test sees this always hold: only the names differ if two threads loop at the same time.
        if pointee.tracing == nil { pointee.tracing = reactive_current().pointee.flush }
    }

    /// Ends the recording of writers, for the flush of this thread.
    @inline(__always)
    func stopTracing() {
        // No test sees this always hold: it only saves a call.
        if pointee.tracing != nil { stopTracingOfThisThread() }
    }

    @inline(never)
    private func stopTracingOfThisThread() {
        guard pointee.tracing == reactive_current().pointee.flush else { return }
        pointee.tracing = nil
        details.writers.removeAll()
    }

    /// Records the reaction that writes `source`, while a loop is being traced.
    func recordWriter(of source: NodePointer) {
        if let owner = Reaction.currentOwner { details.writers[source] = owner.observer }
    }

    /// Finds the loop that makes a reaction run.
    fileprivate func loop(behind reaction: ObserverPointer) -> Loop {
        var visited: [ObserverPointer] = []
        var names: [String] = []
        var current = reaction
        var isComplete = true
        while !visited.contains(current) {
            visited.append(current)
            names.append(NodeName.text(of: current.pointee.node))
            // The source that made the reaction due. For the others, the source that made them run, or, if its last
            // change is newer, that makes them run again.
            let lastRun = current.pointee.validated_at
            let previousRun = current.reaction._withUnsafeGuaranteedRef { $0.previousRun }
            let cause =
                (current == reaction ? nil : cause(of: current, after: previousRun, upTo: lastRun))
                ?? cause(of: current, after: lastRun, upTo: .max)
            guard let cause else {
                isComplete = false
                break
            }
            names += cause.path.map { NodeName.text(of: $0.pointee) }
            current = cause.writer
        }
        if isComplete { names.append(NodeName.text(of: current.pointee.node)) }
        // Found from effect to cause; returned from cause to effect.
        return Loop(names: names.reversed(), isPassed: !isComplete || current == reaction)
    }

    /// The path from a reaction to a source that changed in a period and whose writer is recorded, and the writer.
    private func cause(
        of reaction: ObserverPointer, after start: UInt64, upTo end: UInt64
    ) -> (path: [NodePointer], writer: ObserverPointer)? {
        for path in changedPaths(from: reaction, after: start, upTo: end) {
            if let source = path.last, let writer = details.writers[source] { return (path, writer) }
        }
        return nil
    }
}
