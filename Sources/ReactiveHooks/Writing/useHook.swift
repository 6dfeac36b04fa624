// The hook behind all hooks.

/// Calls a hook: gives it the next slot of the current scope.
///
/// Outside a scope nothing is kept: that is reported as misuse, and the hook behaves as in a render that is over at once.
///
/// - Parameter hook: The hook as called in this render.
/// - Returns: What ``Hook/value(coordinator:)`` returns.
public func useHook<H: Hook>(_ hook: H) -> H.Value {
    if let scope = HookInstance.current { return scope.use(hook) }
    HooksRules.reportOutside("\(H.self)")
    let tree = HookTree()
    defer { tree.unmount() }
    guard tree.begin() else { fatalError("internal inconsistency: a new tree is busy") }
    defer { _ = tree.end() }
    var value: H.Value?
    tree.render(isForced: true, in: { EnvironmentValues() }) { value = useHook(hook) }
    return value.unsafelyUnwrapped
}
