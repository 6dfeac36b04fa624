// Reactions that do not settle: suspending them, naming the loop, resuming them.
//
// A suspended reaction stays out of the queue until everything else is done. Then it counts as validated, although its last changes
// went unseen: the next change from outside finds it in order and runs it again.
//
// To name the loop, the last runs before the limit record which reaction wrote which source. From the suspended reaction the path
// goes back: what made it run, who wrote that, what made that one run, until a reaction appears twice.

import CReactive

/// How often a reaction may run while one thread settles the graph, before it counts as a loop.
private let runLimit = 100
/// The number of runs from which on writes are recorded, so that a loop can be named.
private let traceLimit = 80

extension Reaction {
    /// Whether the reaction may run once more in this flush. Suspends it if not.
    ///
    /// The count starts anew when a change from outside concerns a reaction in flight here: those runs follow that.
    @inline(__always)
    func mayRunAgain() -> Bool {
        let since = reactive_current().pointee.settling?.pointee.since ?? 0
        return observer.pointee.validated_at < since || mayRunAgain(since)
    }

    @inline(never)
    private func mayRunAgain(_ since: UInt64) -> Bool {
        let extras = needExtras()
        // Not if another thread has counted since: two could start anew for each other for ever.
        if extras.repeatsSince < since {
            extras.repeatsSince = since
            extras.repeats = 0
        }
        extras.repeats += 1
        if extras.repeats >= traceLimit { graph.startTracing() }
        guard extras.repeats >= runLimit else { return true }
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
                    \(reaction.name) does not settle: \(abbreviated(loop)). It is suspended until something it reads \
                    changes from outside. Make the writes in this loop stop at some value, or wrap the reads in untracked.
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
            Trash.add(reaction.toOpaque())
        }
    }

    /// Begins to record writers for the flush of this thread, unless they are recorded for another thread's.
    func startTracing() {
        if pointee.tracing == nil { pointee.tracing = reactive_current().pointee.settling }
    }

    /// Ends the recording of writers, for the flush of this thread.
    @inline(__always)
    func stopTracing() {
        if pointee.tracing != nil { stopTracingOfThisThread() }
    }

    @inline(never)
    private func stopTracingOfThisThread() {
        guard pointee.tracing == reactive_current().pointee.settling else { return }
        pointee.tracing = nil
        details.writers.removeAll()
    }

    /// Remembers who writes `source`, while a loop is being traced.
    func recordWriter(of source: NodePointer) {
        if let owner = Reaction.currentOwner { details.writers[source] = owner.observer }
    }

    /// The loop as names, each reaction before what it writes, the first also last.
    private func namesOfLoop(through reaction: ObserverPointer) -> [String] {
        let writers = details.writers
        var visited: [ObserverPointer] = []
        var names: [String] = []
        var current = reaction
        while !visited.contains(current) {
            visited.append(current)
            names.append(NodeName.text(of: current.pointee.node))
            // What made the suspended one due, and what made each of the others run.
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
        // Found from effect to cause; told from cause to effect.
        return names.reversed()
    }
}
