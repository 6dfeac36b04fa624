// `@RecoilScope` in a view: the scope lives as long as the view, uses the store of the nearest root, and updates the
// view.

#if canImport(SwiftUI)
import Reactive
public import SwiftUI

extension RecoilScope: DynamicProperty {
    /// Finds the scope of the view. SwiftUI calls it before the body.
    public func update() {
        // SwiftUI's properties belong to the main actor, where views are updated.
        nonisolated(unsafe) let property = self
        MainActor.assumeIsolated {
            property.host.update(in: property.store ?? property.provided, onRefresh: property.onRefresh)
        }
    }
}

/// Keeps the scope of one view, which ends after the update that has removed the view.
@MainActor
final class ScopeHost: ObservableObject {
    // Guarded because of `deinit`, which is not isolated.
    private let kept = Guarded<ScopedRecoilContext?>(nil)
    private lazy var changes = ViewChanges(of: "RecoilScope") { [weak self] in self?.objectWillChange.send() }

    nonisolated init() {}

    deinit { ViewChanges.afterUpdate { [kept] in _ = kept.exchange(for: nil) } }

    /// The scope; `nil` before the first update.
    var scope: ScopedRecoilContext? { kept.withLock { $0 } }

    /// Finds or creates the scope for the update that begins.
    func update(in store: RecoilStore?, onRefresh: (() -> Void)?) {
        if store == nil {
            Hosting.report(
                .misuse,
                """
                @RecoilScope finds no store, and uses RecoilStore.shared. Show the view inside a RecoilRoot, or write \
                @RecoilScope(store:).
                """, site: "RecoilScope")
        }
        changes.updateProperty()
        let store = store ?? .shared
        let scope = scope.flatMap { $0.store === store ? $0 : nil } ?? ScopedRecoilContext(store: store)
        scope.refreshesLater = true
        scope.beginRefresh()
        scope.onRefresh = { [weak self] in
            MainActor.assumeIsolated { self?.changes.add() }
            onRefresh?()
        }
        let replaced = kept.exchange(for: scope)
        if replaced !== scope {
            ViewChanges.afterUpdate { [replaced = Guarded(replaced)] in _ = replaced.exchange(for: nil) }
        }
    }
}
#endif
