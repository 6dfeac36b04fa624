// A scope that provides a store to everything that renders inside it.

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
/// The nearest store counts. Without SwiftUI, `RecoilRoot(store:)` is the same function; in SwiftUI, `RecoilRoot` is a
/// view.
///
/// - Parameters:
///   - store: The store; by default the shared one.
///   - body: Called immediately.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`.
@discardableResult
public func recoilRoot<Output, E: Error>(
    _ store: RecoilStore = .shared, _ body: () throws(E) -> Output
) throws(E) -> Output {
    try withEnvironment(\.recoilStore, store, body)
}

/// Runs `body` in a scope of its own in which hooks use a store that lives as long as the scope.
///
/// - Parameters:
///   - initializeState: Sets nodes before anything reads them. Called once.
///   - body: Called immediately.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`.
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
/// Runs `body` in a scope of its own in which hooks use a store: ``recoilRoot(_:_:)`` under the name of SwiftUI's view.
///
/// - Parameters:
///   - store: The store; by default the shared one.
///   - body: Called immediately.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`.
@discardableResult
public func RecoilRoot<Output, E: Error>(
    store: RecoilStore = .shared, _ body: () throws(E) -> Output
) throws(E) -> Output {
    try recoilRoot(store, body)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Runs `body` in a scope of its own in which hooks use a store that lives as long as the scope:
/// ``recoilRoot(initializeState:_:)`` under the name of SwiftUI's view.
///
/// - Parameters:
///   - initializeState: Sets nodes before anything reads them. Called once.
///   - body: Called immediately.
/// - Returns: The result of `body`.
/// - Throws: The error of `body`.
@discardableResult
public func RecoilRoot<Output, E: Error>(
    initializeState: @escaping (StateAccessor) -> Void, _ body: () throws(E) -> Output
) throws(E) -> Output {
    try recoilRoot(initializeState: initializeState, body)
}
#endif
