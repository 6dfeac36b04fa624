// The run of a reaction: one dispatch of a flush.
//
//     due ──dispatch──▶ not really stale: done
//                  ├──▶ belongs to another actor: hop there, continue in `continueAfterHop`
//                  ├──▶ its schedule delays it: continue in `release`
//                  └──▶ cleanups of the last run      outside the lock (in flight)
//                       tracked closure               under the lock
//                       effect, if it is due          outside the lock (in flight)
//
// While a thread runs code of a reaction outside the lock, the reaction is *in flight* there. Other threads do not run
// it meanwhile. The thread checks the reaction for new changes when it holds the lock again. So the runs of a reaction
// never overlap, and each effect receives the newest value.

import CReactive

extension Reaction {
    /// Runs the parts that are due. Called during a flush: this thread holds the graph once.
    @inline(__always)
    func dispatch() {
        observer.flags.remove(.queued)
        let flags = observer.flags
        if !flags.isDisjoint(with: [.cancelled, .inFlight]) {
            // If it was cancelled while queued, this thread drops the registry's reference, unless the reaction is in
            // flight too.
            if !flags.contains(.inFlight) { graph.releaseLater(.passUnretained(self)) }
            return
        }
        // Not retained: the options stay until the reaction is cancelled, and `dispatch(with:)` checks for that after
        // each flight.
        if let options = options.map(Unmanaged.passUnretained) {
            options._withUnsafeGuaranteedRef { dispatch(with: $0) }
        } else if needsRun(), mayRunAgain() {
            run()
        }
    }

    /// Runs the parts that are due, as the first reaction of a flush, without the queue. It must be neither cancelled
    /// nor held by anything else.
    ///
    /// It is in flight on no thread, and has not run in this flush before.
    @inline(__always)
    func dispatchOnly() {
        // No test sees this always hold: it only saves a call.
        if observer.flags.isDisjoint(with: .outdated) {
            dispatchOutOfLine()
        } else if let options = options.map(Unmanaged.passUnretained) {
            options._withUnsafeGuaranteedRef { dispatchOnly(with: $0) }
        } else {
            run()
        }
    }

    @inline(never)
    private func dispatchOutOfLine() { dispatch() }

    /// Does the same for a reaction that is stale. Not retained, as in `dispatch`.
    @inline(never)
    private func dispatchOnly(with options: ReactionOptions) {
        // No test sees this never hold: it only saves checks.
        guard options.runsAnywhereImmediately, options.tracked.isEmpty else { return dispatch(with: options) }
        // No test sees this left out: it would run from the queue.
        run()
        endDispatch(with: options)
    }

    private func dispatch(with options: ReactionOptions) {
        if options.owner?.isGone == true {
            cancel()
            return
        }
        if let isolation = options.isolation {
            guard let actor = isolation.strong() else {
                if let onLoss = options.onLoss { graph.deferAction(onLoss) }
                cancel()
                return
            }
            if !Isolation.isCurrent(actor) {
                // One hop serves all changes until it arrives. It does not block the reaction: a change on that actor
                // runs it immediately.
                graph.rearmSources(of: observer)
                if !options.isHopping {
                    options.isHopping = true
                    graph.record(.hop(observer))
                    leaveLock { Isolation.hop(to: actor) { self.continueAfterHop() } }
                }
                return
            }
        }
        if needsRun() {
            if let schedule = options.schedule, !observer.flags.contains(.released) {
                if schedule.ignoresEqualResults, isWaiting(with: options), !hasChangedWhileWaiting(with: options) {
                    return
                }
                observer.flags.insert(.stale)
                options.requestEpoch = graph.pointee.epoch
                if schedule.wantsEveryChange {
                    if options.host != reactive_current() { options.isDisturbed = true }
                    graph.rearm(observer)
                } else {
                    observer.flags.insert(.scheduled)
                }
                graph.record(.delay(observer))
                if options.keepsActor, let actor = options.isolation?.strong() {
                    request(schedule, keeping: actor)
                } else {
                    leaveLock { schedule.request { self.release() } }
                }
                return
            }
            observer.flags.remove(.released)
            guard mayRunAgain() else { return }
            // No test sees this never hold: it only saves a flight.
            if options.tracked.isEmpty {
                run()
            } else {
                let items = options.tracked.takeItems()
                observer.flags.insert(.stale)
                runUnlocked { OwnedScope.dispose(items) }
                // Unless it was cancelled meanwhile, or a read of a scope's output ran it.
                if observer.flags.contains(.stale) { runNested() }
            }
        } else {
            // Otherwise the next change would not wait for the schedule.
            observer.flags.remove(.released)
        }
        endDispatch(with: options)
    }

    /// Requests a run, and keeps the actor until then. A separate function, because its closure needs an allocation.
    @inline(never)
    private func request(_ schedule: RunSchedule, keeping actor: any Actor) {
        leaveLock { schedule.request { withExtendedLifetime(actor) { self.release() } } }
    }

    /// Runs the effect, if it is due, and checks for changes that were made meanwhile.
    @inline(__always)
    private func endDispatch(with options: ReactionOptions) {
        guard observer.flags.isDisjoint(with: .cancelled) else { return }
        if options.effectIsDue {
            deliver(options)
            // No test sees this always hold: only a sanitizer sees that the options may be freed.
            guard observer.flags.isDisjoint(with: .cancelled) else { return }
        }
        if !observer.flags.isDisjoint(with: [.stale, .maybeStale]) || options.effectIsDue { requeue() }
    }

    /// Queues the reaction for changes that were made while it was in flight, which the other threads have not queued.
    func requeue() {
        if observer.flags.isDisjoint(with: .held) { graph.enqueue(observer) }
    }

    /// Whether something that it read has changed.
    func needsRun() -> Bool {
        let flags = observer.flags
        if !flags.isDisjoint(with: .outdated) { return true }
        if let parts = options?.parts { return flags.contains(.maybeStale) && parts.haveChanged() }
        return flags.contains(.maybeStale) && graph.mustEvaluate(observer)
    }

    /// Runs the tracked closure under the lock. Precondition: the log belongs to this thread, if it has entries.
    func run() {
        let graph = graph
        let observer = observer
        previousRun = observer.pointee.validated_at
        // No test sees this always hold: it only saves a write.
        if let options, !options.droppedCauses.isEmpty { options.droppedCauses = [] }
        // For values that are written back, this is a transaction.
        graph.pointee.logging &+= 1
        // No test sees this always hold: without a recorder, nothing is reported.
        if graph.isRecorded { graph.record(.begin(observer)) }
        graph.evaluate(observer) { owning(.tracked) { runBody() } }
        graph.pointee.logging &-= 1
        node.pointee.run_count &+= 1
        // No test sees this always hold: the call then does nothing.
        if graph.pointee.attention != 0 { graph.attendToEnd(ofRun: observer) }
        // A flight still uses the effect, so `endFlight` releases it.
        if observer.flags.contains(.cancelled), observer.flags.isDisjoint(with: .inFlight) {
            let abandoned = abandon()
            // No test sees this always hold: it only saves an allocation.
            if !abandoned.isEmpty { graph.deferAction { OwnedScope.dispose(abandoned) } }
        }
    }

    /// Runs the tracked closure inside any operation of this thread, such as the run of another reaction.
    func runNested() {
        // A read at the cursor's expected node assumes that the node is up to date.
        updateKeys()
        // No test sees this always hold: the call then does nothing.
        if graph.pointee.log_count != 0 { graph.claimLog() }
        if reactive_stack_is_low() { runOnMoreStack() } else { run() }
    }

    /// Runs the tracked closure inside other evaluations, with more stack. Ends the program if that depth is not
    /// promised.
    @inline(never)
    private func runOnMoreStack() {
        let hasRun = reactive_call_on_more_stack(
            graph.pointee.evaluating,
            { argument in
                Unmanaged<Reaction>.fromOpaque(argument.unsafelyUnwrapped)._withUnsafeGuaranteedRef { $0.run() }
            }, Unmanaged.passUnretained(self).toOpaque())
        if !hasRun { stopForLackOfStack() }
    }

    /// Ends the program before the stack overflows; the message names the reactions that are nested in one another's
    /// runs.
    private func stopForLackOfStack() -> Never {
        let chain = graph.evaluationsInProgress.reversed().map { NodeName.text(of: $0.pointee) } + [name]
        fatalError(
            """
            Reactive: the stack is almost exhausted: \(chain.count) tracked closures run inside one another, the \
            innermost of a reaction: \(abbreviated(chain)). Create reactions in the effect of a `reaction`, which does \
            not nest, or on a thread with a larger stack.
            """)
    }

    /// Brings the nodes of keys up to date, which are marked only then. Before code looks at the reaction's marks that is
    /// not part of a flush.
    @inline(__always)
    func updateKeys() {
        // No test sees this always hold: the call then does nothing.
        if graph.pointee.due.work.contains(.routers) { graph.updateRouters() }
    }

    /// Runs the tracked closure now if something that it read has changed. Under the lock. The items of the last run
    /// end first: outside the lock, except inside an enclosing transaction or tracked closure, which holds it.
    @usableFromInline
    func runIfStale() {
        updateKeys()
        let flags = observer.flags
        guard flags.isDisjoint(with: [.running, .cancelled]), !flags.isDisjoint(with: [.stale, .maybeStale]),
            flags.contains(.stale) || graph.mustEvaluate(observer), let options
        else { return }
        // No test sees this always hold: it only saves a flight.
        if !options.tracked.isEmpty {
            let items = options.tracked.takeItems()
            observer.flags.insert(.stale)
            if reactive_current().pointee.depth == 1 {
                // While another thread runs the effect, the reaction stays held by that thread.
                if flags.contains(.inFlight) {
                    leaveLock { OwnedScope.dispose(items) }
                } else {
                    runUnlocked { OwnedScope.dispose(items) }
                }
            } else {
                OwnedScope.dispose(items)
            }
            // Unless it was cancelled or run meanwhile.
            guard observer.flags.contains(.stale) else {
                // No test sees this always hold: the check then finds nothing to do.
                if observer.flags.contains(.maybeStale) || options.effect?.isDue == true { requeue() }
                return
            }
        }
        runNested()
        // No test sees this always hold: the check then finds nothing to do.
        if options.effect?.isDue == true { requeue() }
    }

    /// Ends the items of the effect's last run, then runs the effect.
    private func deliver(_ options: ReactionOptions) {
        guard let effect = options.effect.map(Unmanaged.passUnretained) else { return }
        effect._withUnsafeGuaranteedRef { $0.take(for: self) }
        // No test sees this always hold: it only saves a closure.
        if !options.effectful.isEmpty { return deliver(effect, disposingOf: options.effectful.takeItems()) }
        options.effectful.endEmptyRun()
        beginFlight()
        graph.withLockReleasedInFlush {
            owning(.effectful) { effect._withUnsafeGuaranteedRef { $0.run() } }
        }
        endFlight()
    }

    @inline(never)
    private func deliver(_ effect: Unmanaged<ReactionEffect>, disposingOf items: [OwnedScope.Item]) {
        runUnlocked {
            OwnedScope.dispose(items)
            owning(.effectful) { effect._withUnsafeGuaranteedRef { $0.run() } }
        }
    }

    /// Runs `body` outside the lock, with the reaction in flight, so that other threads do not run it meanwhile.
    func runUnlocked(_ body: () -> Void) {
        beginFlight()
        graph.withLockReleased(body)
        endFlight()
    }

    /// Begins a flight. If the reaction is cancelled meanwhile, `endFlight` releases everything it holds, and drops the
    /// registry's reference.
    @inline(__always)
    private func beginFlight() {
        // No test sees this never hold: it only saves a call.
        if observer.flags.isDisjoint(with: [.queued, .suspended, .recorded]) {
            node.pointee.held_by = reactive_current()
        } else {
            beginRecordedFlight()
        }
        observer.flags.insert(.inFlight)
    }

    @inline(never)
    private func beginRecordedFlight() {
        graph.record(.flight(observer))
        if observer.flags.isDisjoint(with: [.queued, .suspended]) { node.pointee.held_by = reactive_current() }
    }

    @inline(__always)
    private func endFlight() {
        observer.flags.remove(.inFlight)
        // No test sees this always hold: it only saves a call.
        if !observer.flags.isDisjoint(with: [.cancelled, .recorded]) { endAfterFlight() }
    }

    /// Records the flight. Finishes the cancellation of a reaction that was cancelled in flight.
    @inline(never)
    private func endAfterFlight() {
        graph.record(.endOfFlight(observer))
        guard observer.flags.contains(.cancelled) else { return }
        // A queued reaction is released when it is taken out of the queue.
        if !observer.flags.contains(.queued) { graph.releaseLater(.passUnretained(self)) }
        let abandoned = abandon()
        // No test sees this always hold: it only saves leaving the lock.
        if !abandoned.isEmpty { leaveLock { OwnedScope.dispose(abandoned) } }
    }

    /// Runs `body` outside the lock. Another thread may cancel and release the reaction meanwhile, so it is kept until
    /// this thread next releases the lock.
    func leaveLock(_ body: () -> Void) {
        let keptAlive = Unmanaged.passRetained(self)
        graph.withLockReleased(body)
        DeferredReleases.add(keptAlive.toOpaque())
    }

    /// Continues on the right actor after the hop that `dispatch` began.
    private func continueAfterHop() {
        let graph = graph
        graph.enter()
        options?.isHopping = false
        graph.makeDueWithoutChange(observer)
        graph.leave()
    }

    /// Continues a run that `dispatch` left to the schedule. A reaction that is queued on an absent thread is released
    /// as well: it need not wait a second time.
    private func release() {
        let graph = graph
        graph.enter()
        observer.flags.remove(.scheduled)
        // No test sees this left out: the run that follows is not older than the request.
        options?.requestEpoch = 0
        // No test sees this always hold: the check then finds nothing to do.
        if !observer.flags.isDisjoint(with: [.stale, .maybeStale]) {
            observer.flags.insert(.released)
            graph.makeDue(observer)
            // No test sees this always hold: the check then finds nothing to do.
        } else if options?.effect?.isDue == true {
            // A read of a scope's output ran the tracked closure ahead of its schedule.
            graph.makeDue(observer)
        }
        graph.leave()
    }

    /// Marks the reaction so that it runs again although nothing has changed.
    package func invalidate() {
        let graph = graph
        graph.enter()
        if observer.flags.isDisjoint(with: .cancelled) {
            observer.flags.insert(.stale)
            options?.requestEpoch = 0
            graph.makeDueWithoutChange(observer)
        }
        graph.leave()
    }
}
