// `@RecoilScope` in a view: the scope lives as long as the view, uses the store of the root around, and has the view updated.

#if canImport(SwiftUI)
import Reactive
public import SwiftUI

extension RecoilScope: DynamicProperty {
    /// Finds the scope of the view. SwiftUI calls it before the body.
    public mutating func update() {
        // SwiftUI's properties belong to the main actor, where views are updated.
        nonisolated(unsafe) let scope = self
        MainActor.assumeIsolated {
            scope.owned.installed = scope.host.scope(
                in: scope.owned.store ?? scope.provided, onRefresh: scope.owned.onRefresh)
        }
    }
}

/// Keeps the scope of one view.
@MainActor
final class ScopeHost: ObservableObject {
    private var scope: ScopedRecoilContext?

    nonisolated init() {}

    /// The scope for the update that begins.
    func scope(in store: RecoilStore?, onRefresh: (() -> Void)?) -> ScopedRecoilContext {
        if store == nil {
            Hosting.report(
                .misuse,
                "@RecoilScope finds no store, and uses RecoilStore.shared. Show the view inside a RecoilRoot, or write @RecoilScope(store:).",
                site: "RecoilScope")
        }
        let store = store ?? .shared
        let scope = scope.flatMap { $0.store === store ? $0 : nil } ?? ScopedRecoilContext(store: store)
        scope.refreshesLater = true
        scope.beginRefresh()
        scope.onRefresh = { [weak self] in
            MainActor.assumeIsolated { self?.objectWillChange.send() }
            onRefresh?()
        }
        self.scope = scope
        return scope
    }
}
#endif
