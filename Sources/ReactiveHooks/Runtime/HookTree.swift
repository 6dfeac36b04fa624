// The runtime: renders a body in passes, runs the effects that a pass left behind, and is told when another pass is due.

import Reactive

/// A tree of rendered bodies and what their hooks keep, driven by a host.
///
/// The host takes a turn: ``begin()``, ``render(isForced:in:_:)``, ``commit()``, ``end(limit:)``. See ReactiveHooks.swift for what happens when.
@usableFromInline
package final class HookTree: @unchecked Sendable {
    // Sendable because everything but `status` belongs to the thread that has begun a turn, and `status` is guarded.

    /// Who has the tree, and what happened meanwhile.
    private struct Status {
        /// Some thread takes a turn.
        var isBusy = false
        /// Something that the last pass read has changed since, or a pass was asked for.
        var isInvalidated = false
        /// The pass that is due is to run the root body, whatever has changed.
        var isForced = false
        /// To be unmounted as soon as the turn is over.
        var isUnmounting = false
        /// There is something to unmount.
        var isMounted = false
        /// How many passes followed one another because the turn before asked for it, without an event from outside in between.
        var row = 0
        /// The last pass that `row` counts.
        var countedPass = 0
        /// The last turn has changed something that is reported only when the flush around it continues.
        var awaitsReport = false
    }

    /// What comes after a turn.
    package enum Sequel {
        /// Nothing until something changes.
        case rest
        /// Another turn: something changed meanwhile.
        case again
        /// Nothing, although something changed: it does so each time.
        case loop
    }

    /// Called once when another pass becomes due while no turn is in progress: outside the lock, in the isolation that made the tree. Set
    /// it before the first pass.
    package var onInvalidation: () -> Void = {}

    /// What diagnostics call it.
    package var name: String { givenName ?? "\(fileID):\(line)" }
    private let givenName: String?
    private let fileID: StaticString
    private let line: UInt

    private let status = Guarded(Status())
    /// The graph that the tree and the state of its hooks belong to.
    let graph = GraphHandle.current
    /// Read by every pass, so that writing it makes one due.
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
    ///   - givenName: What diagnostics call it. Without one: the file and line that created it.
    ///   - isolation: The actor that the bodies and the effects belong to.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
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
        // Nobody's, because a tree lives as long as its owner, also if it is created in a run of something else.
        reaction = detached {
            Reaction.made(
                of: state.units, named: givenName, schedule: .told { state.tree?.noteInvalidation() },
                isolation: isolation, fileID: fileID, line: line)
        }
        state.tree = self
    }

    deinit { reaction.cancel() }

    // MARK: - Turns

    /// Whether another pass is due.
    package var isInvalidated: Bool { status.withLock { $0.isInvalidated } }

    /// Whether something that the last pass read has changed, told or not.
    package var isStale: Bool { reaction.isStale }

    /// Whether a turn is in progress.
    package var isBusy: Bool { status.withLock { $0.isBusy } }

    /// Whether something is rendered.
    package var isMounted: Bool { status.withLock { $0.isMounted } }

    /// Takes the tree for a turn. Fails if there is a turn in progress, which is followed by another then.
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

    /// Takes the tree for what asks for no pass: running the effects that wait, or a pass that is due anyway.
    package func beginIfIdle() -> Bool {
        status.withLock { status in
            defer { status.isBusy = true }
            return !status.isBusy
        }
    }

    /// Takes the tree for a pass that is due. Fails if none is, or if there is a turn in progress.
    func beginIfInvalidated() -> Bool {
        status.withLock { status in
            guard status.isInvalidated, status.isMounted, !status.isBusy else { return false }
            status.isBusy = true
            return true
        }
    }

    /// Ends a turn.
    ///
    /// - Parameter limit: How many passes may follow one another because of what they or their effects change. What other threads change
    ///   does not count.
    package func end(limit: Int = .max) -> Sequel {
        // What the turn itself has changed may not have been told yet: inside a flush it will be when the flush goes on.
        let isStale = isStale
        let isUndisturbed = reaction.isUndisturbed
        let sequel = status.withLock { status -> Sequel? in
            guard !status.isUnmounting else { return nil }
            if isStale {
                if !status.isInvalidated { status.awaitsReport = true }
                status.isInvalidated = true
            }
            if status.isInvalidated, isUndisturbed {
                if status.countedPass != state.passNumber { status.row += 1 }
                status.countedPass = state.passNumber
            } else if !isUndisturbed || state.dueUpdates.isEmpty {
                status.row = 0
            }
            if status.row == limit {
                // Still busy: the changes are forgotten first.
                status.row = 0
                status.isInvalidated = false
                return .loop
            }
            status.isBusy = false
            return status.isInvalidated ? .again : .rest
        }
        switch sequel {
        case .loop:
            if !reaction.forgetChanges() { status.withLock { $0.isInvalidated = true } }
            return release()
        case nil:
            removeAll()
            status.withLock { $0 = Status() }
            return .rest
        case let sequel?: return sequel
        }
    }

    /// Ends a turn after a loop, whose changes have been forgotten: only what another thread changed since is left.
    private func release() -> Sequel {
        let isUnmounting = status.withLock { status in
            status.isBusy = status.isUnmounting
            return status.isUnmounting
        }
        if isUnmounting { return end() }
        return isInvalidated ? .again : .loop
    }

    // MARK: - The pass

    /// Renders what is due. Only in a turn.
    ///
    /// - Parameters:
    ///   - isForced: Whether to run the body even though nothing that it has read has changed.
    ///   - environment: Returns the environment of the root. Tracked.
    ///   - body: The body of the root scope. Where only scopes with an id are due, those run without it.
    package func render(
        isForced: Bool, in environment: () -> EnvironmentValues, _ body: () -> Void
    ) {
        if let isolation, !isolation.isCurrent {
            Isolation.stopForEvaluation(of: "renderer \(name)", belongingTo: isolation)
        }
        reaction.takeOver()
        let haveRun = graph.withLock {
            findChanges(isForced: isForced)
            guard state.owningUnits == 0 else { return false }
            run(in: environment, body)
            return true
        }
        if haveRun { return }
        endBelongings()
        graph.withLock { run(in: environment, body) }
    }

    /// Finds the units of which something has changed.
    private func findChanges(isForced: Bool) {
        // Whatever has changed up to here, this pass sees.
        let isAskedFor = status.withLock { status in
            status.isInvalidated = false
            status.awaitsReport = false
            status.isMounted = true
            defer { status.isForced = false }
            return status.isForced
        }
        if isForced || isAskedFor || root == nil { state.units.root?.markChanged() }
        reaction.runNow()
    }

    /// Ends what units that are about to run have created in their last run.
    private func endBelongings() {
        var belongings: [Belongings] = []
        graph.withLock {
            if state.units.hasRootChanged { root?.takeBelongings(into: &belongings) }
            for unit in state.units.changed { unit.instance?.takeBelongings(into: &belongings) }
        }
        outside { belongings.forEach { $0.end() } }
    }

    /// Runs the units of which something has changed, the outer ones first, and then those around them that have to take in
    /// a new output.
    private func run(in environment: () -> EnvironmentValues, _ body: () -> Void) {
        defer { state.units.forgetChanged() }
        let units = state.units
        guard let rootUnit = units.root, units.hasRootChanged || !units.changed.isEmpty else { return }
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
        // By their depths.
        var takingIn: [[RenderUnit]] = []
        func leaveToTakeIn(_ unit: RenderUnit?) {
            guard let unit, let instance = unit.instance, unit.asksToTakeIn(in: state.passNumber) else { return }
            while takingIn.count <= instance.depth { takingIn.append([]) }
            takingIn[instance.depth].append(unit)
        }
        // One that ran with a unit around it is up to date, unless it is gone.
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

    /// The units of which something has changed, those around others first, and siblings in the order of their calls.
    private func unitsInOrder() -> [RenderUnit] {
        let changed = state.units.changed
        if changed.count < 2 { return changed }
        return changed.map { ($0, $0.instance?.path ?? []) }.sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
    }

    // MARK: - One pass

    /// Takes one turn without effects, and ends: for a new tree.
    func renderOnly<Output>(in environment: EnvironmentValues = EnvironmentValues(), _ body: () -> Output) -> Output {
        guard begin() else { fatalError("internal inconsistency: a new tree is busy") }
        var output: Output?
        render(isForced: true, in: { environment }) { output = body() }
        _ = end()
        unmount()
        return output.unsafelyUnwrapped
    }

    // MARK: - The commit

    /// Runs what the last pass has left to do: outside the lock, subscribing nobody. Only in a turn.
    ///
    /// Reports violations of the rules, disposes of what is gone, cleans up after the effects that are due, and runs them.
    package func commit() {
        endPass()
        outside {
            let gone = state.removed
            state.removed = []
            gone.forEach { $0.dispose() }
            let ended = state.abandoned
            state.abandoned = []
            ended.forEach { $0.end() }
            guard !state.dueUpdates.isEmpty else { return }
            let due = state.dueUpdates.filter { $0.isDue && !$0.hasEnded }
            state.dueUpdates = []
            due.forEach { $0.cleanUp() }
            for slot in due where slot.isDue && !slot.hasEnded && !status.withLock({ $0.isUnmounting }) {
                slot.isDue = false
                slot.update()
            }
        }
    }

    /// Runs `body` as an effect: outside scopes, subscribing nobody. What it makes belongs to the tree's graph.
    func outside(_ body: () -> Void) {
        graph.run { Hosting.unobserved { HookInstance.outsideScopes(body) } }
    }

    /// Runs `body` with the tree's graph locked.
    func locked<R>(_ body: () -> R) -> R { graph.inTransaction(body) }

    /// Releases what the last pass has replaced, and reports what it did against the rules. Only in a turn, outside the lock.
    package func endPass() {
        if !state.discarded.isEmpty {
            // Releasing may run code that renders.
            let released = state.discarded
            state.discarded = []
            for content in released { content.perform(.releaseOld) }
        }
        guard !state.violations.isEmpty else { return }
        let reported = state.violations
        state.violations = []
        reported.forEach { HooksRules.report($0) }
    }

    /// Tells that a turn has ended in a loop.
    package func reportLoop(_ limit: Int) {
        Hosting.report(
            .loop,
            """
            \(name) does not settle: its renders or effects set state each time, \(limit) times in a row. It waits for the next change. Set state \
            in an event, or in a useEffect(.preserved(by:)) whose values settle.
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
            if !status.awaitsReport { status.row = 0 }
            status.awaitsReport = false
            return !status.isInvalidated && status.isMounted
        }
        if isNews { onInvalidation() }
    }

    // MARK: - The end

    /// Disposes of all hooks, in reverse order, and forgets what the passes read. In a turn: when it ends.
    ///
    /// Runs where the tree belongs: elsewhere it takes a hop. Outside the lock; the next pass begins anew.
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

    /// Runs `body` where the tree belongs: immediately, or by a hop. Where its actor is gone nothing can be running there: immediately.
    package func perform(_ body: @escaping @Sendable () -> Void) {
        if let actor = isolation?.actor, !Isolation.isCurrent(actor) {
            Isolation.hop(to: actor, body)
        } else {
            body()
        }
    }

    /// Whether the turn in progress is to be the last.
    package var isUnmounting: Bool { status.withLock { $0.isUnmounting } }

    private func removeAll() {
        Hosting.unobserved {
            graph.withLock {
                root?.removeAll()
                root = nil
                endOnlySlots()
                if let unit = state.units.root {
                    if let belongings = unit.takeBelongings(in: state) { state.abandoned.append(belongings) }
                    unit.instance = nil
                    // It depends on nothing until the next pass.
                    unit.evaluate {}
                }
                state.units.forgetChanged()
            }
        }
        state.dueUpdates = []
        // Outside the lock: it has a value of the user's, and keeps this state.
        state.spareCell = nil
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
