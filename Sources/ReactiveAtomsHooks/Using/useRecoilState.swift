// Reading and writing nodes in a render.

import Reactive
import ReactiveAtoms
import ReactiveHooks
#if canImport(SwiftUI)
import struct SwiftUI.Binding
#endif

/// Reads and writes a node, and renders again when its value changes.
///
/// ```swift
/// let count = useRecoilState(counter)
/// ```
///
/// The binding reads and writes the current state of the store, even if it was kept from an earlier render. It may be
/// written from any thread.
///
/// - Parameter node: An atom, or a selector with a setter, that cannot fail.
/// - Returns: A binding to the node.
/// - Precondition: The node has a value whenever the binding is read.
public func useRecoilState<Node: RecoilMutableSyncNode>(_ node: Node) -> Binding<Node.T> {
    let store = nearestStore(for: "useRecoilState")
    _ = store.getOrNil(node)
    return Binding(
        get: { value(of: node, in: store, for: "useRecoilState") }, set: { store.set(node, $0) })
}

/// Reads and writes an asynchronous node, and renders again when its value changes. Starts to load it if necessary.
///
/// - Parameter node: The node.
/// - Returns: A binding to the value, which is `nil` while there is none. Setting `nil` does nothing.
public func useRecoilState<Node: RecoilMutableAsyncNode>(_ node: Node) -> Binding<Node.T?> {
    let store = nearestStore(for: "useRecoilState")
    _ = store.getOrNil(node)
    return Binding(get: { store.getOrNil(node) }, set: { if let new = $0 { store.set(node, new) } })
}

/// Reads and writes a node, and renders again when its value changes.
///
/// - Parameters:
///   - node: The node.
///   - value: The value of the binding while the node has none.
/// - Returns: A binding to the node.
public func useRecoilState<Node: Writeable>(_ node: Node, default value: Node.T) -> Binding<Node.T> {
    let store = nearestStore(for: "useRecoilState")
    _ = store.getOrNil(node)
    return Binding(get: { store.getOrNil(node) ?? value }, set: { store.set(node, $0) })
}

/// Returns a function that sets a node. It does not read the node, so a change does not render.
///
/// - Parameter node: The node.
/// - Returns: A function that sets it, from any thread.
public func useSetRecoilState<Node: Writeable>(_ node: Node) -> @Sendable (Node.T) -> Void {
    let store = nearestStore(for: "useSetRecoilState")
    return { store.set(node, $0) }
}

/// Returns a function that resets a node. It does not read the node, so a change does not render.
///
/// - Parameter node: The node.
/// - Returns: A function that restores its default, from any thread.
public func useResetRecoilState<Node: Writeable>(_ node: Node) -> @Sendable () -> Void {
    let store = nearestStore(for: "useResetRecoilState")
    return { store.reset(node) }
}

/// Returns a function that loads a node again. It does not read the node, so a change does not render.
///
/// - Parameter node: The node.
/// - Returns: A function that loads it again, including its dependencies that have failed; from any thread.
public func useRecoilRefresher<Node: RecoilNode>(_ node: Node) -> @Sendable () -> Void {
    let store = nearestStore(for: "useRecoilRefresher")
    return { store.refresh(node) }
}
