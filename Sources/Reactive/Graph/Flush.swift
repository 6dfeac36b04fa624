// The flush: before the outermost operation ends, it runs the work that it has made due until there is none.
//
// Reactions' tracked closures run here with the graph locked. Effects, cleanups and issue handlers are promised to run
// outside the lock. They run in `withLockReleased`, between two reactions: at depth one, with no evaluation and no walk
// in progress.
//
// A thread runs only the work that its own writes have made due. While the lock is held, `due` in the graph's state
// belongs to the thread that holds it. A thread that releases the lock in the middle of a flush is *absent* until it
// takes the lock again. Meanwhile its remaining work is in a record on its stack:
//
//     thread A   write ─▶ flush: effect of R1 ...................... ─▶ R2, R3
//                         └─ absence: R2, R3 are due ─┘ takes the lock again
//     thread B                 read, create, write something else: nothing is due here
//                              write what R2 reads: R2 is taken over, and runs here
//
// So no thread waits for a thread that is busy in an effect, and no thread does another's work. TakingOver.swift has
// the exception in the last line. The reaction whose effect runs is `inFlight`, and other threads do not run it. The
// thread that runs it checks it again when it holds the lock.
//
// An operation may be the outermost one that holds the lock, but be nested in an effect on its own thread. It then
// passes the work that it makes due to the enclosing flush on that thread. This batches the writes of an effect.

import CReactive

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Ends the outermost operation. Precondition: this thread holds the graph once.
    @usableFromInline @inline(never)
    func flush() {
        // No test sees this: with nothing due, a flush does nothing.
        if !pointee.due.work.isEmpty {
            if let absence = absenceOfThisThread {
                // No test sees this always hold: the call then does nothing.
                if pointee.due.work.contains(.routers) { updateRouters() }
                // No test sees this always hold: the call then does nothing.
                if pointee.due.work.contains(.takenOver) { handBack() }
                absence.pointee.due.take(from: &pointee.due)
            } else {
                runAsFlush { doWork() }
            }
        }
        unlock()
        DeferredReleases.releaseAll()
    }

    /// Ends the outermost operation, with only `reaction` due. Precondition: that of `flush`, and this thread is
    /// flushing no graph.
    func flush(startingWith reaction: ObserverPointer) {
        runAsFlush {
            // No test sees this: it only saves checks.
            Callbacks.run(reaction, isOnly: true)
            // No test sees this: it only saves a call.
            if !pointee.due.work.isEmpty { doWorkOutOfLine() }
        }
        unlock()
        DeferredReleases.releaseAll()
    }

    /// The flush of this graph, on this thread, in whose effect the current operation is nested.
    @inline(__always)
    private var flushOfThisThread: UnsafeMutablePointer<Flush>? {
        var next = reactive_current().pointee.flush
        while let flush = next {
            if flush.pointee.graph == self { return flush }
            next = flush.pointee.outer
        }
        return nil
    }

    /// Whether an operation of this graph, on this thread, is nested in a flush of it.
    @inline(__always)
    var isBeingFlushedByThisThread: Bool { flushOfThisThread != nil }

    /// The absence of this thread from the graph, in which the current operation is nested.
    var absenceOfThisThread: UnsafeMutablePointer<Absence>? { flushOfThisThread?.pointee.absence }

    /// Runs due work until there is none.
    @inline(__always)
    private func doWork() {
        let thread = reactive_current()
        while true {
            if !pointee.due.work.isDisjoint(with: [.routers, .deferredActions, .takenOver]) {
                doWorkBeforeReactions()
            } else if let next = pointee.due.dequeue() {
                let holder = next.pointee.node.held_by
                // As numbers, since comparing optional pointers takes three times as many instructions.
                if next.flags.contains(.queued), UInt(bitPattern: holder) == UInt(bitPattern: thread) {
                    // No test sees this: with the run in the log of another thread's effect, more would run than must.
                    if pointee.log_count > 0 { claimLog() }
                    Callbacks.run(next, isOnly: false)
                } else {
                    // Another thread has taken it over, and left a reference.
                    releaseLater(next.asNode.object)
                }
            } else if pointee.due.observation.count > 0 {
                reportObservation()
            } else if !Callbacks.flushEnds(in: self) {
                break
            }
        }
        pointee.due.work = []
    }

    @inline(never)
    private func doWorkBeforeReactions() {
        // No test sees this always hold: the call then does nothing.
        if pointee.due.work.contains(.routers) { updateRouters() }
        // No test sees this always hold: the call then does nothing.
        if pointee.due.work.contains(.takenOver) { handBack() }
        guard pointee.due.work.contains(.deferredActions) else { return }
        let actions = pointee.due.takeActions()
        withLockReleased { for action in actions { action.run() } }
    }

    /// A separate function, so that a write that affects one reaction does not reserve stack for all of it, and the
    /// queue is inlined there. (In the benchmark avoidable, the call took 2 % of the instructions.)
    @inline(never)
    private func doWorkOutOfLine() { doWork() }

    /// Runs `body` as a flush of this graph on this thread.
    @inline(__always)
    private func runAsFlush(_ body: () -> Void) {
        let thread = reactive_current()
        _withUnprotectedUnsafeTemporaryAllocation(of: Flush.self, capacity: 1) { buffer in
            let flush = buffer.baseAddress.unsafelyUnwrapped
            flush.initialize(to: Flush(graph: self, outer: thread.pointee.flush, since: pointee.epoch, absence: nil))
            thread.pointee.flush = flush
            body()
            thread.pointee.flush = flush.pointee.outer
        }
    }

    // MARK: - Outside the lock

    /// Runs user code, its writes batched. Precondition: this thread holds no graph.
    func runUnlocked(_ body: () -> Void) {
        enter()
        withLockReleased(body)
        leave()
    }

    /// Runs user code that must not run under the lock, its writes batched. Precondition: this thread holds the graph
    /// once.
    @inline(never)
    func withLockReleased(_ body: () -> Void) {
        // No test sees this: only in a loop with changes of other threads a second record counts differently.
        if isBeingFlushedByThisThread {
            withLockReleasedInFlush(body)
        } else {
            runAsFlush { withLockReleasedInFlush(body) }
        }
    }

    /// Does what `withLockReleased` does. Precondition: this thread is flushing the graph.
    @inline(__always)
    func withLockReleasedInFlush(_ body: () -> Void) {
        let thread = reactive_current()
        let scope = thread.pointee.scope
        thread.pointee.scope = self
        runWhileAbsent(from: flushOfThisThread.unsafelyUnwrapped, body)
        thread.pointee.scope = scope
    }

    @inline(__always)
    private func runWhileAbsent(from flush: UnsafeMutablePointer<Flush>, _ body: () -> Void) {
        // No test sees this: an evaluation that has ended has updated them; only those that hop are left.
        if pointee.due.work.contains(.routers) { updateRouters() }
        // No test sees this: only the explorer of schedules makes a run take over a reaction just before its effect.
        if pointee.due.work.contains(.takenOver) { handBack() }
        // Determines the stack limit if it is not known, and so notices if the thread ends in `body`, which would leave
        // the record behind.
        _ = reactive_stack_is_low()
        // Not a variable, which would be copied into this memory. (That copy was 4 % of a write to a leaf of
        // `deepObserve`.)
        _withUnprotectedUnsafeTemporaryAllocation(of: Absence.self, capacity: 1) { buffer in
            let absence = buffer.baseAddress.unsafelyUnwrapped
            absence.pointee.thread = reactive_current()
            absence.pointee.flush = flush
            absence.pointee.outer = flush.pointee.absence
            absence.pointee.previous = nil
            absence.pointee.next = pointee.absences
            absence.pointee.due.makeEmpty()
            // No test sees this: it only saves other threads a look past the marks.
            if pointee.due.isEmpty { pointee.due.work = [] } else { absence.pointee.due.take(from: &pointee.due) }
            absence.pointee.next?.pointee.previous = absence
            pointee.absences = absence
            flush.pointee.absence = absence
            pointee.logging += REACTIVE_LOGGING_ABSENCE
            unlock()
            DeferredReleases.releaseAll()

            body()

            relock()
            pointee.logging -= REACTIVE_LOGGING_ABSENCE
            flush.pointee.absence = absence.pointee.outer
            absence.pointee.next?.pointee.previous = absence.pointee.previous
            if let previous = absence.pointee.previous {
                previous.pointee.next = absence.pointee.next
            } else {
                pointee.absences = absence.pointee.next
            }
            if !absence.pointee.due.isUntouched {
                // Nothing is due here: this thread has passed on the work that it made due, and other threads leave
                // nothing behind.
                // No test sees this: only a leak checker sees memory that stays.
                pointee.due.free()
                pointee.due = absence.pointee.due
            }
            // No test sees this: only an interleaving makes a router hop here and finds its actor in the same flush.
            noteHoppingRouters()
            // No test sees this always hold: it only saves a call.
            // No test sees this boundary: as above.
            if pointee.log_count > 0 { endLog() }
        }
    }

    // MARK: - Deferred actions

    /// Runs `action` once this thread holds no graph: now, if it holds none.
    package func deferAction(_ action: @escaping () -> Void) {
        if reactive_is_inside(self) {
            pointee.due.add(DeferredAction(action))
        } else {
            action()
        }
    }
}
