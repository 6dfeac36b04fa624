// `useDeferredValue`: a value that is one render late, so that expensive work does not delay urgent work.

/// Returns `value` one render late. A render in which it has changed still gets the old value, and one more render gets
/// the new one.
///
/// ```swift
/// let shown = useDeferredValue(query)
/// let results = useMemo(.preserved(by: shown)) { search(shown) }
/// ```
///
/// The first render gets the value itself. After a change, the second render follows when the host has received the
/// output of the first and its effects have run. If the value has changed again by then, only the newest one is
/// rendered.
///
/// - Parameter value: The value of this render.
/// - Returns: The previous render's value while `value` is new; `value` otherwise.
public func useDeferredValue<Value: Equatable>(_ value: Value) -> Value {
    let shown = useState(value)
    useEffect(.preserved(by: value)) {
        shown.wrappedValue = value
        return nil
    }
    return shown.wrappedValue
}

/// Returns `value` one render late, and a different value in the first render.
///
/// - Parameters:
///   - value: The value of this render.
///   - initialValue: The value for the first render.
/// - Returns: `initialValue` in the first render. After that, the previous render's value while `value` is new; `value`
///   otherwise.
public func useDeferredValue<Value: Equatable>(_ value: Value, initialValue: Value) -> Value {
    let shown = useState(initialValue)
    useEffect(.preserved(by: value)) {
        shown.wrappedValue = value
        return nil
    }
    return shown.wrappedValue
}
