// The state that all scopes of a tree share: its units, its counters, and the work that a pass leaves to the commit.
//
// It is separate from the tree, because every scope uses it in every render. The tree is referenced weakly, and
// counting the references to such an object takes five times as long.

import Reactive

/// The state that the scopes of a tree share. It belongs to the thread that has begun a turn.
@usableFromInline
final class TreeState {
    /// The tree, for objects that may outlive it. Set once, by the tree.
    weak var tree: HookTree?
    let units: RenderUnits
    /// Whether there will be no other render. Then nothing is tracked, and no effect runs.
    let isRenderedOnce: Bool

    /// The number of the current pass.
    @exclusivity(unchecked) var passNumber = 0
    /// The number of renders of instances so far.
    @exclusivity(unchecked) private var renderCount = 0
    /// The number of instances so far.
    @exclusivity(unchecked) private var instanceCount = 0
    /// The number of units whose last run has created objects that they own.
    @exclusivity(unchecked) var owningUnits = 0

    /// Whether the only render is over, and the state that was kept for it has ended.
    @exclusivity(unchecked) var hasEnded = false

    // MARK: Rendered once

    /// A block with room for more markup.
    @exclusivity(unchecked) var spareBlock: MarkupBlock?
    /// The latest cell of a `useState`, for the next one of the type. It is free when it has no other owner.
    @exclusivity(unchecked) @usableFromInline var spareCell: _StoredSource?
    @exclusivity(unchecked) @usableFromInline var typeOfSpareCell: ObjectIdentifier?

    // MARK: Left to the commit

    /// Slots whose update waits for the commit, in hook order.
    @exclusivity(unchecked) var dueUpdates: [UpdatingSlot] = []
    /// The slots that the pass removed, in the order of their disposal.
    @exclusivity(unchecked) var removed: [any HookSlot] = []
    /// All slots of a tree that is rendered once, in the order of their creation.
    @exclusivity(unchecked) var onlySlots: [any HookSlot] = []
    /// The violations of the rules in this pass.
    @exclusivity(unchecked) var violations: [HooksRules.Violation] = []
    /// The objects that removed units have created.
    @exclusivity(unchecked) var abandoned: [Belongings] = []
    /// The contents whose outputs the pass has replaced, to be released outside the lock.
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
