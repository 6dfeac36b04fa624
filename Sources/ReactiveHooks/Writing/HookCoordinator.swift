// What the functions of a hook get to work with.

/// A hook's state, its surroundings, and the way to have its scope rendered again.
public struct HookCoordinator<H: Hook> {
    /// The state in the hook's slot.
    public let state: H.State
    /// The environment of the scope, as of the last render.
    public let environment: EnvironmentValues
    private let update: () -> Void

    /// Creates a coordinator.
    public init(state: H.State, environment: EnvironmentValues, updateView: @escaping () -> Void) {
        self.state = state
        self.environment = environment
        update = updateView
    }

    /// Renders again: now, or when the enclosing transaction, render or effect is over. After the hook's end it does nothing.
    ///
    /// State that is an `Observable`, and read in ``Hook/value(coordinator:)``, does without. May be called from any thread.
    public func updateView() { update() }
}
