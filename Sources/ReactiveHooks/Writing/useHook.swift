// The function that all hooks call.

/// Calls a hook: assigns it the next slot of the current scope.
///
/// Outside a scope, nothing is kept. The call is reported as misuse, and the hook behaves as in a render that ends
/// immediately.
///
/// - Parameter hook: The hook as called in this render.
/// - Returns: The result of ``Hook/value(coordinator:)``.
@inlinable
public func useHook<H: Hook>(_ hook: H) -> H.Value {
    guard let scope = HookInstance.current else {
        return HookInstance.useOutside("\(H.self)") { useHook(hook) }
    }
    if let slot = scope.nextSlot(HookSlotOf<H>.self) {
        slot.latest = hook
        return slot.use(hook)
    }
    scope.makeRoom(for: HookSlotOf<H>.self)
    let slot = HookSlotOf(hook, in: scope)
    scope.keep(slot)
    return slot.use(hook)
}
