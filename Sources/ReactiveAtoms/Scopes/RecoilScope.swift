// `@RecoilScope var recoil`: a scope as a property.

import Reactive

/// A scope as a property: `@RecoilScope var recoil`, and then `recoil.useValue(node)`.
///
/// ```swift
/// final class Badge {
///     @RecoilScope(store: store) var recoil
///     init() { recoil.onRefresh = { [unowned self] in show() } }
///     func show() { print(recoil.useValue(cartSize) ?? 0) }
/// }
/// ```
@propertyWrapper
public struct RecoilScope {
    /// The scope.
    public let wrappedValue: ScopedRecoilContext

    /// Creates a scope.
    ///
    /// - Parameters:
    ///   - store: The store; by default the shared one.
    ///   - isolation: The actor that refreshes; by default the caller's.
    ///   - onRefresh: Is called when what was used has changed.
    public init(
        store: RecoilStore = .shared, isolation: isolated (any Actor)? = #isolation, onRefresh: (() -> Void)? = nil
    ) {
        wrappedValue = ScopedRecoilContext(store: store, isolation: isolation, onRefresh: onRefresh)
    }
}
