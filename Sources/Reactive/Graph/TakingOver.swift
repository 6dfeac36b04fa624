// Who runs a reaction that several threads have made due: the one that wrote last.
//
// A reaction that waits behind an effect of an absent thread is that thread's. If another thread now writes something that the reaction
// reads, it takes the reaction over: otherwise an effect that blocks would hold back the other thread's changes as well.
//
//     A's queue: R2 R3        B writes what R2 reads        A's queue: (R2) R3    B's queue: R2
//
// `held_by` says whose a queued, suspended or flying reaction is. A's entry stays where it is, with a reference of its own; A drops both
// when it comes to an entry that is no longer its own. (So there are always as many references as entries, the registry's included.)
//
// - *Marks do not stop the push.* A derivation that may be stale already has marked what is below it, but that was A. While another
//   absent thread has something to do, a push visits everything downstream.
// - *Written back means not written.* If B's transaction is rolled back, or leaves the values as they were, B has made nothing due. So
//   before B runs or leaves anything, it gives back the reactions of which no source has changed since they were taken over.
// - *Suspended reactions* are taken over as well: another thread's change is one from outside.
// - *A reaction in flight* stays with its thread, which begins to count anew how often it runs; see Loops.swift. (A loop through effects
//   that run on two threads at the same time is therefore not found.)

import CReactive

/// A reaction that was another thread's.
private struct TakenOver: BitwiseCopyable {
    var reaction: ObserverPointer
    var formerHolder: UnsafeMutablePointer<ThreadContext>
    var wasSuspended: Bool
    /// The epoch of the change that it was taken over for.
    var epoch: UInt64
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Puts a reaction into this thread's queue. Precondition: nothing holds it.
    @inline(__always)
    func enqueue(_ reaction: ObserverPointer) {
        reaction.flags.insert(.queued)
        reaction.pointee.node.held_by = reactive_current()
        pointee.due.enqueue(reaction)
    }

    /// Queues a reaction of which something upstream has changed, or takes it over, unless it is where it will be looked at anyway.
    @inline(__always)
    func makeDue(_ reaction: ObserverPointer) {
        if reaction.flags.isDisjoint(with: .held) {
            enqueue(reaction)
        } else if pointee.absences != nil {
            takeOver(reaction, since: pointee.epoch)
        }
    }

    /// Does what `makeDue` does, for a reaction that is to be looked at here although nothing has changed just now.
    func makeDueAnyway(_ reaction: ObserverPointer) {
        if reaction.flags.isDisjoint(with: .held) { enqueue(reaction) } else { takeOver(reaction, since: 0) }
    }

    /// - Parameter epoch: The reaction is given back unless something has changed since then.
    @inline(never)
    private func takeOver(_ reaction: ObserverPointer, since epoch: UInt64) {
        let flags = reaction.flags
        guard flags.isDisjoint(with: .cancelled), let holder = reaction.pointee.node.held_by,
            holder != reactive_current()
        else { return }
        let isSuspended = flags.contains(.suspended)
        if flags.contains(.queued) {
            _ = reaction.asNode.object.retain()
        } else if isSuspended {
            // The list of suspended reactions has a reference anyway.
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

    /// Lets an absent thread's flush count its loops anew.
    private func noteOutsideChange(inFlightOn thread: UnsafeMutablePointer<ThreadContext>) {
        var next = pointee.absences
        while let absence = next {
            if absence.pointee.thread == thread { absence.pointee.flush.pointee.since = pointee.epoch }
            next = absence.pointee.next
        }
    }

    /// Gives back what this thread has taken over and nothing has changed for. Precondition: it has not left the lock since.
    @inline(never)
    func giveBack() {
        let thread = reactive_current()
        pointee.due.work.remove(.takenOver)
        while pointee.due.taken_over.count > 0 {
            let taken = pointee.due.taken_over.pop(TakenOver.self)
            let reaction = taken.reaction
            guard reaction.flags.contains(.queued), reaction.pointee.node.held_by == thread,
                reaction.flags.isDisjoint(with: .cancelled), !hasChangedSource(reaction, since: taken.epoch)
            else { continue }
            // This thread's entry stays, as the other one's did.
            if taken.wasSuspended {
                _ = reaction.asNode.object.retain()
                reaction.flags = reaction.flags.subtracting(.queued).union(.suspended)
            }
            reaction.pointee.node.held_by = taken.formerHolder
        }
    }

    /// Whether state upstream of a reaction has changed since an epoch. Complexity: O(what it depends on).
    private func hasChangedSource(_ reaction: ObserverPointer, since epoch: UInt64) -> Bool {
        var observers = [reaction]
        Callbacks.forEachDuePart(of: reaction) { observers.append($0) }
        var visited: Set<NodePointer> = []
        while let observer = observers.popLast() {
            // Those that have been evaluated since show in the derivation's epoch.
            observer.forEachCollectedPart { observers.append($0) }
            var edge = observer.pointee.sources
            while let source = edge.pointee.source {
                let flags = source.pointee.flags
                let isDerivation = flags.contains(.derivation)
                if !isDerivation || flags.contains(.parted), source.pointee.changed_at >= epoch { return true }
                if isDerivation, visited.insert(source).inserted {
                    observers.append(source.asObserver)
                }
                edge = edge.pointee.next_source
            }
        }
        return false
    }

    // MARK: - Past the marks

    /// Whether another thread is absent that has something to do.
    var othersHaveDueWork: Bool {
        let thread = reactive_current()
        var next = pointee.absences
        while let absence = next {
            if absence.pointee.thread != thread, !absence.pointee.due.isUntouched { return true }
            next = absence.pointee.next
        }
        return false
    }

    /// Marks the observers from `first` on as maybe stale, and all that is below them, whether it is marked already or not.
    @inline(never)
    func markAllBelow(_ first: EdgePointer) {
        visit(first, while: { !$0.contains(.visited) }) { $0.union([.visited, .maybeStale]) }
        visit(first, while: { $0.contains(.visited) }) { $0.subtracting(.visited) }
    }
}
