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
/// Uses no slot, as all hooks that only read: it may be called conditionally.
///
/// - Parameter node: An atom or a selector that cannot fail; see ``useRecoilThrowingValue(_:)`` for one that can.
/// - Returns: The value.
/// - Precondition: The node has a value.
public func useRecoilValue<Node: RecoilSyncNode>(_ node: Node) -> Node.T {
    value(of: node, in: nearestStore(for: "useRecoilValue"), for: "useRecoilValue")
}

/// Reads an asynchronous node, and renders again when its value changes. Starts to load it if necessary.
///
/// - Parameter node: The node.
/// - Returns: The value; `nil` if the node has failed or is loading. To distinguish these cases, use
///   ``useRecoilValueLoadable(_:)``.
public func useRecoilValue<Node: RecoilAsyncNode>(_ node: Node) -> Node.T? {
    nearestStore(for: "useRecoilValue").getOrNil(node)
}

/// Reads a node that may fail, and renders again when its value or its error changes.
///
/// - Parameter node: The node.
/// - Returns: The value.
/// - Throws: The error of the node.
public func useRecoilThrowingValue<Node: RecoilSyncNode>(_ node: Node) throws -> Node.T {
    try nearestStore(for: "useRecoilThrowingValue").get(node)
}

/// Reads the state of a node, and renders again when the state changes. Starts to load the node if necessary.
///
/// ```swift
/// let books = useRecoilValueLoadable(allBooks)
/// if books.isLoading { return "loading" }
/// if let error = books.errors.first { return "failed: \(error)" }
/// return "\(books.data?.count ?? 0) books"
/// ```
///
/// - Parameter node: The node.
/// - Returns: A loadable: the data, whether the node is loading, its errors, and functions that load it again.
public func useRecoilValueLoadable<Node: RecoilNode>(_ node: Node) -> LoadableContent<Node.T> {
    nearestStore(for: "useRecoilValueLoadable").loadable(node)
}

/// Returns the value of a node for `hook`, whose precondition is that the node does not fail.
func value<Node: RecoilSyncNode>(of node: Node, in store: RecoilStore, for hook: String) -> Node.T {
    do {
        return try store.get(node)
    } catch {
        fatalError(
            """
            ReactiveAtoms: \(hook)(\(node.key.name)) failed: \(error). Use `try useRecoilThrowingValue` to handle the \
            error, or useRecoilValueLoadable to show it.
            """)
    }
}
