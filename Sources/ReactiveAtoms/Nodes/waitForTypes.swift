// Several nodes of different types at once: all of them are started before any is waited for.

import Reactive

/// The values of nodes of different types, once all have one; fails as soon as one has failed.
///
/// ```swift
/// let (name, age, isAdmin, mail) = try await accessor.get(waitForAll(name, age, isAdmin, noWait(mail)))
/// ```
///
/// - Parameter nodes: The nodes, which load side by side.
/// - Returns: A selector that yields the values in the same order.
public func waitForAll<each Node: RecoilNode>(
    _ nodes: repeat each Node
) -> AsyncSelector<(repeat (each Node).T)> {
    let nodes = (repeat each nodes)
    return waiting("waitForAll", keys(of: repeat each nodes)) { accessor in
        try await settled(in: accessor.graph) {
            let states = (repeat try accessor.awaited(each nodes))
            var isComplete = true
            for state in repeat each states {
                if let error = state.settledError { throw error }
                if state.settled == nil { isComplete = false }
            }
            return isComplete ? (repeat try (each states).settledValue()) : nil
        }
    }
}

/// Where nodes of different types stand, once at least one of them has a value or an error.
///
/// - Parameter nodes: The nodes, which load side by side.
/// - Returns: A selector that yields loadables in the same order.
public func waitForAny<each Node: RecoilNode>(
    _ nodes: repeat each Node
) -> AsyncSelector<(repeat LoadableContent<(each Node).T>)> {
    let nodes = (repeat each nodes)
    return waiting("waitForAny", keys(of: repeat each nodes)) { accessor in
        try await settled(in: accessor.graph) {
            var (count, loading) = (0, 0)
            for state in repeat try accessor.standing(each nodes) {
                count += 1
                if state.isLoading { loading += 1 }
            }
            return count == 0 || loading < count ? (repeat accessor.loadable(each nodes)) : nil
        }
    }
}

/// Where nodes of different types stand, without waiting for any.
///
/// - Parameter nodes: The nodes, which load side by side.
/// - Returns: A selector that yields loadables in the same order, and never loads and never fails.
public func waitForNone<each Node: RecoilNode>(
    _ nodes: repeat each Node
) -> Selector<(repeat LoadableContent<(each Node).T>)> {
    let nodes = (repeat each nodes)
    let type = Selector<(repeat LoadableContent<(each Node).T>)>.self
    let key = NodeKey(waiting: "waitForNone", for: keys(of: repeat each nodes), type)
    return Selector(key: key, retention: .whileObserved) { accessor in (repeat accessor.loadable(each nodes)) }
}

/// Where nodes of different types stand, once each has a value or an error.
///
/// - Parameter nodes: The nodes, which load side by side.
/// - Returns: A selector that yields loadables in the same order, and never fails.
public func waitForAllSettled<each Node: RecoilNode>(
    _ nodes: repeat each Node
) -> AsyncSelector<(repeat LoadableContent<(each Node).T>)> {
    let nodes = (repeat each nodes)
    return waiting("waitForAllSettled", keys(of: repeat each nodes)) { accessor in
        try await settled(in: accessor.graph) {
            var isComplete = true
            for state in repeat try accessor.standing(each nodes) {
                if state.isLoading { isComplete = false }
            }
            return isComplete ? (repeat accessor.loadable(each nodes)) : nil
        }
    }
}

private func keys<each Node: RecoilNode>(of nodes: repeat each Node) -> [NodeKey] {
    var keys: [NodeKey] = []
    for node in repeat each nodes { keys.append(node.key) }
    return keys
}

extension LoadState {
    /// The value of a node that is known to have one.
    fileprivate func settledValue() throws -> T {
        guard let settled else { throw CancellationError() }
        return try settled.get()
    }
}
