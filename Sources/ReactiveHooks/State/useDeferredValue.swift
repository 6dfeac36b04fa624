// `useDeferredValue`: a value that lags one render behind, so that what is costly does not hold up what is urgent.

/// Returns `value` one render late: a render in which it has changed still gets the old one, and one more render gets the new one.
///
/// ```swift
/// let shown = useDeferredValue(query)
/// let results = useMemo(.preserved(by: shown)) { search(shown) }
/// ```
///
/// The first render gets the value itself. The second render follows once the output of the first has been handed to the host and its effects have
/// run. If the value has changed again by then, only the newest one is rendered.
///
/// - Parameter value: The value of this render.
/// - Returns: The value of the render before while `value` is new; `value` otherwise.
public func useDeferredValue<Value: Equatable>(_ value: Value) -> Value {
    let shown = useState(value)
    useEffect(.preserved(by: value)) {
        shown.wrappedValue = value
        return nil
    }
    return shown.wrappedValue
}

/// Returns `value` one render late, and another value in the first render.
///
/// - Parameters:
///   - value: The value of this render.
///   - initialValue: What the first render gets.
/// - Returns: `initialValue` in the first render; then the value of the render before while `value` is new; `value` otherwise.
public func useDeferredValue<Value: Equatable>(_ value: Value, initialValue: Value) -> Value {
    let shown = useState(initialValue)
    useEffect(.preserved(by: value)) {
        shown.wrappedValue = value
        return nil
    }
    return shown.wrappedValue
}
