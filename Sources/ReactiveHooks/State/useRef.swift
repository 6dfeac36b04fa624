// `useRef`: a box whose changes do not render.

/// A box for a value whose changes do not render.
@_fixed_layout
public final class RefObject<Value> {
    /// The value.
    public final var current: Value

    /// Creates a box.
    @inlinable
    public init(_ initialValue: Value) { current = initialValue }
}

/// Keeps a box from render to render. Changing its value does not render.
///
/// - Parameter initialValue: The value in the first render; ignored afterwards.
/// - Returns: The same box in each render.
@inlinable
public func useRef<Value>(_ initialValue: Value) -> RefObject<Value> {
    useHook(RefHook(initialValue: initialValue))
}

@frozen @usableFromInline
struct RefHook<Content>: Hook {
    @usableFromInline let initialValue: Content

    @inlinable
    init(initialValue: Content) { self.initialValue = initialValue }

    @inlinable var updateStrategy: HookUpdateStrategy? { .once }

    @inlinable
    func makeState() -> RefObject<Content> { RefObject(initialValue) }

    @inlinable
    func value(coordinator: Coordinator) -> RefObject<Content> { coordinator.state }
}
