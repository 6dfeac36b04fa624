// The units of a tree: the root, and each scope with an id. Each tracks what its body reads, so that it can render by
// itself.

import Reactive

/// One unit. It is a part of the tree's reaction: what its body reads makes it due.
@usableFromInline
final class RenderUnit: _ReactionPart {
    /// The scope; `nil` between the end of one root and the beginning of the next.
    @exclusivity(unchecked) @usableFromInline unowned(unsafe) final var instance: HookInstance?
    /// How to run the body again, and what that returned last; `nil` for the root.
    @exclusivity(unchecked) @usableFromInline final var content: ScopeContent?
    /// What the last run has created.
    @exclusivity(unchecked) fileprivate(set) final var belongings: Belongings?
    /// The pass that ran it last.
    @exclusivity(unchecked) @usableFromInline final var renderedPass = 0
    /// The pass in which it was last asked to take in a new output.
    @exclusivity(unchecked) private final var takingInPass = 0
    /// Runs again only because scopes with an id in it have new outputs.
    @exclusivity(unchecked) @usableFromInline final var isTakingIn = false
    /// Where the scope was called that had the first new output in that run.
    @exclusivity(unchecked) @usableFromInline final var newOutputSite: ScopeSite?
    /// Scopes called at different places had new outputs in that run.
    @exclusivity(unchecked) @usableFromInline final var hasNewOutputsElsewhere = false
    /// The place in the list of all units.
    fileprivate final var index = 0

    override init(of reaction: Reaction) { super.init(of: reaction) }

    // MARK: - Running

    /// Runs `body`, which renders this unit, tracked.
    @usableFromInline
    func track(_ body: () -> Void) {
        guard let state = instance?.state else { return }
        renderedPass = state.passNumber
        let belongings = evaluateCollecting(body)
        guard !belongings.isEmpty else { return }
        self.belongings = belongings
        state.owningUnits += 1
    }

    /// Runs the body of a scope with an id again, because something has changed that it alone has read.
    ///
    /// - Returns: Whether the output differs from the one before.
    func renderAlone() -> Bool {
        guard let content else { return true }
        var isNew = false
        track { isNew = content.perform(.renderAgain, for: self) }
        return isNew
    }

    /// Notes that it has to take in a new output. Returns whether that is new in this pass.
    func asksToTakeIn(in pass: Int) -> Bool {
        defer { takingInPass = pass }
        return takingInPass != pass
    }

    /// Runs the body of a scope with an id again, because scopes in it have new outputs.
    ///
    /// - Returns: Whether the output differs from the one before.
    func takeInAlone() -> Bool { takingIn(renderAlone) }

    /// Runs `body`, which runs this unit because scopes with an id in it have new outputs: the others keep theirs.
    func takingIn<Result>(_ body: () -> Result) -> Result {
        isTakingIn = true
        newOutputSite = nil
        hasNewOutputsElsewhere = false
        defer { isTakingIn = false }
        return body()
    }

    /// Whether no new output can have reached a body called at `site`. Only while it takes in.
    @inlinable @inline(__always)
    func keepsOutputs(at site: ScopeSite) -> Bool {
        guard let newOutputSite else { return true }
        return !hasNewOutputsElsewhere && newOutputSite == site
    }

    /// Notes that the output of a scope called at `site` is new.
    @usableFromInline
    func noteNewOutput(at site: ScopeSite) {
        if let newOutputSite, newOutputSite != site { hasNewOutputsElsewhere = true }
        if newOutputSite == nil { newOutputSite = site }
    }

    /// Puts a content in place of the old one, which is released outside the lock. Returns its typed part.
    @usableFromInline
    func replaceContent<Typed>(by new: ScopeContent) -> UnsafeMutablePointer<Typed> {
        if let content { instance?.state.discarded.append(content) }
        content = new
        return new.typed.assumingMemoryBound(to: Typed.self)
    }

    /// Has the output that a run has replaced released outside the lock.
    @usableFromInline
    func leaveOldResult() {
        if let content { instance?.state.discarded.append(content) }
    }

    /// Takes what the last run has created, to be ended by the caller.
    func takeBelongings(in state: TreeState) -> Belongings? {
        guard let belongings else { return nil }
        self.belongings = nil
        state.owningUnits -= 1
        return belongings
    }
}

/// All units of a tree, and those of which something has changed. Guarded by the graph's lock.
final class RenderUnits: PartedContent {
    private(set) var root: RenderUnit?
    private var units: [RenderUnit] = []
    /// Owns this, and so lives longer.
    private unowned(unsafe) var reaction: Reaction?
    /// Something that the root's body has read has changed.
    var hasRootChanged = false
    /// The other units of which something has changed.
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
    func finishUpdate() -> Bool { false }
    func discardUpdate() {}
    func deliver() {}
    func forEachPart(_ body: (_ReactionPart) -> Void) { units.forEach(body) }

    func end() {
        for unit in units {
            unit.end()
            unit.instance = nil
        }
        units = []
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
        guard unit.index < units.count, units[unit.index] === unit else { return }
        let last = units.removeLast()
        guard last !== unit else { return }
        last.index = unit.index
        units[unit.index] = last
    }

    /// Forgets what has changed.
    func forgetChanged() {
        hasRootChanged = false
        if !changed.isEmpty { changed.removeAll(keepingCapacity: true) }
    }
}
