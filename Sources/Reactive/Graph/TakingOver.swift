// Taking over: a reaction that several threads have made due runs on the thread that wrote last.
//
// A reaction that waits behind an effect of an absent thread belongs to that thread. If another thread now writes
// something that the reaction reads, it takes the reaction over. Otherwise an effect that blocks would also delay the
// other thread's changes.
//
//     A's queue: R2 R3        B writes what R2 reads        A's queue: (R2) R3    B's queue: R2
//
// `held_by` stores the thread that a queued or suspended reaction, or one in flight, belongs to. A's entry stays in A's
// queue, with a reference of its own. When A reaches an entry that no longer belongs to it, it drops the entry and the
// reference. (So there are always as many references as entries, including the registry's.)
//
// - *Marks do not stop the push.* A derivation that may already be stale has marked its observers, but the push that
//   did so was A's. While another absent thread has work to do, a push visits everything downstream.
// - *A write that is undone is no write.* If B's transaction is rolled back, or leaves the values as they were, B has
//   made nothing due. So before B runs anything or leaves the lock, it hands back those reactions of which no source
//   has changed since they were taken over.
// - *Suspended reactions* are taken over too: another thread's change is a change from outside.
// - *A reaction in flight* stays with its thread, which restarts the count of its runs; see Loops.swift. (Therefore a
//   loop through effects that run on two threads at the same time is not detected.)

import CReactive

/// A reaction that belonged to another thread.
private struct TakenOver: BitwiseCopyable {
    var reaction: ObserverPointer
    var formerHolder: UnsafeMutablePointer<ThreadContext>
    var wasSuspended: Bool
    /// The epoch of the change for which it was taken over.
    var epoch: UInt64
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Adds a reaction to this thread's queue. Precondition: nothing holds it.
    @inline(__always)
    func enqueue(_ reaction: ObserverPointer) {
        reaction.flags.insert(.queued)
        reaction.pointee.node.held_by = reactive_current()
        pointee.due.enqueue(reaction)
    }

    /// Queues a reaction after a change upstream, or takes it over. Does nothing if this thread already holds it.
    @inline(__always)
    func makeDue(_ reaction: ObserverPointer) {
        if reaction.flags.isDisjoint(with: .held) {
            enqueue(reaction)
            // No test sees this always hold: it only saves a call.
        } else if pointee.absences != nil {
            takeOver(reaction, since: pointee.epoch)
        }
    }

    /// Does what `makeDue` does, for a reaction that must be checked here although nothing has just changed.
    func makeDueWithoutChange(_ reaction: ObserverPointer) {
        if reaction.flags.isDisjoint(with: .held) { enqueue(reaction) } else { takeOver(reaction, since: 0) }
    }

    /// - Parameter epoch: The reaction is handed back unless something has changed since this epoch.
    @inline(never)
    private func takeOver(_ reaction: ObserverPointer, since epoch: UInt64) {
        let flags = reaction.flags
        // No test sees this: a cancelled reaction reads nothing, and so is not reached.
        guard flags.isDisjoint(with: .cancelled), let holder = reaction.pointee.node.held_by,
            holder != reactive_current()
        else { return }
        let isSuspended = flags.contains(.suspended)
        if flags.contains(.queued) {
            _ = reaction.asNode.object.retain()
        } else if isSuspended {
            // The list of suspended reactions already has a reference.
            reaction.flags.remove(.suspended)
        } else {
            if flags.contains(.inFlight) { noteOutsideChange(inFlightOn: holder) }
            return
        }
        pointee.due.work.insert(.takenOver)
        pointee.due.taken_over.push(
            TakenOver(reaction: reaction, formerHolder: holder, wasSuspended: isSuspended, epoch: epoch))
        enqueue(reaction)
    }

    /// Makes an absent thread's flush restart its count of runs.
    private func noteOutsideChange(inFlightOn thread: UnsafeMutablePointer<ThreadContext>) {
        var next = pointee.absences
        while let absence = next {
            if absence.pointee.thread == thread { absence.pointee.flush.pointee.since = pointee.epoch }
            next = absence.pointee.next
        }
    }

    /// Hands unchanged reactions that this thread has taken over back to their former threads. Precondition: this
    /// thread has not left the lock since.
    @inline(never)
    func handBack() {
        let thread = reactive_current()
        pointee.due.work.remove(.takenOver)
        while pointee.due.taken_over.count > 0 {
            let taken = pointee.due.taken_over.pop(TakenOver.self)
            let reaction = taken.reaction
            // No test sees this: nothing has run since.
            guard reaction.flags.contains(.queued), reaction.pointee.node.held_by == thread,
                reaction.flags.isDisjoint(with: .cancelled), !hasChangedSource(reaction, since: taken.epoch)
            else { continue }
            // This thread's entry stays, as the other thread's did.
            if taken.wasSuspended {
                _ = reaction.asNode.object.retain()
                reaction.flags = reaction.flags.subtracting(.queued).union(.suspended)
            }
            reaction.pointee.node.held_by = taken.formerHolder
        }
    }

    /// Returns whether state upstream of a reaction has changed since an epoch. Complexity: O(dependencies).
    private func hasChangedSource(_ reaction: ObserverPointer, since epoch: UInt64) -> Bool {
        var observers = [reaction]
        Callbacks.forEachDuePart(of: reaction) { observers.append($0) }
        var visited: Set<NodePointer> = []
        while let observer = observers.popLast() {
            // For parts that have been evaluated since, the derivation's epoch shows the change.
            observer.forEachCollectedPart { observers.append($0) }
            var edge = observer.pointee.sources
            while let source = edge.pointee.source {
                let flags = source.pointee.flags
                let isDerivation = flags.contains(.derivation)
                if !isDerivation || flags.contains(.parted), source.pointee.changed_at >= epoch { return true }
                // No test sees this always hold: it only saves walks.
                if isDerivation, visited.insert(source).inserted {
                    observers.append(source.asObserver)
                }
                edge = edge.pointee.next_source
            }
        }
        return false
    }

    // MARK: - Past the marks

    /// Whether another thread is absent and has work to do.
    var othersHaveDueWork: Bool {
        let thread = reactive_current()
        var next = pointee.absences
        while let absence = next {
            // No test sees this always hold: it only saves walks past the marks.
            if absence.pointee.thread != thread, !absence.pointee.due.isUntouched { return true }
            next = absence.pointee.next
        }
        // No test sees this: it only saves walks past the marks.
        return false
    }

    /// Marks the observers from `first` on and everything below them as maybe stale, even if they are already marked.
    @inline(never)
    func markAllBelow(_ first: EdgePointer) {
        // No test sees this left out: it only saves further visits.
        visit(first, while: { !$0.contains(.visited) }) { $0.union([.visited, .maybeStale]) }
        visit(first, while: { $0.contains(.visited) }) { $0.subtracting(.visited) }
    }
}
