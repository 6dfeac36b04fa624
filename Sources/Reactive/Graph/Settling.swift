// What the outermost operation does before it ends: run what is due until nothing is.
//
// Reactions' tracked closures run here with the graph locked. Whatever the contract keeps outside the lock (effects, cleanups, issue
// handlers) runs in `withLockReleased`, between two reactions: at depth one, with no evaluation and no walk in progress. While one
// thread is out there, another may lock the graph, write, and settle too: the queue is shared, so nobody waits for a thread that
// is busy in an effect. The reaction whose effect runs is `inFlight`, and every other thread leaves it alone; the thread that runs
// it looks at it again afterwards.
//
// An operation that is outermost as far as the lock goes, but nested in an effect on its own thread, leaves the queue to the loop
// further up that thread: this is what batches the writes of an effect.

import CReactive

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Ends the outermost operation. Precondition: this thread holds the graph once.
    @usableFromInline @inline(never)
    func settle() {
        if !pointee.work.isEmpty {
            noteSettler(if: hasQueuedReactions)
            if !isBeingSettledByThisThread { settling { doWork() } }
        }
        unlock()
        Trash.empty()
    }

    /// Ends the outermost operation, after which nothing but `reaction` is due. Precondition: as of `settle`, and this thread is settling
    /// no graph.
    func settle(startingWith reaction: ObserverPointer) {
        noteSettler()
        settling {
            reaction.reaction._withUnsafeGuaranteedRef { $0.stepFirst() }
            if !pointee.work.isEmpty { doWorkOutOfLine() }
        }
        unlock()
        Trash.empty()
    }

    /// Whether an operation of this graph, on this thread, is nested in an effect of it.
    @inline(__always)
    var isBeingSettledByThisThread: Bool {
        var next = reactive_current().pointee.settling
        while let settlement = next {
            if settlement.pointee.graph == self { return true }
            next = settlement.pointee.outer
        }
        return false
    }

    /// Runs what is due until nothing is.
    @inline(__always)
    private func doWork() {
        while true {
            noteSettler(if: hasQueuedReactions)
            if pointee.work.contains(.deferredActions) {
                let actions = takeDeferredActions()
                withLockReleased { for action in actions { action() } }
            } else if let next = dequeue() {
                next.reaction._withUnsafeGuaranteedRef { $0.step() }
            } else if !resumeSuspendedReactions() {
                break
            }
        }
        pointee.work = []
        if pointee.tracing != 0 { stopTracing() }
    }

    /// Apart, so that a write that concerns one reaction does not make room for all of it, and the queue does without a call. (Of the
    /// instructions of avoidable, the call took 2 %.)
    @inline(never)
    private func doWorkOutOfLine() { doWork() }

    /// Runs `body` while this thread counts as settling this graph.
    @inline(__always)
    private func settling(_ body: () -> Void) {
        let thread = reactive_current()
        var settlement = Settlement(graph: self, outer: thread.pointee.settling, since: pointee.epoch)
        _withUnprotectedUnsafeMutablePointer(to: &settlement) {
            thread.pointee.settling = $0
            body()
            thread.pointee.settling = $0.pointee.outer
        }
    }

    /// Notes whose reactions are due. What another thread makes due is no turn of a loop; see `Reaction.mayRunAgain`.
    @inline(__always)
    private func noteSettler(if isSomethingDue: @autoclosure () -> Bool = true) {
        let thread = reactive_current()
        // As numbers, since comparing optional pointers takes three times as many instructions.
        guard UInt(bitPattern: pointee.settler) != UInt(bitPattern: thread), isSomethingDue() else { return }
        pointee.settler = UnsafeMutableRawPointer(thread)
        pointee.handed_over_at = pointee.epoch
    }

    /// Runs user code that must not run under the lock, its writes batched. Precondition: this thread holds the graph once.
    func withLockReleased(_ body: () -> Void) {
        let thread = reactive_current()
        let scope = thread.pointee.scope
        thread.pointee.scope = self
        if isBeingSettledByThisThread {
            unlock()
            Trash.empty()
            body()
            relock()
        } else {
            settling {
                unlock()
                Trash.empty()
                body()
                relock()
            }
        }
        thread.pointee.scope = scope
    }

    // MARK: - Deferred actions

    /// Runs `action` once no graph is locked by this thread: now if none is.
    func deferAction(_ action: @escaping () -> Void) {
        if reactive_is_inside(self) {
            deferredWork.actions.append(action)
            pointee.work.insert(.deferredActions)
        } else {
            action()
        }
    }

    private func takeDeferredActions() -> [() -> Void] {
        pointee.work.remove(.deferredActions)
        defer { deferredWork.actions = [] }
        return deferredWork.actions
    }

    /// What the graph rarely needs. Made on first use; guarded by the lock.
    var deferredWork: DeferredWork {
        if let existing = pointee.deferred { return Unmanaged.fromOpaque(existing).takeUnretainedValue() }
        let work = DeferredWork()
        pointee.deferred = Unmanaged.passRetained(work).toOpaque()
        return work
    }
}

/// The part of a graph's state that needs Swift objects.
final class DeferredWork {
    /// To be run as soon as the lock is released.
    var actions: [() -> Void] = []
    /// What messages call the graph.
    var name: String?
    /// While tracing: which reaction last wrote a source.
    var writers: [NodePointer: ObserverPointer] = [:]
}
