// What one call of a hook keeps from one render to the next.

import Reactive

/// A slot, whatever its hook.
class HookSlot {
    /// The hook's type, for messages.
    var name: String { "no hook" }
    /// Its update waits for the commit.
    final var isDue = false
    /// Its state has been disposed of. Written under the graph's lock.
    final private(set) var isDisposed = false

    /// Does the first half of an update that waited for the commit.
    func cleanUp() {}

    /// Does an update that waited for the commit.
    func update() {}

    func dispose() {}

    final func disposeOnce(in tree: HookTree) {
        guard !isDisposed else { return }
        tree.locked { isDisposed = true }
        dispose()
    }
}

/// The slot of a hook of one type.
final class HookSlotOf<H: Hook>: HookSlot {
    private let state: H.State
    /// The hook as the last render called it.
    private var latest: H
    private var environment: EnvironmentValues
    private weak var tree: HookTree?
    /// The strategy at the last update.
    private var updatedWith: HookUpdateStrategy?
    private var hasUpdated = false

    init(_ hook: H, in instance: HookInstance) {
        latest = hook
        environment = instance.environment
        tree = instance.tree
        state = HookInstance.outsideScopes { Hosting.unobserved { hook.makeState() } }
    }

    override var name: String { "\(H.self)" }

    /// Renders the hook.
    func use(_ hook: H, in instance: HookInstance) -> H.Value {
        latest = hook
        environment = instance.environment
        let mustUpdate =
            if hasUpdated, let old = updatedWith, let new = hook.updateStrategy {
                old.dependency != new.dependency
            } else {
                true
            }
        return HookInstance.outsideScopes {
            if hook.shouldDeferredUpdate {
                if mustUpdate, !isDue { instance.leaveToCommit(self) }
                isDue = mustUpdate
            } else if mustUpdate {
                update()
            }
            return hook.value(coordinator: coordinator)
        }
    }

    private var coordinator: HookCoordinator<H> {
        HookCoordinator(state: state, environment: environment, updateView: { [weak self] in self?.invalidate() })
    }

    /// Makes another pass due, from any thread, unless the hook's end has come.
    private func invalidate() {
        guard let tree else { return }
        tree.locked {
            if !isDisposed { tree.invalidate() }
        }
    }

    override func cleanUp() { (state as? EffectState)?.cleanUp() }

    override func update() {
        hasUpdated = true
        updatedWith = latest.updateStrategy
        latest.updateState(coordinator: coordinator)
    }

    override func dispose() { latest.dispose(state: state) }
}
