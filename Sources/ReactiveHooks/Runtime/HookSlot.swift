// The data that one call of a hook keeps from one render to the next.

import Reactive

/// A slot of any hook. The slot of `useState` is its `StateCell`, that of any other hook a `HookSlotOf`.
@usableFromInline
protocol HookSlot: AnyObject {
    /// The name of the hook's type, for messages.
    static var name: String { get }

    /// Records that the slot has been removed from its scope. Called once, under the lock.
    func end()

    /// Disposes of the state. Called once, after `end`.
    func dispose()
}

/// A slot whose updates may wait for the commit.
@_fixed_layout @usableFromInline
class UpdatingSlot: HookSlot {
    // Exclusivity is unchecked here and in the runtime's other classes: a turn belongs to one thread, and passes hold
    // the graph's lock.

    /// The scope, which outlives the slot's updates.
    @usableFromInline unowned(unsafe) final let scope: HookInstance
    private final let tree: TreeState
    /// Whether its update waits for the commit.
    @exclusivity(unchecked) @usableFromInline final var isDue = false
    /// Whether it has been removed from its scope.
    @exclusivity(unchecked) final var hasEnded = false

    @usableFromInline
    init(in scope: HookInstance) {
        self.scope = scope
        tree = scope.state
    }

    @usableFromInline class var name: String { "no hook" }

    /// Performs the first half of an update that waited for the commit.
    @usableFromInline
    func cleanUp() {}

    /// Performs an update that waited for the commit.
    @usableFromInline
    func update() {}

    @usableFromInline
    final func end() { hasEnded = true }

    @usableFromInline
    func dispose() {}

    /// Makes another pass due, from any thread, unless the hook has ended.
    final func renderAgain() {
        guard let tree = tree.tree else { return }
        tree.locked {
            if !hasEnded { tree.invalidate() }
        }
    }
}

/// The slot of a hook of one type.
@_fixed_layout @usableFromInline
final class HookSlotOf<H: Hook>: UpdatingSlot {
    @usableFromInline let state: H.State
    /// The hook as the last render called it.
    @exclusivity(unchecked) @usableFromInline var latest: H
    /// The strategy at the last update; `nil` before it.
    @exclusivity(unchecked) @usableFromInline var updatedWith: HookUpdateStrategy?

    @inlinable
    init(_ hook: H, in scope: HookInstance) {
        latest = hook
        state = HookInstance.outsideScopes { Hosting.unobserved { hook.makeState() } }
        super.init(in: scope)
    }

    @usableFromInline override class var name: String { "\(H.self)" }

    /// Renders `hook`, which is also `latest`.
    @inlinable
    func use(_ hook: H) -> H.Value {
        HookInstance.outsideScopes {
            if hook.shouldDeferredUpdate {
                let wasDue = isDue
                isDue = mustUpdate(hook)
                // No test sees this always hold: the commit updates a slot that waits twice only once.
                if isDue, !wasDue { scope.deferToCommit(self) }
            } else if mustUpdate(hook) {
                update(hook)
            }
            return hook.value(coordinator: coordinator)
        }
    }

    @inlinable
    func mustUpdate(_ hook: H) -> Bool {
        guard let old = updatedWith, let new = hook.updateStrategy else { return true }
        return old.dependency != new.dependency
    }

    @inlinable var coordinator: HookCoordinator<H> {
        HookCoordinator(state: state, environment: scope.environment, slot: self)
    }

    @inlinable
    func update(_ hook: H) {
        updatedWith = hook.updateStrategy
        hook.updateState(coordinator: coordinator)
    }

    @usableFromInline
    override func update() { update(latest) }

    @usableFromInline
    override func cleanUp() {
        guard H.State.self == EffectState.self else { return }
        withUnsafeBytes(of: state) { $0.load(as: EffectState.self) }.cleanUp()
    }

    @usableFromInline
    override func dispose() { latest.dispose(state: state) }
}
