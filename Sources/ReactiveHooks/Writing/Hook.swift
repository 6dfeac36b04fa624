// The protocol of a hook, for hooks that cannot be composed of others.

/// A call of a hook: its arguments, and how it uses the state in its slot.
///
/// Most hooks are functions that call other hooks. Conform to this protocol for the others, and call ``useHook(_:)`` in
/// a function of your own:
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
/// A hook is a value that lives for one render. Data that live longer belong in the state.
public protocol Hook {
    /// The type of the state that the slot keeps from the first render to the end; a class or a ``RefObject`` if the
    /// state changes.
    associatedtype State = Void

    /// The type of the call's result.
    associatedtype Value

    /// The type of the argument that the functions of the hook receive.
    typealias Coordinator = HookCoordinator<Self>

    /// When ``updateState(coordinator:)`` is called: in each render for `nil`.
    var updateStrategy: HookUpdateStrategy? { get }

    /// Whether ``updateState(coordinator:)`` is called after the host has received the output, rather than in the
    /// render. False by default.
    var shouldDeferredUpdate: Bool { get }

    /// Returns the state for a new slot. Untracked.
    func makeState() -> State

    /// Returns the result of the call. Called in each render, tracked, after an update that is not deferred.
    func value(coordinator: Coordinator) -> Value

    /// Updates the state. Called when ``updateStrategy`` requires it.
    func updateState(coordinator: Coordinator)

    /// Ends the work that the state has started. Called once, usually outside the library's lock.
    func dispose(state: State)
}

extension Hook {
    /// False: updates happen in the render.
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
    /// Creates no state.
    @inlinable
    public func makeState() {}
}

extension Hook where Value == Void {
    /// Returns nothing.
    @inlinable
    public func value(coordinator: Coordinator) {}
}
