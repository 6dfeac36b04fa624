// `useEffect` and `useLayoutEffect`: doing something because something was rendered, and undoing it.

import Reactive

/// Does something after a render, and undoes it before it is done again and in the end.
///
/// ```swift
/// useEffect(.preserved(by: channel)) {
///     print("join", channel)
///     return { print("leave", channel) }
/// }
/// ```
///
/// Runs after the output has been handed to the host. When several effects are due, all their clean-ups run before any of the effects. Those of
/// children run before those of their parents, and those of one scope in the order of its hooks. State that is set in an effect renders once,
/// after all effects.
///
/// - Parameters:
///   - updateStrategy: When to do it again: after each render for `nil`.
///   - effect: Does it; returns how to undo it, or `nil`. Both run untracked, outside the library's lock unless the renderer was asked to work inside a
///     transaction; the clean-up runs once.
public func useEffect(_ updateStrategy: HookUpdateStrategy? = nil, _ effect: @escaping () -> (() -> Void)?) {
    if HookInstance.skipsEffect() { return }
    useHook(EffectHook(updateStrategy: updateStrategy, shouldDeferredUpdate: true, effect: effect))
}

/// Does something in the render, where it is called, and undoes it before it is done again and in the end.
///
/// As in React, it does nothing on a server; see ``renderToString(_:environment:)``.
///
/// - Parameters:
///   - updateStrategy: When to do it again: in each render for `nil`.
///   - effect: Does it; returns how to undo it, or `nil`. Both run untracked. What is done in a render runs with the graph locked, and must not wait
///     for another thread.
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

/// How to undo what an effect has done last.
final class EffectState {
    var undo: (() -> Void)?

    /// Undoes it, once.
    func cleanUp() {
        let undo = undo
        self.undo = nil
        undo?()
    }
}
