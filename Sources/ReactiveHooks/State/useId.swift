// `useId`: a name for a part of the output, such as the `id` of a label's field.

#if canImport(SwiftUI)
import SwiftUI
#endif

/// Returns a text that is unique in the tree. It is the same in each render, and in each process that renders the same
/// tree.
///
/// ```swift
/// let id = useId()
/// return "<label for=\"\(id)\">Name</label><input id=\"\(id)\">"
/// ```
///
/// The text is made of the scopes around the call. A scope with an id contributes its id, so the text stays the same
/// when the scope moves. A scope without an id contributes its position. The characters are valid in an `id` of HTML
/// and in a selector of CSS.
///
/// Two trees on one page have the same ids, unless `environment.idPrefix` is different. In SwiftUI each `HookScope` is
/// a tree of its own, with a different prefix that counts the scopes.
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
    /// The beginning of the ids of ``useId()``.
    public var idPrefix: String {
        get { self[IdPrefixKey.self] }
        set { self[IdPrefixKey.self] = newValue }
    }
}
