// The protocol of a hook, for hooks that cannot be composed of others.

/// A call of a hook: what it was called with, and what to do with the state in its slot.
///
/// Most hooks are functions that call other hooks. Conform to this protocol for the others, and call ``useHook(_:)`` in a function of your own:
///
/// ```swift
/// struct PreviousHook<Value>: Hook {
///     let value: Value
///     var updateStrategy: HookUpdateStrategy? { nil }
///
///     func makeState() -> RefObject<(old: Value?, new: Value?)> { RefObject((nil, nil)) }
///
///     func updateState(coordinator: Coordinator) {
///         coordinator.state.current = (coordinator.state.current.new, value)
///     }
///
///     func value(coordinator: Coordinator) -> Value? { coordinator.state.current.old }
/// }
///
/// func usePrevious<Value>(_ value: Value) -> Value? { useHook(PreviousHook(value: value)) }
/// ```
///
/// A hook is a value that lives from one render to the next; what lives longer belongs into the state.
public protocol Hook {
    /// What the slot keeps from the first render to the end; a class or a ``RefObject`` if it changes.
    associatedtype State = Void

    /// What the call returns.
    associatedtype Value

    /// What the functions of the hook get.
    typealias Coordinator = HookCoordinator<Self>

    /// When ``updateState(coordinator:)`` is called: in each render for `nil`.
    var updateStrategy: HookUpdateStrategy? { get }

    /// Whether ``updateState(coordinator:)`` is called after the output has been handed to the host, rather than in the render. By default it is not.
    var shouldDeferredUpdate: Bool { get }

    /// Returns the state for a new slot. Untracked.
    func makeState() -> State

    /// Returns what the call of the hook returns. Called in each render, tracked, after an update that is not deferred.
    func value(coordinator: Coordinator) -> Value

    /// Brings the state up to date, when ``updateStrategy`` says so.
    func updateState(coordinator: Coordinator)

    /// Ends what the state keeps going. Called once, outside the library's lock as a rule.
    func dispose(state: State)
}

extension Hook {
    /// In the render.
    @inlinable
    public var shouldDeferredUpdate: Bool { false }

    /// Does nothing.
    @inlinable
    public func updateState(coordinator: Coordinator) {}

    /// Does nothing.
    @inlinable
    public func dispose(state: State) {}
}

extension Hook where State == Void {
    /// Returns nothing.
    @inlinable
    public func makeState() {}
}

extension Hook where Value == Void {
    /// Returns nothing.
    @inlinable
    public func value(coordinator: Coordinator) {}
}
