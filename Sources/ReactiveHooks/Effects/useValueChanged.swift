// `useValueChanged`: an effect that knows the value before.

/// Calls a closure after a render in which `value` was another than in the one before.
///
/// ```swift
/// useValueChanged(score) { old, new in print("from", old, "to", new) }
/// ```
///
/// - Parameters:
///   - value: What is compared.
///   - onChange: Gets the value before and the new one, not for the first render. Runs as an effect does; see ``useEffect(_:_:)``.
/// - Returns: `value`.
@discardableResult
public func useValueChanged<Value: Equatable>(
    _ value: Value, _ onChange: @escaping (_ old: Value, _ new: Value) -> Void
) -> Value {
    useHook(ValueChangedHook(current: value, onChange: onChange))
    return value
}

private struct ValueChangedHook<Content: Equatable>: Hook {
    let current: Content
    let onChange: (Content, Content) -> Void
    var updateStrategy: HookUpdateStrategy? { .preserved(by: current) }
    var shouldDeferredUpdate: Bool { true }

    func makeState() -> RefObject<Content?> { RefObject(nil) }

    func updateState(coordinator: Coordinator) {
        let previous = coordinator.state.current
        coordinator.state.current = .some(current)
        if let previous { onChange(previous, current) }
    }
}
