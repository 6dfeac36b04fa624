// Several nodes together, in an array or by name: all of them start to load before any is awaited.

import Reactive

/// Returns a selector whose value is the loadable of a node, without waiting for the node.
///
/// - Parameter node: The node.
/// - Returns: A selector that never loads and never fails.
public func noWait<Node: RecoilNode>(_ node: Node) -> Selector<LoadableContent<Node.T>> {
    let key = NodeKey(waiting: "noWait", for: [node.key], Selector<LoadableContent<Node.T>>.self)
    return Selector(key: key, retention: .whileObserved) { $0.loadable(node) }
}

/// Returns a selector with the values of nodes, available when all have one. It fails as soon as one of them fails.
///
/// - Parameter nodes: The nodes, which load concurrently.
/// - Returns: A selector with the values in the same order.
public func waitForAll<Node: RecoilNode>(_ nodes: [Node]) -> AsyncSelector<[Node.T]> {
    waiting("waitForAll", nodes.map(\.key), until: .allHaveValues) { accessor, loading in
        let outcomes = try nodes.map { try accessor.outcome(of: $0, &loading) }
        let values = try outcomes.compactMap { try $0?.get() }
        return loading.isEmpty ? values : nil
    }
}

/// Returns a selector with the values of nodes by name, available when all have one. It fails as soon as one of them
/// fails.
///
/// - Parameter nodes: The nodes, which load concurrently.
/// - Returns: A selector with the values by the same names.
public func waitForAll<Name: Hashable & Sendable, Node: RecoilNode>(
    _ nodes: [Name: Node]
) -> AsyncSelector<[Name: Node.T]> {
    named("waitForAll", nodes, waitForAll)
}

/// Returns a selector with the loadables of nodes, available when at least one of them has a value or an error.
///
/// - Parameter nodes: The nodes, which load concurrently.
/// - Returns: A selector with the loadables in the same order.
public func waitForAny<Node: RecoilNode>(_ nodes: [Node]) -> AsyncSelector<[LoadableContent<Node.T>]> {
    waiting("waitForAny", nodes.map(WaitedNode.init(_:)), until: .oneHasOutcome) { accessor in
        nodes.map { accessor.loadable($0) }
    }
}

/// Returns a selector with the loadables of nodes by name, available when at least one of them has a value or an error.
///
/// - Parameter nodes: The nodes, which load concurrently.
/// - Returns: A selector with the loadables by the same names.
public func waitForAny<Name: Hashable & Sendable, Node: RecoilNode>(
    _ nodes: [Name: Node]
) -> AsyncSelector<[Name: LoadableContent<Node.T>]> {
    named("waitForAny", nodes, waitForAny)
}

/// Returns a selector with the loadables of nodes, without waiting for any of them.
///
/// - Parameter nodes: The nodes, which load concurrently.
/// - Returns: A selector with the loadables in the same order. It never loads and never fails.
public func waitForNone<Node: RecoilNode>(_ nodes: [Node]) -> Selector<[LoadableContent<Node.T>]> {
    let key = NodeKey(waiting: "waitForNone", for: nodes.map(\.key), Selector<[LoadableContent<Node.T>]>.self)
    return Selector(key: key, retention: .whileObserved) { accessor in nodes.map { accessor.loadable($0) } }
}

/// Returns a selector with the loadables of nodes by name, without waiting for any of them.
///
/// - Parameter nodes: The nodes, which load concurrently.
/// - Returns: A selector with the loadables by the same names. It never loads and never fails.
public func waitForNone<Name: Hashable & Sendable, Node: RecoilNode>(
    _ nodes: [Name: Node]
) -> Selector<[Name: LoadableContent<Node.T>]> {
    let key = NodeKey(waiting: "waitForNone", for: nodes, Selector<[Name: LoadableContent<Node.T>]>.self)
    return Selector(key: key, retention: .whileObserved) { accessor in nodes.mapValues { accessor.loadable($0) } }
}

/// Returns a selector with the loadables of nodes, available when each has a value or an error.
///
/// - Parameter nodes: The nodes, which load concurrently.
/// - Returns: A selector with the loadables in the same order. It never fails.
public func waitForAllSettled<Node: RecoilNode>(_ nodes: [Node]) -> AsyncSelector<[LoadableContent<Node.T>]> {
    waiting("waitForAllSettled", nodes.map(WaitedNode.init(_:)), until: .allHaveOutcomes) { accessor in
        nodes.map { accessor.loadable($0) }
    }
}

/// Returns a selector with the loadables of nodes by name, available when each has a value or an error.
///
/// - Parameter nodes: The nodes, which load concurrently.
/// - Returns: A selector with the loadables by the same names. It never fails.
public func waitForAllSettled<Name: Hashable & Sendable, Node: RecoilNode>(
    _ nodes: [Name: Node]
) -> AsyncSelector<[Name: LoadableContent<Node.T>]> {
    named("waitForAllSettled", nodes, waitForAllSettled)
}

/// Returns a selector of named nodes, made from a selector of the nodes in some order.
private func named<Name: Hashable & Sendable, Node: RecoilNode, Value: Sendable>(
    _ function: String, _ nodes: [Name: Node], _ wait: ([Node]) -> AsyncSelector<[Value]>
) -> AsyncSelector<[Name: Value]> {
    // The same order each time, so that the selector of the ordered nodes is one node.
    let inOrder = nodes.sorted { "\($0.key): \($0.value.key.name)" < "\($1.key): \($1.value.key.name)" }
    let values = wait(inOrder.map(\.value))
    return AsyncSelector(
        key: NodeKey(waiting: function, for: nodes, AsyncSelector<[Name: Value]>.self), retention: .whileObserved,
        cache: .latest, keepPrevious: true
    ) { accessor in
        Dictionary(uniqueKeysWithValues: zip(inOrder.map(\.key), try await accessor.get(values)))
    }
}
