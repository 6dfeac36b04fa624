// `useEffect` and `useLayoutEffect`: side effects of a render, and their clean-ups.

import Reactive

/// Runs a side effect after a render, and its clean-up before the next run and at the end.
///
/// ```swift
/// useEffect(.preserved(by: channel)) {
///     print("join", channel)
///     return { print("leave", channel) }
/// }
/// ```
///
/// Runs after the host has received the output. When several effects are due, all their clean-ups run before any of the
/// effects. Those of children run before those of their parents, and those of one scope in the order of its hooks.
/// State that is set in effects renders once, after all effects.
///
/// - Parameters:
///   - updateStrategy: When to run it again: after each render for `nil`.
///   - effect: The side effect; returns its clean-up, or `nil`. Both run untracked, outside the library's lock unless
///     the renderer was called inside a transaction. The clean-up runs once.
public func useEffect(_ updateStrategy: HookUpdateStrategy? = nil, _ effect: @escaping () -> (() -> Void)?) {
    if HookInstance.skipsEffect() { return }
    useHook(EffectHook(updateStrategy: updateStrategy, shouldDeferredUpdate: true, effect: effect))
}

/// Runs a side effect in the render, where it is called, and its clean-up before the next run and at the end.
///
/// As in React, it does nothing on a server; see ``renderToString(_:environment:)``.
///
/// - Parameters:
///   - updateStrategy: When to run it again: in each render for `nil`.
///   - effect: The side effect; returns its clean-up, or `nil`. Both run untracked. Inside a render they run with the
///     graph locked, and must not wait for another thread.
public func useLayoutEffect(_ updateStrategy: HookUpdateStrategy? = nil, _ effect: @escaping () -> (() -> Void)?) {
    if HookInstance.skipsEffect() { return }
    useHook(EffectHook(updateStrategy: updateStrategy, shouldDeferredUpdate: false, effect: effect))
}

private struct EffectHook: Hook {
    let updateStrategy: HookUpdateStrategy?
    let shouldDeferredUpdate: Bool
    let effect: () -> (() -> Void)?

    func makeState() -> EffectState { EffectState() }

    func updateState(coordinator: Coordinator) {
        Hosting.unobserved {
            coordinator.state.cleanUp()
            coordinator.state.undo = effect()
        }
    }

    func dispose(state: EffectState) { state.cleanUp() }
}

/// The clean-up of the latest run of an effect.
final class EffectState {
    var undo: (() -> Void)?

    /// Runs the clean-up, once.
    func cleanUp() {
        let undo = undo
        self.undo = nil
        undo?()
    }
}
