// The runtime: renders a body in passes, runs the effects that a pass left to it, and is notified when another pass is
// due.

import Reactive

/// A tree of rendered bodies and the state of their hooks, driven by a host.
///
/// The host takes a turn: ``begin()``, ``render(isForced:in:_:)``, ``commit()``, ``end(limit:)``. See
/// ReactiveHooks.swift for the order of events.
@usableFromInline
package final class HookTree: @unchecked Sendable {
    // Sendable because everything but `status` belongs to the thread that has begun a turn, and `status` is guarded.

    /// Whether a turn is in progress, and what happened meanwhile.
    private struct Status {
        /// Whether a thread takes a turn.
        var isBusy = false
        /// Whether a value that the last pass read has changed since, or a pass was requested.
        var isInvalidated = false
        /// Whether the next pass runs the root body even if nothing has changed.
        var isForced = false
        /// Whether to unmount when the turn is over.
        var isUnmounting = false
        /// Whether there is something to unmount.
        var isMounted = false
        /// The number of passes in a row, each requested by the turn before, without an event from outside in between.
        var passesInARow = 0
        /// The last pass that `passesInARow` includes.
        var countedPass = 0
        /// Whether the last turn has changed something that is reported only when the flush around it continues.
        var awaitsReport = false
    }

    /// The continuation after a turn.
    package enum Sequel {
        /// Nothing until something changes.
        case rest
        /// Another turn: something has changed meanwhile.
        case again
        /// Nothing, although something has changed: each turn changes it again.
        case loop
    }

    /// Called once when another pass becomes due while no turn is in progress: outside the lock, in the isolation that
    /// created the tree. Set it before the first pass.
    package var onInvalidation: () -> Void = {}

    /// The name in diagnostics.
    package var name: String { givenName ?? "\(fileID):\(line)" }
    private let givenName: String?
    private let fileID: StaticString
    private let line: UInt

    private let status = Guarded(Status())
    /// The graph of the tree and of the state of its hooks.
    let graph = GraphHandle.current
    /// Read by every pass, so that a write to it makes a pass due.
    private let version = Observable(0, named: "update")
    /// The actor that the bodies and the effects belong to, if there is one.
    private let isolation: ClosureIsolation?
    private let reaction: Reaction
    private let state: TreeState
    private var root: HookInstance?

    /// Creates a tree that has rendered nothing.
    ///
    /// - Parameters:
    ///   - isRenderedOnce: Whether there will be only one pass, that of ``renderOnly(in:_:)``.
    ///   - givenName: The name in diagnostics; by default the file and line that create it.
    ///   - isolation: The actor that the bodies and the effects belong to.
    ///   - fileID: The file that creates it.
    ///   - line: The line that creates it.
    package init(
        isRenderedOnce: Bool = false, named givenName: String? = nil, isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID, line: UInt = #line
    ) {
        self.givenName = givenName
        self.fileID = fileID
        self.line = line
        self.isolation = isolation.map { ClosureIsolation($0) }
        let state = TreeState(isRenderedOnce: isRenderedOnce)
        self.state = state
        // Detached, because a tree lives as long as its owner, even if it is created in a run of a reaction.
        reaction = detached {
            Reaction.started(
                of: state.units, named: givenName, schedule: .notifyOnly { state.tree?.noteInvalidation() },
                isolation: isolation, fileID: fileID, line: line)
        }
        state.tree = self
    }

    deinit { reaction.cancel() }

    // MARK: - Turns

    /// Whether another pass is due.
    package var isInvalidated: Bool { status.withLock { $0.isInvalidated } }

    /// Whether a value that the last pass read has changed, reported or not.
    package var isStale: Bool { reaction.isStale }

    /// Whether a turn is in progress.
    package var isBusy: Bool { status.withLock { $0.isBusy } }

    /// Whether something is rendered.
    package var isMounted: Bool { status.withLock { $0.isMounted } }

    /// Begins a turn. Fails if a turn is in progress; then another turn follows that one.
    package func begin() -> Bool {
        status.withLock { status in
            if status.isBusy {
                status.isInvalidated = true
                status.isForced = true
            }
            defer { status.isBusy = true }
            return !status.isBusy
        }
    }

    /// Begins a turn that requests no pass: to run the effects that wait, or to take a pass that is due anyway.
    package func beginIfIdle() -> Bool {
        status.withLock { status in
            defer { status.isBusy = true }
            return !status.isBusy
        }
    }

    /// Begins a turn for a pass that is due. Fails if none is due, or if a turn is in progress.
    func beginIfInvalidated() -> Bool {
        status.withLock { status in
            guard status.isInvalidated, !status.isBusy else { return false }
            // No test sees this: an unmounted tree has nothing to render.
            if !status.isMounted { return false }
            status.isBusy = true
            return true
        }
    }

    /// Ends a turn.
    ///
    /// - Parameter limit: The maximum number of passes in a row that they themselves or their effects cause. Changes on
    ///   other threads do not count.
    package func end(limit: Int = .max) -> Sequel {
        // Locked, so that no other thread changes anything before the changes of a loop are discarded.
        let sequel = graph.withLock {
            // A change by the turn itself may not have been reported yet: inside a flush it will be when the flush
            // continues.
            let isStale = isStale
            let isUndisturbed = reaction.isUndisturbed
            let sequel = status.withLock { status -> Sequel? in
                guard !status.isUnmounting else { return nil }
                status.isBusy = false
                if isStale {
                    if !status.isInvalidated { status.awaitsReport = true }
                    status.isInvalidated = true
                }
                if status.isInvalidated, isUndisturbed {
                    if status.countedPass != state.passNumber { status.passesInARow += 1 }
                    status.countedPass = state.passNumber
                } else if !isUndisturbed || state.dueUpdates.isEmpty {
                    status.passesInARow = 0
                }
                if status.passesInARow == limit {
                    status.passesInARow = 0
                    status.isInvalidated = false
                    return .loop
                }
                return status.isInvalidated ? .again : .rest
            }
            if sequel == .loop { _ = reaction.forgetChanges() }
            return sequel
        }
        if let sequel { return sequel }
        removeAll()
        status.withLock { $0 = Status() }
        return .rest
    }

    // MARK: - The pass

    /// Renders what is due. Only in a turn.
    ///
    /// - Parameters:
    ///   - isForced: Whether to run the body even if no value that it has read has changed. True for the first pass.
    ///   - environment: Returns the environment of the root. Tracked.
    ///   - body: The body of the root scope. If only scopes with an id are due, they run without it.
    package func render(
        isForced: Bool, in environment: () -> EnvironmentValues, _ body: () -> Void
    ) {
        if let isolation, !isolation.isCurrent {
            Isolation.stopForEvaluation(of: "renderer \(name)", belongingTo: isolation)
        }
        reaction.setHost()
        let haveRun = graph.withLock {
            findChanges(isForced: isForced)
            // No test sees this never hold: the longer way leads to the same.
            guard state.owningUnits == 0 else { return false }
            run(in: environment, body)
            // No test sees this: nothing would be left for a second run.
            return true
        }
        // No test sees this never hold: nothing is left for a second run.
        if haveRun { return }
        endBelongings()
        graph.withLock { run(in: environment, body) }
    }

    /// Finds the units that have read a changed value.
    private func findChanges(isForced: Bool) {
        // This pass includes all changes up to here.
        let isAskedFor = status.withLock { status in
            status.isInvalidated = false
            status.awaitsReport = false
            status.isMounted = true
            defer { status.isForced = false }
            return status.isForced
        }
        if isForced || isAskedFor { state.units.root?.markChanged() }
        reaction.runNow()
    }

    /// Ends the objects that the units have created in their last run, before they run again.
    private func endBelongings() {
        var belongings: [Belongings] = []
        graph.withLock {
            if state.units.hasRootChanged { root?.takeBelongings(into: &belongings) }
            for unit in state.units.changed { unit.instance?.takeBelongings(into: &belongings) }
        }
        outside { belongings.forEach { $0.end() } }
    }

    /// Runs the units that have read a changed value, the outer ones first. Then it runs the units around them that
    /// have to take in a new output.
    private func run(in environment: () -> EnvironmentValues, _ body: () -> Void) {
        defer { state.units.forgetChanged() }
        let units = state.units
        guard let rootUnit = units.root else { return }
        state.passNumber += 1
        if state.units.hasRootChanged {
            let root = root ?? HookInstance(in: state, unit: state.isRenderedOnce ? nil : rootUnit)
            self.root = root
            rootUnit.instance = root
            rootUnit.track {
                if state.isRenderedOnce {
                    untracked { root.render(in: environment(), body) }
                } else {
                    renderRoot(root, in: environment, body)
                }
            }
            return
        }
        // Indexed by depth.
        var takingIn: [[RenderUnit]] = []
        func leaveToTakeIn(_ unit: RenderUnit?) {
            guard let unit, let instance = unit.instance, unit.asksToTakeIn(in: state.passNumber) else { return }
            while takingIn.count <= instance.depth { takingIn.append([]) }
            takingIn[instance.depth].append(unit)
        }
        // A unit that ran together with a unit around it is up to date, unless it has been removed.
        for unit in unitsInOrder() where unit.renderedPass != state.passNumber {
            if let instance = unit.instance, unit.renderAlone() { leaveToTakeIn(instance.enclosingUnit) }
        }
        while let deepest = takingIn.popLast() {
            for unit in deepest {
                guard let instance = unit.instance else { continue }
                if unit === rootUnit {
                    unit.takingIn { unit.track { renderRoot(instance, in: environment, body) } }
                } else if unit.takeInAlone() {
                    leaveToTakeIn(instance.enclosingUnit)
                }
            }
        }
    }

    private func renderRoot(_ root: HookInstance, in environment: () -> EnvironmentValues, _ body: () -> Void) {
        _ = version.value
        root.render(in: environment(), body)
    }

    /// The units that have read a changed value, outer ones before inner ones, and siblings in the order of their
    /// calls.
    private func unitsInOrder() -> [RenderUnit] {
        let changed = state.units.changed
        // No test sees this never hold: it only saves sorting.
        if changed.count < 2 { return changed }
        return changed.map { ($0, $0.instance?.path ?? []) }.sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
    }

    // MARK: - One pass

    /// Takes one turn without effects, and ends: for a new tree.
    func renderOnly<Output>(in environment: EnvironmentValues = EnvironmentValues(), _ body: () -> Output) -> Output {
        // No test sees this always hold: nobody else takes turns of a new tree.
        guard begin() else { fatalError("internal inconsistency: a new tree is busy") }
        var output: Output?
        render(isForced: true, in: { environment }) { output = body() }
        _ = end()
        unmount()
        return output.unsafelyUnwrapped
    }

    // MARK: - The commit

    /// Runs the work that the last pass has left: outside the lock, untracked. Only in a turn.
    ///
    /// Reports violations of the rules, disposes of removed hooks, runs the clean-ups of the effects that are due, and
    /// runs these effects.
    package func commit() {
        endPass()
        outside {
            let gone = state.removed
            state.removed = []
            gone.forEach { $0.dispose() }
            let ended = state.abandoned
            state.abandoned = []
            ended.forEach { $0.end() }
            // No test sees this always hold: it only saves to filter nothing.
            guard !state.dueUpdates.isEmpty else { return }
            let due = state.dueUpdates.filter { $0.isDue && !$0.hasEnded }
            state.dueUpdates = []
            due.forEach { $0.cleanUp() }
            // A scope that ran several times in the pass may have added a slot twice.
            for slot in due where slot.isDue && !status.withLock({ $0.isUnmounting }) {
                slot.isDue = false
                slot.update()
            }
        }
    }

    /// Runs `body` as an effect: outside scopes, untracked. Objects that it creates belong to the tree's graph.
    func outside(_ body: () -> Void) {
        graph.run { Hosting.unobserved { HookInstance.outsideScopes(body) } }
    }

    /// Runs `body` with the tree's graph locked.
    func locked<R>(_ body: () -> R) -> R { graph.inTransaction(body) }

    /// Releases the outputs that the last pass has replaced, and reports its violations of the rules. Only in a turn,
    /// outside the lock.
    package func endPass() {
        // No test sees this always hold: it only saves to release nothing.
        if !state.discarded.isEmpty {
            // Releasing may run code that renders.
            let released = state.discarded
            state.discarded = []
            for content in released { content.perform(.releaseOld) }
        }
        // No test sees this always hold: it only saves to report nothing.
        guard !state.violations.isEmpty else { return }
        let reported = state.violations
        state.violations = []
        reported.forEach { HooksRules.report($0) }
    }

    /// Reports that a turn has ended in a loop.
    package func reportLoop(_ limit: Int) {
        Hosting.report(
            .loop,
            """
            \(name) renders in a loop: \(limit) times in a row, its renders or effects have set state. It renders \
            again after the next change. Set state in an event, or in a useEffect(.preserved(by:)) whose values \
            converge.
            """, site: name)
    }

    // MARK: - Invalidation

    /// Makes another pass due: now, or when the enclosing transaction ends.
    package func invalidate() {
        Hosting.unobserved { version.value &+= 1 }
    }

    private func noteInvalidation() {
        let isNews = status.withLock { status in
            defer { status.isInvalidated = true }
            guard !status.isBusy else { return false }
            // Outside of a turn: an event, unless it is a late report.
            if !status.awaitsReport { status.passesInARow = 0 }
            status.awaitsReport = false
            return !status.isInvalidated && status.isMounted
        }
        if isNews { onInvalidation() }
    }

    // MARK: - The end

    /// Disposes of all hooks, in reverse order, and removes the dependencies of the passes. In a turn, it does so when
    /// the turn ends.
    ///
    /// Runs in the tree's isolation; elsewhere it takes a hop. Outside the lock. The next pass begins anew.
    package func unmount() {
        perform { [self] in
            let isIdle = status.withLock { status in
                guard status.isMounted || status.isBusy else { return false }
                status.isUnmounting = true
                defer { status.isBusy = true }
                return !status.isBusy
            }
            if isIdle { graph.whenFree { [self] in _ = end() } }
        }
    }

    /// Runs `body` in the tree's isolation: immediately, or by a hop. If its actor has been released, nothing can be
    /// running there, and `body` runs immediately.
    package func perform(_ body: @escaping @Sendable () -> Void) {
        if let actor = isolation?.actor, !Isolation.isCurrent(actor) {
            Isolation.hop(to: actor, body)
        } else {
            body()
        }
    }

    /// Whether the current turn is the last one.
    package var isUnmounting: Bool { status.withLock { $0.isUnmounting } }

    private func removeAll() {
        Hosting.unobserved {
            graph.withLock {
                root?.removeAll()
                root = nil
                endOnlySlots()
                if let unit = state.units.root {
                    if let belongings = unit.takeBelongings(in: state) { state.abandoned.append(belongings) }
                    // No test sees this left out: nothing uses it before the next root is set.
                    unit.instance = nil
                    // It has no dependencies until the next pass.
                    unit.evaluate {}
                }
            }
        }
        // Outside the lock: the cell contains a user's value, and retains this state.
        state.spareCell = nil
        // No test sees this left out: it only frees memory sooner.
        state.spareBlock = nil
        commit()
    }

    /// Removes the slots of a tree that is rendered once, the newest first.
    private func endOnlySlots() {
        guard state.isRenderedOnce else { return }
        state.hasEnded = true
        swap(&state.removed, &state.onlySlots)
        state.removed.reverse()
        state.removed.forEach { $0.end() }
    }
}
