// `useMemo`: a value that is computed again only when something has changed; `useCount`: the number of renders or
// changes.

/// Keeps a value until `updateStrategy` requires a new one.
///
/// ```swift
/// let sorted = useMemo(.preserved(by: names)) { names.sorted() }
/// ```
///
/// `nil` is kept as any other value.
///
/// - Parameters:
///   - updateStrategy: When to compute it again: `.once` for never, or `.preserved(by:)` the values that it is computed
///     from.
///   - makeValue: Returns the value. Runs in the render, tracked.
/// - Returns: The value.
@discardableResult @inlinable
public func useMemo<Value>(_ updateStrategy: HookUpdateStrategy, _ makeValue: @escaping () -> Value) -> Value {
    useHook(MemoHook(updateStrategy: updateStrategy, makeValue: makeValue))
}

@frozen @usableFromInline
struct MemoHook<Memo>: Hook {
    @usableFromInline let updateStrategy: HookUpdateStrategy?
    @usableFromInline let makeValue: () -> Memo

    @inlinable
    init(updateStrategy: HookUpdateStrategy?, makeValue: @escaping () -> Memo) {
        self.updateStrategy = updateStrategy
        self.makeValue = makeValue
    }

    @inlinable
    func makeState() -> RefObject<Memo?> { RefObject(nil) }

    @inlinable
    func updateState(coordinator: Coordinator) { coordinator.state.current = .some(makeValue()) }

    @inlinable
    func value(coordinator: Coordinator) -> Memo {
        // `updateState` runs before the first call.
        coordinator.state.current.unsafelyUnwrapped
    }
}

/// Counts renders: all of them, or those in which something has changed.
///
/// - Parameter updateStrategy: The renders that count: the first for `.once`, all for `nil`.
/// - Returns: The number of these renders, the current one included: 1 after the first render.
public func useCount(_ updateStrategy: HookUpdateStrategy? = .once) -> Int {
    useHook(CountHook(updateStrategy: updateStrategy))
}

/// Counts the renders in which `value` differs from the previous render's, the first included.
///
/// - Parameter value: The value that is compared.
/// - Returns: The number of changes, the first value included: 1 after the first render.
public func useCount<Value: Equatable>(_ value: Value) -> Int {
    useCount(.preserved(by: value))
}

private struct CountHook: Hook {
    let updateStrategy: HookUpdateStrategy?

    func makeState() -> RefObject<Int> { RefObject(0) }
    func updateState(coordinator: Coordinator) { coordinator.state.current += 1 }
    func value(coordinator: Coordinator) -> Int { coordinator.state.current }
}
