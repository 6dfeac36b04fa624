// A store for everything that renders inside.

import Reactive
import ReactiveAtoms
import ReactiveHooks

/// Runs `body` in a scope of its own in which hooks use a store.
///
/// ```swift
/// let page = HookRenderer {
///     recoilRoot(store) { "count: \(useRecoilValue(count))" }
/// }
/// ```
///
/// The nearest store around wins. Where there is no SwiftUI, `RecoilRoot(store:)` is the same function; in SwiftUI, `RecoilRoot` is a view.
///
/// - Parameters:
///   - store: The store; by default the shared one.
///   - body: Runs at once.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
@discardableResult
public func recoilRoot<Output, E: Error>(
    _ store: RecoilStore = .shared, _ body: () throws(E) -> Output
) throws(E) -> Output {
    try withEnvironment(\.recoilStore, store, body)
}

/// Runs `body` in a scope of its own in which hooks use a store that lives as long as the scope.
///
/// - Parameters:
///   - initializeState: Sets nodes before anybody reads them. Called once.
///   - body: Runs at once.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
@discardableResult
public func recoilRoot<Output, E: Error>(
    initializeState: @escaping (StateAccessor) -> Void, _ body: () throws(E) -> Output
) throws(E) -> Output {
    try hookScope { () throws(E) -> Output in
        let store = useMemo(.once) { untracked { RecoilStore(initializeState: initializeState) } }
        return try withEnvironment(\.recoilStore, store, body)
    }
}

#if !canImport(SwiftUI)
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Runs `body` in a scope of its own in which hooks use a store: what ``recoilRoot(_:_:)`` does, spelled as SwiftUI's view.
///
/// - Parameters:
///   - store: The store; by default the shared one.
///   - body: Runs at once.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
@discardableResult
public func RecoilRoot<Output, E: Error>(
    store: RecoilStore = .shared, _ body: () throws(E) -> Output
) throws(E) -> Output {
    try recoilRoot(store, body)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Runs `body` in a scope of its own with a store that lives as long as that: what ``recoilRoot(initializeState:_:)`` does, spelled as SwiftUI's view.
///
/// - Parameters:
///   - initializeState: Sets nodes before anybody reads them. Called once.
///   - body: Runs at once.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
@discardableResult
public func RecoilRoot<Output, E: Error>(
    initializeState: @escaping (StateAccessor) -> Void, _ body: () throws(E) -> Output
) throws(E) -> Output {
    try recoilRoot(initializeState: initializeState, body)
}
#endif
