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
/// In a SwiftUI view it uses the store of the nearest `RecoilRoot`, and the view is updated when what its body has used changes:
///
/// ```swift
/// struct CartView: View {
///     @RecoilScope var recoil
///     var body: some View { Text("\(recoil.useValue(cartSize) ?? 0) items") }
/// }
/// ```
///
/// As with `@State`, do not change in the body what the body uses.
@propertyWrapper
public struct RecoilScope {
    let owned: OwnedScope
    #if canImport(SwiftUI)
    @StateObject var host = ScopeHost()
    @Environment(\.recoilStore) var provided
    #endif

    /// The scope.
    public var wrappedValue: ScopedRecoilContext { owned.installed ?? owned.scope }

    /// Creates a scope.
    ///
    /// - Parameters:
    ///   - store: The store; by default that of the nearest `RecoilRoot` in a view, and the shared one elsewhere.
    ///   - isolation: The actor that refreshes; by default the caller's.
    ///   - onRefresh: Is called when what was used has changed.
    public init(
        store: RecoilStore? = nil, isolation: isolated (any Actor)? = #isolation, onRefresh: (() -> Void)? = nil
    ) {
        owned = OwnedScope(store, onRefresh) {
            ScopedRecoilContext(store: store ?? .shared, isolation: isolation, onRefresh: onRefresh)
        }
    }
}

/// The scope of a property that is in no view, made on first use.
final class OwnedScope {
    let store: RecoilStore?
    let onRefresh: (() -> Void)?
    private let make: () -> ScopedRecoilContext
    private(set) lazy var scope = make()
    /// What takes its place in a view.
    var installed: ScopedRecoilContext?

    init(_ store: RecoilStore?, _ onRefresh: (() -> Void)?, _ make: @escaping () -> ScopedRecoilContext) {
        self.store = store
        self.onRefresh = onRefresh
        self.make = make
    }
}
