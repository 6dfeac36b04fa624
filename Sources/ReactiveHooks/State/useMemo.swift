// `useMemo`: a value that is made again only when something has changed; `useCount`: how often that was.

/// Keeps a value until `updateStrategy` says that it is to be made again.
///
/// ```swift
/// let sorted = useMemo(.preserved(by: names)) { names.sorted() }
/// ```
///
/// `nil` is kept as any other value.
///
/// - Parameters:
///   - updateStrategy: When to make it again: `.once`, or `.preserved(by:)` what it is made of.
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
        // An update comes before the first value.
        coordinator.state.current.unsafelyUnwrapped
    }
}

/// Counts renders: all of them, or those in which something has changed.
///
/// - Parameter updateStrategy: Which renders count: the first for `.once`, all for `nil`.
/// - Returns: How many there have been, the current one included: 1 after the first render.
public func useCount(_ updateStrategy: HookUpdateStrategy? = .once) -> Int {
    useHook(CountHook(updateStrategy: updateStrategy))
}

/// Counts the renders in which `value` was another than in the one before, the first included.
///
/// - Parameter value: What is compared.
/// - Returns: How many different values in a row there have been: 1 after the first render.
public func useCount<Value: Equatable>(_ value: Value) -> Int {
    useCount(.preserved(by: value))
}

private struct CountHook: Hook {
    let updateStrategy: HookUpdateStrategy?

    func makeState() -> RefObject<Int> { RefObject(0) }
    func updateState(coordinator: Coordinator) { coordinator.state.current += 1 }
    func value(coordinator: Coordinator) -> Int { coordinator.state.current }
}
