// `useRef`: a box that does not render.

/// A box for a value that changes without rendering anything.
public final class RefObject<Value> {
    /// The value.
    public var current: Value

    /// Creates a box.
    public init(_ initialValue: Value) { current = initialValue }
}

/// Keeps a box from render to render. Changing what is in it renders nothing.
///
/// - Parameter initialValue: What is in the box in the first render; ignored afterwards.
/// - Returns: The same box in each render.
public func useRef<Value>(_ initialValue: Value) -> RefObject<Value> {
    useHook(RefHook(initialValue: initialValue))
}

private struct RefHook<Content>: Hook {
    let initialValue: Content
    var updateStrategy: HookUpdateStrategy? { .once }

    func makeState() -> RefObject<Content> { RefObject(initialValue) }
    func value(coordinator: Coordinator) -> RefObject<Content> { coordinator.state }
}
