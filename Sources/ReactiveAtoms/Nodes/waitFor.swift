// Several nodes at once, in an array or by name: all of them are started before any is waited for.

import Reactive

/// Where a node stands, without waiting for it: a selector whose value is a loadable.
///
/// - Parameter node: The node.
/// - Returns: A selector that never loads and never fails.
public func noWait<Node: RecoilNode>(_ node: Node) -> Selector<LoadableContent<Node.T>> {
    let key = NodeKey(waiting: "noWait", for: [node.key], Selector<LoadableContent<Node.T>>.self)
    return Selector(key: key, retention: .whileObserved) { $0.loadable(node) }
}

/// The values of nodes, once all have one; fails as soon as one has failed.
///
/// - Parameter nodes: The nodes, which load side by side.
/// - Returns: A selector that yields the values in the same order.
public func waitForAll<Node: RecoilNode>(_ nodes: [Node]) -> AsyncSelector<[Node.T]> {
    waiting("waitForAll", nodes.map(\.key), until: .allHaveValues) { accessor, loading in
        let outcomes = try nodes.map { try accessor.outcome(of: $0, &loading) }
        let values = try outcomes.compactMap { try $0?.get() }
        return loading.isEmpty ? values : nil
    }
}

/// The values of nodes by name, once all have one; fails as soon as one has failed.
///
/// - Parameter nodes: The nodes, which load side by side.
/// - Returns: A selector that yields the values by the same names.
public func waitForAll<Name: Hashable & Sendable, Node: RecoilNode>(
    _ nodes: [Name: Node]
) -> AsyncSelector<[Name: Node.T]> {
    named("waitForAll", nodes, waitForAll)
}

/// Where nodes stand, once at least one of them has a value or an error.
///
/// - Parameter nodes: The nodes, which load side by side.
/// - Returns: A selector that yields loadables in the same order.
public func waitForAny<Node: RecoilNode>(_ nodes: [Node]) -> AsyncSelector<[LoadableContent<Node.T>]> {
    waiting("waitForAny", nodes.map(WaitedNode.init(_:)), until: .oneHasSettled) { accessor in
        nodes.map { accessor.loadable($0) }
    }
}

/// Where nodes stand by name, once at least one of them has a value or an error.
///
/// - Parameter nodes: The nodes, which load side by side.
/// - Returns: A selector that yields loadables by the same names.
public func waitForAny<Name: Hashable & Sendable, Node: RecoilNode>(
    _ nodes: [Name: Node]
) -> AsyncSelector<[Name: LoadableContent<Node.T>]> {
    named("waitForAny", nodes, waitForAny)
}

/// Where nodes stand, without waiting for any.
///
/// - Parameter nodes: The nodes, which load side by side.
/// - Returns: A selector that yields loadables in the same order, and never loads and never fails.
public func waitForNone<Node: RecoilNode>(_ nodes: [Node]) -> Selector<[LoadableContent<Node.T>]> {
    let key = NodeKey(waiting: "waitForNone", for: nodes.map(\.key), Selector<[LoadableContent<Node.T>]>.self)
    return Selector(key: key, retention: .whileObserved) { accessor in nodes.map { accessor.loadable($0) } }
}

/// Where nodes stand by name, without waiting for any.
///
/// - Parameter nodes: The nodes, which load side by side.
/// - Returns: A selector that yields loadables by the same names, and never loads and never fails.
public func waitForNone<Name: Hashable & Sendable, Node: RecoilNode>(
    _ nodes: [Name: Node]
) -> Selector<[Name: LoadableContent<Node.T>]> {
    let key = NodeKey(waiting: "waitForNone", for: nodes, Selector<[Name: LoadableContent<Node.T>]>.self)
    return Selector(key: key, retention: .whileObserved) { accessor in nodes.mapValues { accessor.loadable($0) } }
}

/// Where nodes stand, once each has a value or an error.
///
/// - Parameter nodes: The nodes, which load side by side.
/// - Returns: A selector that yields loadables in the same order, and never fails.
public func waitForAllSettled<Node: RecoilNode>(_ nodes: [Node]) -> AsyncSelector<[LoadableContent<Node.T>]> {
    waiting("waitForAllSettled", nodes.map(WaitedNode.init(_:)), until: .allHaveSettled) { accessor in
        nodes.map { accessor.loadable($0) }
    }
}

/// Where nodes stand by name, once each has a value or an error.
///
/// - Parameter nodes: The nodes, which load side by side.
/// - Returns: A selector that yields loadables by the same names, and never fails.
public func waitForAllSettled<Name: Hashable & Sendable, Node: RecoilNode>(
    _ nodes: [Name: Node]
) -> AsyncSelector<[Name: LoadableContent<Node.T>]> {
    named("waitForAllSettled", nodes, waitForAllSettled)
}

/// What waits for nodes in some order, with names for them.
private func named<Name: Hashable & Sendable, Node: RecoilNode, Value: Sendable>(
    _ function: String, _ nodes: [Name: Node], _ wait: ([Node]) -> AsyncSelector<[Value]>
) -> AsyncSelector<[Name: Value]> {
    // In the same order each time, so that what waits in order is one node.
    let inOrder = nodes.sorted { "\($0.key): \($0.value.key.name)" < "\($1.key): \($1.value.key.name)" }
    let values = wait(inOrder.map(\.value))
    return AsyncSelector(
        key: NodeKey(waiting: function, for: nodes, AsyncSelector<[Name: Value]>.self), retention: .whileObserved,
        cache: .latest, keepPrevious: true
    ) { accessor in
        Dictionary(uniqueKeysWithValues: zip(inOrder.map(\.key), try await accessor.get(values)))
    }
}
