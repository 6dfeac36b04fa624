// `@RecoilScope var recoil`: a scope as a property.

import Reactive
#if canImport(SwiftUI)
import SwiftUI
#endif

/// A scope as a property: `@RecoilScope var recoil`, and then `recoil.useValue(node)`.
///
/// ```swift
/// final class Badge {
///     @RecoilScope var recoil
///
///     init() {
///         recoil.onRefresh = { [unowned self] in show() }
///         show()
///     }
///
///     func show() { print("cart:", recoil.useValue(cartSize) ?? 0) }
/// }
/// ```
///
/// In a SwiftUI view it uses the store of the nearest `RecoilRoot`, and the view is updated when a node that its body
/// has used changes:
///
/// ```swift
/// struct CartView: View {
///     @RecoilScope var recoil
///     var body: some View { Text("\(recoil.useValue(cartSize) ?? 0) items") }
/// }
/// ```
///
/// As with `@State`, do not change nodes in the body that the body uses.
@propertyWrapper
public struct RecoilScope {
    /// The isolation in which a scope outside of views refreshes. It decides how the scope is created.
    private enum Home {
        case nowhere
        case mainActor
        case actor(() -> ScopedRecoilContext)
    }

    let store: RecoilStore?
    let onRefresh: (() -> Void)?
    private let home: Home
    #if canImport(SwiftUI)
    @StateObject var host = ScopeHost()
    @Environment(\.recoilStore) var provided
    #else
    /// The scope of a property that is not in a class.
    private let shared = OwnedScope()
    #endif
    /// The scope of a property of a class.
    private var owned: ScopedRecoilContext?

    /// Creates a scope. A view allocates nothing for the scope until it is shown.
    ///
    /// - Parameters:
    ///   - store: The store; by default that of the nearest `RecoilRoot` in a view, and the shared one elsewhere.
    ///   - isolation: The actor that refreshes; by default the caller's.
    ///   - onRefresh: Called when a node that was used has changed.
    public init(
        store: RecoilStore? = nil, isolation: isolated (any Actor)? = #isolation, onRefresh: (() -> Void)? = nil
    ) {
        self.store = store
        self.onRefresh = onRefresh
        home =
            switch isolation {
            case nil: .nowhere
            case is MainActor: .mainActor
            default:
                .actor { ScopedRecoilContext(store: store ?? .shared, isolation: isolation, onRefresh: onRefresh) }
            }
    }

    /// The scope.
    public var wrappedValue: ScopedRecoilContext {
        #if canImport(SwiftUI)
        // SwiftUI's properties belong to the main actor, where views are updated.
        nonisolated(unsafe) let property = self
        nonisolated(unsafe) var installed: ScopedRecoilContext?
        MainActor.assumeIsolated { installed = property.host.scope }
        if let installed { return installed }
        Hosting.report(
            .misuse,
            """
            @RecoilScope is used in a struct, outside a view's body. It cannot store its scope there, so it does not \
            observe nodes. Use it in a view or a class, or store a ScopedRecoilContext.
            """, site: "RecoilScope")
        return makeScope()
        #else
        return shared.scope { makeScope() }
        #endif
    }

    /// The scope of a property of a class, which stores it. Created on first use.
    public static subscript<Owner: AnyObject>(
        _enclosingInstance owner: Owner, wrapped wrapped: KeyPath<Owner, ScopedRecoilContext>,
        storage storage: ReferenceWritableKeyPath<Owner, RecoilScope>
    ) -> ScopedRecoilContext {
        if let scope = owner[keyPath: storage].owned { return scope }
        let scope = owner[keyPath: storage].makeScope()
        owner[keyPath: storage].owned = scope
        return scope
    }

    private func makeScope() -> ScopedRecoilContext {
        switch home {
        case .nowhere: return ScopedRecoilContext(store: store ?? .shared, isolation: nil, onRefresh: onRefresh)
        case .actor(let make): return make()
        case .mainActor:
            let store = store
            nonisolated(unsafe) let onRefresh = onRefresh
            nonisolated(unsafe) var scope: ScopedRecoilContext?
            MainActor.assumeIsolated {
                scope = ScopedRecoilContext(store: store ?? .shared, onRefresh: onRefresh)
            }
            return scope.unsafelyUnwrapped
        }
    }
}

#if !canImport(SwiftUI)
/// Stores the scope of a property that is not in a class, created on first use.
private final class OwnedScope {
    private var kept: ScopedRecoilContext?

    func scope(_ make: () -> ScopedRecoilContext) -> ScopedRecoilContext {
        if let kept { return kept }
        let scope = make()
        kept = scope
        return scope
    }
}
#endif
