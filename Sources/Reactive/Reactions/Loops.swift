// Loops: reactions that make one another run without end. They are suspended and resumed, and an issue names the loop.
//
// A suspended reaction stays out of the queue until all other work is done. Then it counts as validated, although it
// has not seen its last changes. So the next change from outside runs it again.
//
// To name a loop, the last runs before the limit record which reaction wrote which source. From the suspended reaction,
// the path goes backwards: the source that made it run, the reaction that wrote that source, the source that made that
// one run, until a reaction appears twice.

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
        if options.repeats >= traceLimit { graph.startTracing() }
        guard options.repeats >= runLimit else { return true }
        graph.suspend(self)
        return false
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    func suspend(_ reaction: Reaction) {
        reaction.observer.flags.insert(.suspended)
        reaction.node.pointee.held_by = reactive_current()
        pointee.due.suspended.push(Unmanaged.passRetained(reaction).toOpaque())
        let loop = namesOfLoop(through: reaction.observer)
        Diagnostics.report(
            .init(
                kind: .loop,
                message: """
                    \(reaction.name) runs in a loop: \(abbreviated(loop)). It is suspended until one of its \
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
        return true
    }

    @inline(never)
    private func resumeSuspended() {
        stopTracing()
        let thread = reactive_current()
        while pointee.due.suspended.count > 0 {
            let reaction = Unmanaged<Reaction>.fromOpaque(pointee.due.suspended.pop(UnsafeMutableRawPointer.self))
            reaction._withUnsafeGuaranteedRef { reaction in
                // Another thread may have taken it over.
                guard reaction.observer.flags.contains(.suspended), reaction.node.pointee.held_by == thread else {
                    return
                }
                rearm(reaction.observer)
                reaction.observer.flags.remove([.suspended, .stale, .released])
                reaction.observer.pointee.validated_at = pointee.epoch
            }
            DeferredReleases.add(reaction.toOpaque())
        }
    }

    /// Begins to record writers for the flush of this thread, unless they are already recorded for another thread.
    func startTracing() {
        if pointee.tracing == nil { pointee.tracing = reactive_current().pointee.flush }
    }

    /// Ends the recording of writers, for the flush of this thread.
    @inline(__always)
    func stopTracing() {
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

    /// Returns the loop as names, each reaction before the source that it writes. The first name is also the last.
    private func namesOfLoop(through reaction: ObserverPointer) -> [String] {
        let writers = details.writers
        var visited: [ObserverPointer] = []
        var names: [String] = []
        var current = reaction
        while !visited.contains(current) {
            visited.append(current)
            names.append(NodeName.text(of: current.pointee.node))
            // The source that made the suspended reaction due, and the source that made each of the others run.
            let causes =
                current == reaction
                ? changedPaths(from: current, after: current.pointee.validated_at, upTo: .max)
                : current.reaction._withUnsafeGuaranteedRef {
                    changedPaths(from: current, after: $0.previousRun, upTo: current.pointee.validated_at)
                }
            guard let path = causes.first(where: { writers[$0[$0.count - 1]] != nil }),
                let source = path.last, let writer = writers[source]
            else { break }
            names += path.map { NodeName.text(of: $0.pointee) }
            current = writer
        }
        names.append(NodeName.text(of: current.pointee.node))
        // Found from effect to cause; returned from cause to effect.
        return names.reversed()
    }
}
