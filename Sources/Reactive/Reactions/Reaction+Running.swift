// How a reaction runs: one step of settling.
//
//     due ─────step──▶ not really stale: done
//                 ├──▶ belongs to another actor: hop there, go on in `arrive`
//                 ├──▶ its schedule says later: go on in `release`
//                 └──▶ cleanups of the last run      outside the lock (in flight)
//                      tracked part                  under the lock
//                      effect, if it is due          outside the lock (in flight)
//
// While a reaction is in flight on one thread, the others leave it alone; that thread looks at it again when it is back under the
// lock. So its runs never overlap, and each effect gets the newest value.

import CReactive

extension Reaction {
    /// Runs what is due. Called while settling: this thread holds the graph once.
    @inline(__always)
    func step() {
        observer.flags.remove(.queued)
        let flags = observer.flags
        if !flags.isDisjoint(with: [.cancelled, .inFlight]) {
            // Cancelled while queued: the registry's reference is ours to drop, unless the reaction is in flight as well.
            if flags.contains(.cancelled), !flags.contains(.inFlight) { graph.releaseLater(.passUnretained(self)) }
            return
        }
        // Unretained: what a reaction has besides its tracked part stays until it is cancelled, and `step(with:)` looks after each
        // flight whether it was.
        if let extras = extras.map(Unmanaged.passUnretained) {
            extras._withUnsafeGuaranteedRef { step(with: $0) }
        } else if needsRun(), mayRunAgain() {
            run()
        }
    }

    /// Runs what is due, as the first of a flush that has not been queued: neither cancelled nor held by anything else.
    ///
    /// It is in flight nowhere, and has not run in this flush before.
    @inline(__always)
    func stepFirst() {
        if observer.flags.isDisjoint(with: .outdated) {
            stepOutOfLine()
        } else if let extras = extras.map(Unmanaged.passUnretained) {
            extras._withUnsafeGuaranteedRef { stepFirst(with: $0) }
        } else {
            run()
        }
    }

    @inline(never)
    private func stepOutOfLine() { step() }

    /// The same, for a reaction that is outdated. Unretained as in `step`.
    @inline(never)
    private func stepFirst(with extras: ReactionExtras) {
        guard extras.runsAnywhereImmediately, extras.tracked.isEmpty else { return step(with: extras) }
        run()
        stepEnds(with: extras)
    }

    private func step(with extras: ReactionExtras) {
        if extras.owner?.isGone == true {
            cancel()
            return
        }
        if let isolation = extras.isolation {
            guard let actor = isolation.strong() else {
                cancel()
                return
            }
            if !Isolation.isCurrent(actor) {
                // One hop serves all changes until it arrives. It does not hold the reaction: a change over there runs it at once.
                graph.rearmSources(of: observer)
                if !extras.isHopping {
                    extras.isHopping = true
                    leaveLock { Isolation.hop(to: actor) { self.arrive() } }
                }
                return
            }
        }
        if needsRun() {
            if let schedule = extras.schedule, !observer.flags.contains(.released) {
                observer.flags.insert(.stale)
                if schedule.wantsEveryChange {
                    if extras.host != reactive_current() { extras.isDisturbed = true }
                    graph.rearm(observer)
                } else {
                    observer.flags.insert(.scheduled)
                }
                leaveLock { schedule.request { self.release() } }
                return
            }
            observer.flags.remove(.released)
            guard mayRunAgain() else { return }
            if extras.tracked.isEmpty {
                run()
            } else {
                let items = extras.tracked.takeItems()
                observer.flags.insert(.stale)
                fly { OwnedScope.dispose(items) }
                // Unless it was cancelled meanwhile, or run by a read of a scope's output.
                if observer.flags.contains(.stale) { runNested() }
            }
        }
        stepEnds(with: extras)
    }

    /// Runs the effect, if it is due, and looks at what has changed meanwhile.
    @inline(__always)
    private func stepEnds(with extras: ReactionExtras) {
        guard observer.flags.isDisjoint(with: .cancelled) else { return }
        if extras.effectIsDue {
            deliver(extras)
            guard observer.flags.isDisjoint(with: .cancelled) else { return }
        }
        if !observer.flags.isDisjoint(with: [.stale, .maybeStale]) || extras.effectIsDue { lookAgain() }
    }

    /// Queues the reaction for what has changed while it was in flight, since the other threads have left it alone.
    func lookAgain() {
        if observer.flags.isDisjoint(with: .held) { graph.enqueue(observer) }
    }

    /// Whether what it read has changed.
    func needsRun() -> Bool {
        let flags = observer.flags
        if !flags.isDisjoint(with: .outdated) { return true }
        if let parts = extras?.parts { return flags.contains(.maybeStale) && parts.haveChanged() }
        return flags.contains(.maybeStale) && graph.mustEvaluate(observer) && !observer.flags.contains(.cancelled)
    }

    /// Runs the tracked part, under the lock. Precondition: the log is this thread's, if it has entries.
    func run() {
        let graph = graph
        let observer = observer
        previousRun = observer.pointee.validated_at
        if let extras, !extras.droppedCauses.isEmpty { extras.droppedCauses = [] }
        // A transaction as far as values that are written back go.
        graph.pointee.logging &+= 1
        graph.evaluate(observer) { owning(.tracked) { runBody() } }
        graph.pointee.logging &-= 1
        node.pointee.run_count &+= 1
        if graph.pointee.log_count > 0 { graph.endLog(ofRun: observer) }
        // What is in flight still uses its effect: `land` takes that away.
        if observer.flags.contains(.cancelled), observer.flags.isDisjoint(with: .inFlight) {
            let abandoned = abandon()
            if !abandoned.isEmpty { graph.deferAction { OwnedScope.dispose(abandoned) } }
        }
    }

    /// Runs the tracked part from inside whatever this thread is doing, which may be the run of a reaction that was begun like this.
    func runNested() {
        // What is read where the cursor expects it is taken to be current.
        if graph.pointee.due.work.contains(.routers) { graph.updateRouters() }
        if graph.pointee.log_count > 0 { graph.claimLog() }
        if reactive_stack_is_low() { runOnMoreStack() } else { run() }
    }

    /// Runs the tracked part inside other evaluations with more stack; ends the program if that many are not promised.
    @inline(never)
    private func runOnMoreStack() {
        let hasRun = reactive_call_on_more_stack(
            graph.pointee.evaluating,
            { argument in
                Unmanaged<Reaction>.fromOpaque(argument.unsafelyUnwrapped)._withUnsafeGuaranteedRef { $0.run() }
            }, Unmanaged.passUnretained(self).toOpaque())
        if !hasRun { stopForLackOfStack() }
    }

    /// Ends the program before the stack does: says which reactions are being created in one another's runs.
    private func stopForLackOfStack() -> Never {
        let chain = graph.evaluationsInProgress.reversed().map { NodeName.text(of: $0.pointee) } + [name]
        fatalError(
            """
            Reactive: the stack is nearly used up by \(chain.count) tracked closures that run inside one another, the last of a \
            reaction: \(abbreviated(chain)). Create reactions in the effect of a `reaction`, which does not nest, or on a \
            thread with a larger stack.
            """)
    }

    /// Runs the tracked part now if what it read has changed. Under the lock. What the last run owned ends first: outside the lock, unless
    /// an enclosing transaction or tracked closure holds it.
    @usableFromInline
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

    /// Runs the effect, and ends first what its last run owns.
    private func deliver(_ extras: ReactionExtras) {
        guard let effect = extras.effect.map(Unmanaged.passUnretained) else { return }
        effect._withUnsafeGuaranteedRef { $0.take(for: self) }
        if !extras.effectful.isEmpty { return deliver(effect, disposingOf: extras.effectful.takeItems()) }
        extras.effectful.endEmptyRun()
        setOff()
        graph.withLockReleasedInFlush {
            owning(.effectful) { effect._withUnsafeGuaranteedRef { $0.run() } }
        }
        land()
    }

    @inline(never)
    private func deliver(_ effect: Unmanaged<ReactionEffect>, disposingOf items: [OwnedScope.Item]) {
        fly {
            OwnedScope.dispose(items)
            owning(.effectful) { effect._withUnsafeGuaranteedRef { $0.run() } }
        }
    }

    /// Runs `body` outside the lock, and keeps the other threads away from this reaction meanwhile.
    func fly(_ body: () -> Void) {
        setOff()
        graph.withLockReleased(body)
        land()
    }

    /// Begins a flight. Who cancels the reaction meanwhile leaves it to `land` to take everything away from it, and to drop the
    /// registry's reference.
    @inline(__always)
    private func setOff() {
        if observer.flags.isDisjoint(with: [.queued, .suspended]) { node.pointee.held_by = reactive_current() }
        observer.flags.insert(.inFlight)
    }

    @inline(__always)
    private func land() {
        observer.flags.remove(.inFlight)
        if observer.flags.contains(.cancelled) { endAfterFlight() }
    }

    /// Does what was left to do when the reaction was cancelled in flight.
    @inline(never)
    private func endAfterFlight() {
        // A queued one is released by whoever takes it out of the queue.
        if !observer.flags.contains(.queued) { graph.releaseLater(.passUnretained(self)) }
        let abandoned = abandon()
        if !abandoned.isEmpty { leaveLock { OwnedScope.dispose(abandoned) } }
    }

    /// Runs `body` outside the lock. Another thread may cancel the reaction meanwhile and let it go: it stays until this thread has
    /// given the lock up the next time.
    func leaveLock(_ body: () -> Void) {
        let keptAlive = Unmanaged.passRetained(self)
        graph.withLockReleased(body)
        Trash.add(keptAlive.toOpaque())
    }

    /// Goes on, on the right actor, where `step` found that it was not there.
    private func arrive() {
        let graph = graph
        graph.enter()
        extras?.isHopping = false
        graph.makeDueAnyway(observer)
        graph.leave()
    }

    /// Goes on where `step` left the reaction to its schedule.
    private func release() {
        let graph = graph
        graph.enter()
        observer.flags.remove(.scheduled)
        if observer.flags.isDisjoint(with: [.queued, .scheduled, .suspended, .cancelled]) {
            if !observer.flags.isDisjoint(with: [.stale, .maybeStale]) {
                observer.flags.insert(.released)
                graph.makeDue(observer)
            } else if extras?.effect?.isDue == true {
                // A read of a scope's output ran the tracked part ahead of its schedule.
                graph.makeDue(observer)
            }
        }
        graph.leave()
    }

    /// Marks the reaction so that it runs again although nothing changed.
    package func invalidate() {
        let graph = graph
        graph.enter()
        if observer.flags.isDisjoint(with: .cancelled) {
            observer.flags.insert(.stale)
            graph.makeDueAnyway(observer)
        }
        graph.leave()
    }
}
