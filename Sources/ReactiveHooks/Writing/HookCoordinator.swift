// What the functions of a hook get to work with.

/// A hook's state, its surroundings, and the way to have its scope rendered again.
@frozen
public struct HookCoordinator<H: Hook> {
    /// The state in the hook's slot.
    public let state: H.State
    /// The environment of the scope, as of the last render.
    public let environment: EnvironmentValues
    @usableFromInline let update: HookUpdate

    /// Creates a coordinator.
    @inlinable
    public init(state: H.State, environment: EnvironmentValues, updateView: @escaping () -> Void) {
        self.state = state
        self.environment = environment
        update = .closure(updateView)
    }

    @inlinable
    init(state: H.State, environment: EnvironmentValues, slot: UpdatingSlot) {
        self.state = state
        self.environment = environment
        update = .slot(slot)
    }

    /// Renders again: now, or when the enclosing transaction, render or effect is over. After the hook's end it does
    /// nothing.
    ///
    /// State that is an `Observable`, and read in ``Hook/value(coordinator:)``, does without. May be called from any
    /// thread.
    public func updateView() {
        switch update {
        case .closure(let update): update()
        case .slot(let slot): slot.renderAgain()
        }
    }
}

/// How a hook has its scope rendered again.
@frozen @usableFromInline
enum HookUpdate {
    case closure(() -> Void)
    case slot(UpdatingSlot)
}
