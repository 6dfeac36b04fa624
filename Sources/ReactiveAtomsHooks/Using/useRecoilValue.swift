// Reading nodes in a render.

import Reactive
import ReactiveAtoms
import ReactiveHooks

/// Reads a node, and renders again when its value changes.
///
/// ```swift
/// let double = useRecoilValue(doubled)
/// ```
///
/// Takes no slot, as all hooks that only read: it may be called conditionally.
///
/// - Parameter node: An atom or a selector that cannot fail; see ``useRecoilThrowingValue(_:)`` for one that can.
/// - Returns: The value.
/// - Precondition: The node has a value.
public func useRecoilValue<Node: RecoilSyncNode>(_ node: Node) -> Node.T {
    value(of: node, in: nearestStore(for: "useRecoilValue"), for: "useRecoilValue")
}

/// Reads a node that takes its time, and renders again when its value changes. Starts loading it if need be.
///
/// - Parameter node: The node.
/// - Returns: The value, or `nil` if there is none now: because of an error, or because it is still loading. To tell which, see ``useRecoilValueLoadable(_:)``.
public func useRecoilValue<Node: RecoilAsyncNode>(_ node: Node) -> Node.T? {
    nearestStore(for: "useRecoilValue").getOrNil(node)
}

/// Reads a node that may fail, and renders again when its value or its error changes.
///
/// - Parameter node: The node.
/// - Returns: The value.
/// - Throws: What the node throws.
public func useRecoilThrowingValue<Node: RecoilSyncNode>(_ node: Node) throws -> Node.T {
    try nearestStore(for: "useRecoilThrowingValue").get(node)
}

/// Reads where a node stands, and renders again when that changes. Starts loading it if need be.
///
/// ```swift
/// let books = useRecoilValueLoadable(allBooks)
/// if books.isLoading { return "loading" }
/// if let error = books.errors.first { return "failed: \(error)" }
/// return "\(books.data?.count ?? 0) books"
/// ```
///
/// - Parameter node: The node.
/// - Returns: Its data, whether it is loading, what went wrong, and how to load it again.
public func useRecoilValueLoadable<Node: RecoilNode>(_ node: Node) -> LoadableContent<Node.T> {
    nearestStore(for: "useRecoilValueLoadable").loadable(node)
}

/// The value of a node that `hook` has been promised cannot fail.
func value<Node: RecoilSyncNode>(of node: Node, in store: RecoilStore, for hook: String) -> Node.T {
    do {
        return try store.get(node)
    } catch {
        fatalError(
            """
            ReactiveAtoms: \(hook)(\(node.key.name)) found an error: \(error). Use `try useRecoilThrowingValue` to handle it, or \
            useRecoilValueLoadable to show it.
            """)
    }
}
