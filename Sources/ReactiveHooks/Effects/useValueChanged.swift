// `useValueChanged`: an effect that receives the previous value.

/// Calls a closure after a render in which `value` differs from the previous render's.
///
/// ```swift
/// useValueChanged(score) { old, new in print("from", old, "to", new) }
/// ```
///
/// - Parameters:
///   - value: The value that is compared.
///   - onChange: Receives the previous value and the new one; not called for the first render. Runs as an effect does;
///     see ``useEffect(_:_:)``.
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
