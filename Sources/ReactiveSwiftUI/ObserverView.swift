// A view that is updated when a value that its content has read changes.

#if canImport(SwiftUI)
@_exported public import Reactive
import SwiftUI

/// A view that is updated whenever state changes that its content has read, on all systems that the package supports.
///
/// ```swift
/// ObserverView {
///     Text("\(cart.count) items")
///     Button("Add") { cart.count += 1 }
/// }
/// ```
///
/// On iOS 17, macOS 14 and newer, plain views follow state, too; see <doc:StateInViews>.
///
/// - A change updates this view, and none of the views around it.
/// - A change on the main actor reaches SwiftUI inside the write, and so inside the caller's `withAnimation`. A change
///   on another thread reaches SwiftUI by a hop to the main actor.
/// - If the content changes a value that it has read, it is updated once more after the update. After 25 updates in a
///   row this is reported as a loop, and the view waits for the next change.
public struct ObserverView<Content: View>: View {
    private let content: @MainActor () -> Content
    @StateObject private var host = ObserverHost<Content>()

    /// Creates a view.
    ///
    /// - Parameter content: Returns the content. Called when SwiftUI updates the view, tracked.
    nonisolated public init(@ViewBuilder content: @escaping @MainActor () -> Content) { self.content = content }

    /// The content.
    public var body: Content { host.render(content) }
}

/// Keeps the subscription of one view, which ends after the update that has removed the view.
@MainActor
private final class ObserverHost<Content>: ObservableObject {
    private var content: (@MainActor () -> Content)?
    private lazy var changes = ViewChanges(of: "ObserverView") { [weak self] in self?.objectWillChange.send() }
    // Guarded because of `deinit`, which is not isolated.
    private let kept = Guarded<ObserverScope<Content?>?>(nil)

    nonisolated init() {}

    deinit { ViewChanges.afterUpdate { [kept] in kept.exchange(for: nil)?.cancel() } }

    func render(_ content: @escaping @MainActor () -> Content) -> Content {
        self.content = content
        defer { self.content = nil }
        let scope = changes.body { renderedScope() }
        guard let output = scope.output else { return content() }
        // The content itself has changed a value that it has read.
        if scope.isStale { changes.addInUpdate() }
        return output
    }

    /// Returns the scope after rendering it.
    private func renderedScope() -> ObserverScope<Content?> {
        if let scope = kept.withLock({ $0 }) {
            scope.render()
            return scope
        }
        let scope = ObserverScope<Content?>(
            named: "ObserverView",
            schedule: .notifyOnly { [weak self] in
                MainActor.assumeIsolated { self?.noteChange() }
            }, isolation: MainActor.shared
        ) { [weak self] in
            self?.content?()
        }
        _ = kept.exchange(for: scope)
        return scope
    }

    private func noteChange() {
        if content == nil { changes.add() }
    }
}
#endif
