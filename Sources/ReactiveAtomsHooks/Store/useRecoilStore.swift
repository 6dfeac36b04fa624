// The store that hooks use: the one in the environment.

import Reactive
import ReactiveAtoms
import ReactiveHooks

#if !canImport(SwiftUI)
private enum RecoilStoreKey: EnvironmentKey {
    static var defaultValue: RecoilStore? { nil }
}

extension EnvironmentValues {
    /// The store that hooks use; `nil` if none is provided.
    public var recoilStore: RecoilStore? {
        get { self[RecoilStoreKey.self] }
        set { self[RecoilStoreKey.self] = newValue }
    }
}
#endif

/// Returns the store of the nearest ``recoilRoot(_:_:)`` around the call. Uses no slot: it may be called conditionally.
///
/// - Returns: The store. Without a root: the shared store, and an issue is reported.
public func useRecoilStore() -> RecoilStore { nearestStore(for: "useRecoilStore") }

/// Returns the store of the current scope; `hook` is the caller's name in messages.
func nearestStore(for hook: String) -> RecoilStore {
    guard let provided = environmentValue(\.recoilStore, for: hook) else { return .shared }
    guard let store = provided else {
        Hosting.report(
            .misuse,
            """
            \(hook) finds no store, and uses RecoilStore.shared. Call it inside recoilRoot(store) { … } (in SwiftUI: \
            RecoilRoot(store:)), or set environment.recoilStore.
            """, site: hook)
        return .shared
    }
    return store
}
