// What all scopes of a tree share: its units, its counters, and what a pass leaves to the commit.
//
// It is not the tree itself, because every scope uses it in every render. The tree is referenced weakly, and counting the
// references to such an object takes five times as long.

import Reactive

/// The state that the scopes of a tree share. It belongs to the thread that has begun a turn.
@usableFromInline
final class TreeState {
    /// The tree, for those who may outlive it. Set once, by the tree.
    weak var tree: HookTree?
    let units: RenderUnits
    /// There will be no other render, so nothing is tracked, and no effect runs.
    let isRenderedOnce: Bool

    /// The number of the current pass.
    @exclusivity(unchecked) var passNumber = 0
    /// How many renders of instances there have been.
    @exclusivity(unchecked) private var renderCount = 0
    /// How many instances there have been.
    @exclusivity(unchecked) private var instanceCount = 0
    /// How many units have created something in their last run that is theirs.
    @exclusivity(unchecked) var owningUnits = 0

    /// The only render is over, and what was kept for it has ended.
    @exclusivity(unchecked) var hasEnded = false

    // MARK: Rendered once

    /// A block that has room for more markup.
    @exclusivity(unchecked) var spareBlock: MarkupBlock?
    /// The latest cell of a `useState`, for the next one of the type. It is free once nothing else keeps it.
    @exclusivity(unchecked) @usableFromInline var spareCell: _StoredSource?
    @exclusivity(unchecked) @usableFromInline var typeOfSpareCell: ObjectIdentifier?

    // MARK: Left to the commit

    /// Slots whose update waits for the commit, in hook order.
    @exclusivity(unchecked) var dueUpdates: [UpdatingSlot] = []
    /// What was removed in the pass, in the order in which to dispose of it.
    @exclusivity(unchecked) var removed: [any HookSlot] = []
    /// All slots of a tree that is rendered once, in the order of their creation.
    @exclusivity(unchecked) var onlySlots: [any HookSlot] = []
    /// What the pass did against the rules.
    @exclusivity(unchecked) var violations: [HooksRules.Violation] = []
    /// What units that are gone have created.
    @exclusivity(unchecked) var abandoned: [Belongings] = []
    /// What the pass has replaced outputs of, to be released outside the lock.
    @exclusivity(unchecked) var discarded: [ScopeContent] = []

    init(isRenderedOnce: Bool) {
        self.isRenderedOnce = isRenderedOnce
        units = RenderUnits()
    }

    func nextInstanceNumber() -> Int {
        instanceCount += 1
        return instanceCount
    }

    func nextRenderNumber() -> Int {
        renderCount += 1
        return renderCount
    }
}
