// Hooks in SwiftUI's views.

#if canImport(SwiftUI)
import SwiftUI

/// A view whose content may call hooks.
///
/// ```swift
/// HookScope {
///     let count = useState(0)
///     Button("\(count.wrappedValue)") { count.wrappedValue += 1 }
/// }
/// ```
///
/// Each scope is a runtime of its own: a change of a value that its content has read updates this view, and none of the
/// views around it. Its hooks end with the view.
public struct HookScope<Content: View>: View {
    // Unsafe only for an initializer that runs off the main actor, and then hands the id over with the view. SwiftUI
    // uses the id on the main actor.
    nonisolated(unsafe) private let id: AnyHashable?
    private let content: @MainActor () -> Content

    /// Creates a scope that SwiftUI identifies by its position in the view hierarchy.
    ///
    /// - Parameter content: Returns the content. Called when SwiftUI updates the view, tracked.
    nonisolated public init(@ViewBuilder _ content: @escaping @MainActor () -> Content) {
        id = nil
        self.content = content
    }

    /// Creates a scope whose hooks start anew when the id changes.
    ///
    /// - Parameters:
    ///   - id: The identity of the scope.
    ///   - content: Returns the content. Called when SwiftUI updates the view, tracked.
    nonisolated public init(id: some Hashable, @ViewBuilder _ content: @escaping @MainActor () -> Content) {
        self.id = AnyHashable(id)
        self.content = content
    }

    /// The content.
    public var body: some View {
        if let id {
            Hosted(content: content).id(id)
        } else {
            Hosted(content: content)
        }
    }

    private struct Hosted: View {
        let content: @MainActor () -> Content
        @StateObject private var host = HookHost()
        @Environment(\.self) private var environment

        var body: Content { host.render(in: environment, content) }
    }
}

/// A view that may call hooks.
///
/// ```swift
/// struct Counter: HookView {
///     var hookBody: some View {
///         let count = useState(0)
///         Button("\(count.wrappedValue)") { count.wrappedValue += 1 }
///     }
/// }
/// ```
public protocol HookView: View {
    /// The type of the content.
    associatedtype HookBody: View

    /// The content of the view. Called in a ``HookScope``.
    @ViewBuilder @MainActor var hookBody: HookBody { get }
}

extension HookView {
    /// The scope of the view's hooks.
    public var body: some View { HookScope { hookBody } }
}

extension View {
    /// Sets whether a changed order of hooks is reported in the scopes inside this view.
    ///
    /// - Parameter isDisabled: Whether to silence the report. The recovery is the same.
    /// - Returns: The view with that environment.
    public func disableHooksRulesAssertion(_ isDisabled: Bool) -> some View {
        environment(\.hooksRulesAssertionDisabled, isDisabled)
    }
}
#endif
