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
/// The binding reads and writes the store as it is now, also when it is kept from an earlier render. It may be written from any thread.
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

/// Reads and writes a node that takes its time, and renders again when its value changes. Starts loading it if need be.
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
///   - value: What the binding reads while the node has no value.
/// - Returns: A binding to the node.
public func useRecoilState<Node: Writeable>(_ node: Node, default value: Node.T) -> Binding<Node.T> {
    let store = nearestStore(for: "useRecoilState")
    _ = store.getOrNil(node)
    return Binding(get: { store.getOrNil(node) ?? value }, set: { store.set(node, $0) })
}

/// Writes a node without reading it: it renders nothing.
///
/// - Parameter node: The node.
/// - Returns: A function that sets it, from any thread.
public func useSetRecoilState<Node: Writeable>(_ node: Node) -> @Sendable (Node.T) -> Void {
    let store = nearestStore(for: "useSetRecoilState")
    return { store.set(node, $0) }
}

/// Resets a node without reading it: it renders nothing.
///
/// - Parameter node: The node.
/// - Returns: A function that gives it its default back, from any thread.
public func useResetRecoilState<Node: Writeable>(_ node: Node) -> @Sendable () -> Void {
    let store = nearestStore(for: "useResetRecoilState")
    return { store.reset(node) }
}

/// Loads a node again without reading it: it renders nothing.
///
/// - Parameter node: The node.
/// - Returns: A function that loads it again, with those that it depends on and that have failed; from any thread.
public func useRecoilRefresher<Node: RecoilNode>(_ node: Node) -> @Sendable () -> Void {
    let store = nearestStore(for: "useRecoilRefresher")
    return { store.refresh(node) }
}
