// The units of a tree: the root, and each scope with an id. Each tracks the reads of its body, so that it can render by
// itself.

import Reactive

/// One unit. It is a part of the tree's reaction: a change of a value that its body has read makes it due.
@usableFromInline
final class RenderUnit: _ReactionPart {
    /// The scope; `nil` between the end of one root and the beginning of the next.
    @exclusivity(unchecked) @usableFromInline unowned(unsafe) final var instance: HookInstance?
    /// The body, and its last result; `nil` for the root.
    @exclusivity(unchecked) @usableFromInline final var content: ScopeContent?
    /// The objects that the last run has created.
    @exclusivity(unchecked) fileprivate(set) final var belongings: Belongings?
    /// The pass that ran it last.
    @exclusivity(unchecked) @usableFromInline final var renderedPass = 0
    /// The last pass in which it was asked to take in a new output.
    @exclusivity(unchecked) private final var takingInPass = 0
    /// Whether it runs only because scopes with an id inside it have new outputs.
    @exclusivity(unchecked) @usableFromInline final var isTakingIn = false
    /// The site of the scope that had the latest new output in that run.
    @exclusivity(unchecked) @usableFromInline final var newOutputSite: ScopeSite?
    /// Whether scopes at several sites had new outputs in that run.
    @exclusivity(unchecked) @usableFromInline final var hasNewOutputsElsewhere = false
    /// The index in the list of all units.
    fileprivate final var index = 0

    override init(of reaction: Reaction) { super.init(of: reaction) }

    // MARK: - Running

    /// Runs `body`, which renders this unit, tracked.
    @usableFromInline
    func track(_ body: () -> Void) {
        guard let state = instance?.state else { return }
        renderedPass = state.passNumber
        let belongings = evaluateCollecting(body)
        // Those of a run without `HookTree.endBelongings` before it, to take in an output, end in the commit.
        if let old = takeBelongings(in: state) { state.abandoned.append(old) }
        // No test sees this always hold: it only saves to look for them.
        guard !belongings.isEmpty else { return }
        self.belongings = belongings
        state.owningUnits += 1
    }

    /// Runs the body of a scope with an id again, because a value has changed that this scope alone has read.
    ///
    /// - Returns: Whether the output differs from the previous one.
    func renderAlone() -> Bool {
        guard let content else {
            // No test sees this: only the root has no content, and it does not render alone.
            return true
        }
        // No test sees this: the run sets it.
        var isNew = false
        track { isNew = content.perform(.renderAgain, for: self) }
        return isNew
    }

    /// Records that it has to take in a new output. Returns whether this is the first time in the pass.
    func asksToTakeIn(in pass: Int) -> Bool {
        defer { takingInPass = pass }
        return takingInPass != pass
    }

    /// Runs the body of a scope with an id again, because scopes inside it have new outputs.
    ///
    /// - Returns: Whether the output differs from the previous one.
    func takeInAlone() -> Bool { takingIn(renderAlone) }

    /// Runs `body`, which runs this unit because scopes with an id inside it have new outputs. The other scopes keep
    /// theirs.
    func takingIn<Result>(_ body: () -> Result) -> Result {
        isTakingIn = true
        newOutputSite = nil
        hasNewOutputsElsewhere = false
        defer { isTakingIn = false }
        return body()
    }

    /// Whether a body called at `site` cannot have used a new output. Only while the unit takes in outputs.
    @inlinable @inline(__always)
    func keepsOutputs(at site: ScopeSite) -> Bool {
        guard let newOutputSite else { return true }
        return !hasNewOutputsElsewhere && newOutputSite == site
    }

    /// Records that the output of a scope called at `site` is new.
    @usableFromInline
    func noteNewOutput(at site: ScopeSite) {
        if let newOutputSite, newOutputSite != site { hasNewOutputsElsewhere = true }
        newOutputSite = site
    }

    /// Replaces the content. The old one is released outside the lock. Returns the typed part of the new one.
    @usableFromInline
    func replaceContent<Typed>(by new: ScopeContent) -> UnsafeMutablePointer<Typed> {
        if let content { instance?.state.discarded.append(content) }
        content = new
        return new.typed.assumingMemoryBound(to: Typed.self)
    }

    /// Leaves the output that a run has replaced to be released outside the lock.
    @usableFromInline
    func leaveOldResult() {
        if let content { instance?.state.discarded.append(content) }
    }

    /// Removes and returns the objects that the last run has created. The caller ends them.
    func takeBelongings(in state: TreeState) -> Belongings? {
        guard let belongings else { return nil }
        self.belongings = nil
        // No test sees this left out: a number that is too high only costs walks.
        state.owningUnits -= 1
        return belongings
    }
}

/// All units of a tree, and those that have read a changed value. Guarded by the graph's lock.
final class RenderUnits: PartsDelegate {
    private(set) var root: RenderUnit?
    private var units: [RenderUnit] = []
    /// The owner of this object, which lives longer.
    private unowned(unsafe) var reaction: Reaction?
    /// Whether the root's body has read a value that has changed.
    var hasRootChanged = false
    /// The other units that have read a changed value.
    private(set) var changed: [RenderUnit] = []

    func begin(in reaction: Reaction) {
        self.reaction = reaction
        root = make(for: nil)
    }

    func update(_ part: _ReactionPart) {
        if part === root {
            hasRootChanged = true
        } else {
            changed.append(unsafeDowncast(part, to: RenderUnit.self))
        }
    }
    // No test sees this: there is nothing to deliver.
    func finishUpdate() -> Bool { false }
    func discardUpdate() {}
    func deliver() {}
    func forEachPart(_ body: (_ReactionPart) -> Void) { units.forEach(body) }

    func end() {
        for unit in units { unit.end() }
        // No test sees this left out: it only frees memory sooner.
        units = []
        // No test sees this left out: it only frees memory sooner.
        root = nil
    }

    /// Creates the unit of a scope. Precondition: the reaction has not been cancelled.
    func make(for instance: HookInstance?) -> RenderUnit {
        let unit = RenderUnit(of: reaction.unsafelyUnwrapped)
        unit.instance = instance
        unit.index = units.count
        units.append(unit)
        return unit
    }

    /// Ends the unit of a scope.
    func end(_ unit: RenderUnit) {
        unit.end()
        unit.instance = nil
        let last = units.removeLast()
        guard last !== unit else { return }
        last.index = unit.index
        units[unit.index] = last
    }

    /// Forgets what has changed.
    func forgetChanged() {
        hasRootChanged = false
        // No test sees this always hold: it only saves to empty an empty list.
        if !changed.isEmpty {
            // No test sees this: the kept memory only saves allocations.
            changed.removeAll(keepingCapacity: true)
        }
    }
}
