// `useId`: a name for what a component shows, such as the `id` of a label's field.

/// Returns a text that no other call in the tree gets: the same in each render, and in each process that renders the same tree.
///
/// ```swift
/// let id = useId()
/// return "<label for=\"\(id)\">Name</label><input id=\"\(id)\">"
/// ```
///
/// It is made of the scopes around the call. A scope with an id gives it that id, so it stays the same when the scope changes places; a scope without gives
/// it its position. Its characters may stand in an `id` of HTML and in a selector of CSS.
///
/// Two trees on one page have the same ids, unless `environment.idPrefix` is different. In SwiftUI, where each `HookScope` is a tree of its own, it
/// is different for each, and counts them.
///
/// - Returns: The text.
public func useId() -> String { useHook(IdHook(scope: HookInstance.current)) }

private struct IdHook: Hook {
    /// The scope of the call, which keeps the slot.
    unowned let scope: HookInstance?
    var updateStrategy: HookUpdateStrategy? { .once }

    func makeState() -> String { scope.map { "\($0.name)-h\($0.hookCount)" } ?? EnvironmentValues().idPrefix }

    func value(coordinator: Coordinator) -> String { coordinator.state }
}

private enum IdPrefixKey: EnvironmentKey {
    static var defaultValue: String { "r" }
}

extension EnvironmentValues {
    /// What the ids of ``useId()`` begin with.
    public var idPrefix: String {
        get { self[IdPrefixKey.self] }
        set { self[IdPrefixKey.self] = newValue }
    }
}
