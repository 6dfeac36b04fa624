// Several nodes of different types together: all of them start to load before any is awaited.

import Reactive

/// Returns a selector with the values of nodes of different types, available when all have one. It fails as soon as one
/// of them fails.
///
/// ```swift
/// let (name, age, isAdmin, mail) = try await accessor.get(
///     waitForAll(name, age, isAdmin, noWait(mail)))
/// ```
///
/// - Parameter nodes: The nodes, which load concurrently.
/// - Returns: A selector with the values in the same order.
public func waitForAll<each Node: RecoilNode>(
    _ nodes: repeat each Node
) -> AsyncSelector<(repeat (each Node).T)> {
    let nodes = (repeat each nodes)
    var waited: [WaitedNode] = []
    for node in repeat each nodes { waited.append(WaitedNode(awaited: node)) }
    return waiting("waitForAll", waited, until: .allHaveValues) { accessor in
        (repeat try accessor.awaitedValue(of: each nodes))
    }
}

/// Returns a selector with the loadables of nodes of different types, available when at least one of them has a value
/// or an error.
///
/// - Parameter nodes: The nodes, which load concurrently.
/// - Returns: A selector with the loadables in the same order.
public func waitForAny<each Node: RecoilNode>(
    _ nodes: repeat each Node
) -> AsyncSelector<(repeat LoadableContent<(each Node).T>)> {
    let nodes = (repeat each nodes)
    return waiting("waitForAny", waited(repeat each nodes), until: .oneHasOutcome) { accessor in
        (repeat accessor.loadable(each nodes))
    }
}

/// Returns a selector with the loadables of nodes of different types, without waiting for any of them.
///
/// - Parameter nodes: The nodes, which load concurrently.
/// - Returns: A selector with the loadables in the same order. It never loads and never fails.
public func waitForNone<each Node: RecoilNode>(
    _ nodes: repeat each Node
) -> Selector<(repeat LoadableContent<(each Node).T>)> {
    let nodes = (repeat each nodes)
    let type = Selector<(repeat LoadableContent<(each Node).T>)>.self
    let key = NodeKey(waiting: "waitForNone", for: waited(repeat each nodes).map(\.key), type)
    return Selector(key: key, retention: .whileObserved) { accessor in (repeat accessor.loadable(each nodes)) }
}

/// Returns a selector with the loadables of nodes of different types, available when each has a value or an error.
///
/// - Parameter nodes: The nodes, which load concurrently.
/// - Returns: A selector with the loadables in the same order. It never fails.
public func waitForAllSettled<each Node: RecoilNode>(
    _ nodes: repeat each Node
) -> AsyncSelector<(repeat LoadableContent<(each Node).T>)> {
    let nodes = (repeat each nodes)
    return waiting("waitForAllSettled", waited(repeat each nodes), until: .allHaveOutcomes) { accessor in
        (repeat accessor.loadable(each nodes))
    }
}

private func waited<each Node: RecoilNode>(_ nodes: repeat each Node) -> [WaitedNode] {
    var waited: [WaitedNode] = []
    for node in repeat each nodes { waited.append(WaitedNode(node)) }
    return waited
}
