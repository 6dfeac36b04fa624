// A store in SwiftUI's environment, for the views inside a root.

#if canImport(SwiftUI)
import Reactive
public import SwiftUI

/// A view that provides a store to its content: to `@RecoilScope`, and to hooks.
///
/// ```swift
/// RecoilRoot {
///     CartView()
/// }
/// ```
///
/// The nearest root counts.
public struct RecoilRoot<Content: View>: View {
    private let store: RecoilStore?
    private let content: @MainActor () -> Content
    @StateObject private var own: OwnStore

    /// Creates a root with a store that lives elsewhere.
    ///
    /// - Parameters:
    ///   - store: The store; by default the shared one.
    ///   - content: Returns the content. Called when SwiftUI updates the view.
    nonisolated public init(store: RecoilStore = .shared, @ViewBuilder content: @escaping @MainActor () -> Content) {
        self.store = store
        self.content = content
        _own = StateObject(wrappedValue: OwnStore { _ in })
    }

    /// Creates a root with a store that lives as long as the view.
    ///
    /// - Parameters:
    ///   - initializeState: Sets nodes before anything reads them. Called once.
    ///   - content: Returns the content. Called when SwiftUI updates the view.
    nonisolated public init(
        initializeState: @escaping (StateAccessor) -> Void, @ViewBuilder content: @escaping @MainActor () -> Content
    ) {
        store = nil
        self.content = content
        _own = StateObject(wrappedValue: OwnStore(initializeState))
    }

    /// The content.
    public var body: some View {
        let _ = ViewChanges.prepareSystem()
        content().environment(\.recoilStore, store ?? own.store)
    }
}

/// A store that a view keeps, created when it is needed. It ends after the update that has removed the view.
private final class OwnStore: ObservableObject {
    private let initializeState: (StateAccessor) -> Void
    // Guarded so that the store can be passed on at the end of the view.
    private let kept = Guarded<RecoilStore?>(nil)

    init(_ initializeState: @escaping (StateAccessor) -> Void) { self.initializeState = initializeState }

    deinit { ViewChanges.afterUpdate { [kept] in _ = kept.exchange(for: nil) } }

    var store: RecoilStore {
        if let store = kept.withLock({ $0 }) { return store }
        let store = RecoilStore(initializeState: initializeState)
        _ = kept.exchange(for: store)
        return store
    }
}

private enum RecoilStoreKey: EnvironmentKey {
    static var defaultValue: RecoilStore? { nil }
}

extension EnvironmentValues {
    /// The store that scopes and hooks use; `nil` if none is provided.
    public var recoilStore: RecoilStore? {
        get { self[RecoilStoreKey.self] }
        set { self[RecoilStoreKey.self] = newValue }
    }
}
#endif
