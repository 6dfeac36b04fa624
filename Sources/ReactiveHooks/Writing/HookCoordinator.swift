// The argument that the functions of a hook receive.

#if canImport(SwiftUI)
import SwiftUI
#endif

/// A hook's state, its environment, and a function that renders its scope again.
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
    /// It is not needed for a state that is an `Observable` and read in ``Hook/value(coordinator:)``. May be called
    /// from any thread.
    public func updateView() {
        switch update {
        case .closure(let update): update()
        case .slot(let slot): slot.renderAgain()
        }
    }
}

/// The ways to render the scope of a hook again.
@frozen @usableFromInline
enum HookUpdate {
    case closure(() -> Void)
    case slot(UpdatingSlot)
}
