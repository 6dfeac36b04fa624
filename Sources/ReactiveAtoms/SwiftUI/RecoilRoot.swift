// A store for the views inside, in SwiftUI's environment.

#if canImport(SwiftUI)
public import SwiftUI

/// A view whose content uses a store: by `@RecoilScope`, and by hooks.
///
/// ```swift
/// RecoilRoot {
///     CartView()
/// }
/// ```
///
/// The nearest one around wins.
public struct RecoilRoot<Content: View>: View {
    private let store: RecoilStore?
    private let content: Content
    @StateObject private var own: OwnStore

    /// Creates a root with a store that lives elsewhere.
    ///
    /// - Parameters:
    ///   - store: The store; by default the shared one.
    ///   - content: Returns the content.
    public init(store: RecoilStore = .shared, @ViewBuilder content: () -> Content) {
        self.store = store
        self.content = content()
        _own = StateObject(wrappedValue: OwnStore { _ in })
    }

    /// Creates a root with a store that lives as long as the view.
    ///
    /// - Parameters:
    ///   - initializeState: Sets nodes before anybody reads them. Called once.
    ///   - content: Returns the content.
    public init(initializeState: @escaping (StateAccessor) -> Void, @ViewBuilder content: () -> Content) {
        store = nil
        self.content = content()
        _own = StateObject(wrappedValue: OwnStore(initializeState))
    }

    /// The content.
    public var body: some View { content.environment(\.recoilStore, store ?? own.store) }
}

/// A store that a view keeps, made when it is needed.
@MainActor
private final class OwnStore: ObservableObject {
    private let initializeState: (StateAccessor) -> Void
    private(set) lazy var store = RecoilStore(initializeState: initializeState)

    init(_ initializeState: @escaping (StateAccessor) -> Void) { self.initializeState = initializeState }
}

private enum RecoilStoreKey: EnvironmentKey {
    static var defaultValue: RecoilStore? { nil }
}

extension EnvironmentValues {
    /// The store that scopes and hooks use; `nil` where none is provided.
    public var recoilStore: RecoilStore? {
        get { self[RecoilStoreKey.self] }
        set { self[RecoilStoreKey.self] = newValue }
    }
}
#endif
