// The core in SwiftUI: a view that is updated when what its content has read changes.

#if canImport(SwiftUI)
import Reactive
import SwiftUI

/// A view that is updated whenever an observable or a computed that its content has read changes.
///
/// ```swift
/// ObserverView {
///     Text("\(cart.count) items")
///     Button("Add") { cart.count += 1 }
/// }
/// ```
///
/// A change updates this view, and none around it. The projected value of an observable is SwiftUI's `Binding`.
public struct ObserverView<Content: View>: View {
    private let content: () -> Content
    @StateObject private var host = ObserverHost<Content>()

    /// Creates a view.
    ///
    /// - Parameter content: Returns the content. Called when SwiftUI updates the view, tracked.
    public init(@ViewBuilder content: @escaping () -> Content) { self.content = content }

    /// The content.
    public var body: Content { host.render(content) }
}

/// Keeps the subscription of one view.
@MainActor
private final class ObserverHost<Content>: ObservableObject {
    private var content: (() -> Content)?
    private var scope: ObserverScope<Content?>?

    func render(_ content: @escaping () -> Content) -> Content {
        self.content = content
        defer { self.content = nil }
        if let scope {
            scope.render()
        } else {
            scope = ObserverScope(
                named: "ObserverView", schedule: .told { [weak self] in self?.noteChange() },
                isolation: MainActor.shared
            ) { [weak self] in
                self?.content?()
            }
        }
        guard let scope, let output = scope.output else { return content() }
        // What the content itself has changed. SwiftUI must not be told so inside an update.
        if scope.isStale { Task { objectWillChange.send() } }
        return output
    }

    private func noteChange() {
        if content == nil { objectWillChange.send() }
    }
}
#endif
