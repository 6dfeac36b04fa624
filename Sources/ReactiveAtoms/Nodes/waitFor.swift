// Several nodes at once: all of them are started before any is waited for.

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
    waiting("waitForAll", nodes) { accessor in
        try await accessor.settled(nodes) { states in
            if let error = states.lazy.compactMap({ $0.settledError }).first { throw error }
            let values = states.compactMap { try? $0.settled?.get() }
            return values.count == states.count ? values : nil
        }
    }
}

/// The values of nodes by name, once all have one; fails as soon as one has failed.
///
/// - Parameter nodes: The nodes, which load side by side.
/// - Returns: A selector that yields the values by the same names.
public func waitForAll<Name: Hashable & Sendable, Node: RecoilNode>(
    _ nodes: [Name: Node]
) -> AsyncSelector<[Name: Node.T]> {
    let names = Array(nodes.keys)
    let all = waitForAll(names.compactMap { nodes[$0] })
    let type = AsyncSelector<[Name: Node.T]>.self
    let parameter = nodes.mapValues(\.key)
    return AsyncSelector(
        key: NodeKey(type: type, place: nil, value: parameter, name: "waitForAll"),
        retention: .whileObserved, cache: .latest, keepPrevious: true
    ) { accessor in
        Dictionary(uniqueKeysWithValues: zip(names, try await accessor.get(all)))
    }
}

/// The values of two nodes, once both have one; fails as soon as one has failed.
public func waitForAll<A: RecoilNode, B: RecoilNode>(_ a: A, _ b: B) -> AsyncSelector<(A.T, B.T)> {
    waiting("waitForAll", [a.key, b.key]) { accessor in
        accessor.start(a)
        accessor.start(b)
        return try await settledTogether { (try accessor.poll(a), try accessor.poll(b)) }
    }
}

/// The values of three nodes, once all have one; fails as soon as one has failed.
public func waitForAll<A: RecoilNode, B: RecoilNode, C: RecoilNode>(
    _ a: A, _ b: B, _ c: C
) -> AsyncSelector<(A.T, B.T, C.T)> {
    let both = waitForAll(a, b)
    return waiting("waitForAll", [a.key, b.key, c.key]) { accessor in
        accessor.start(both)
        accessor.start(c)
        let (first, last) = try await settledTogether { (try accessor.poll(both), try accessor.poll(c)) }
        return (first.0, first.1, last)
    }
}

/// Where nodes stand, once at least one of them has a value or an error.
///
/// - Parameter nodes: The nodes, which load side by side.
/// - Returns: A selector that yields loadables in the same order.
public func waitForAny<Node: RecoilNode>(_ nodes: [Node]) -> AsyncSelector<[LoadableContent<Node.T>]> {
    waiting("waitForAny", nodes) { accessor in
        try await accessor.loadables(nodes) { states in states.isEmpty || states.contains { !$0.isLoading } }
    }
}

/// Where nodes stand, without waiting for any.
///
/// - Parameter nodes: The nodes, which load side by side.
/// - Returns: A selector that yields loadables in the same order, and never loads and never fails.
public func waitForNone<Node: RecoilNode>(_ nodes: [Node]) -> Selector<[LoadableContent<Node.T>]> {
    let key = NodeKey(waiting: "waitForNone", for: nodes.map(\.key), Selector<[LoadableContent<Node.T>]>.self)
    return Selector(key: key, retention: .whileObserved) { accessor in nodes.map { accessor.loadable($0) } }
}

/// Where nodes stand, once each has a value or an error.
///
/// - Parameter nodes: The nodes, which load side by side.
/// - Returns: A selector that yields loadables in the same order, and never fails.
public func waitForAllSettled<Node: RecoilNode>(_ nodes: [Node]) -> AsyncSelector<[LoadableContent<Node.T>]> {
    waiting("waitForAllSettled", nodes) { accessor in
        try await accessor.loadables(nodes) { states in states.allSatisfy { !$0.isLoading } }
    }
}

// MARK: - How they wait

extension NodeKey {
    fileprivate init(waiting function: String, for keys: [NodeKey], _ type: Any.Type) {
        let names = keys.map(\.name).joined(separator: ", ")
        self.init(
            type: type, place: nil, value: WaitedNodes(function: function, keys: keys), name: "\(function)(\(names))")
    }
}

/// Identifies a node that waits for others.
private struct WaitedNodes: Hashable {
    let function: String
    let keys: [NodeKey]
}

private func waiting<Node: RecoilNode, Value: Sendable>(
    _ function: String, _ nodes: [Node], _ get: @escaping (StateGetter) async throws -> Value
) -> AsyncSelector<Value> {
    waiting(function, nodes.map(\.key), get)
}

private func waiting<Value: Sendable>(
    _ function: String, _ keys: [NodeKey], _ get: @escaping (StateGetter) async throws -> Value
) -> AsyncSelector<Value> {
    AsyncSelector(
        key: NodeKey(waiting: function, for: keys, AsyncSelector<Value>.self), retention: .whileObserved,
        cache: .latest, keepPrevious: true, get)
}

extension LoadState {
    fileprivate var settledError: (any Error)? { isLoading ? nil : error }
}

extension StateGetter {
    /// Starts a node without waiting for it.
    fileprivate func start<Node: RecoilNode>(_ node: Node) { _ = try? poll(node) }

    /// The value of a node if it is settled, `nil` if it is loading.
    fileprivate func poll<Node: RecoilNode>(_ node: Node) throws -> Node.T? {
        try reading(node, as: .awaited) { try $0.settledValue(for: reader) }
    }

    /// Starts nodes, and waits until `finish` makes something of where they stand.
    fileprivate func settled<Node: RecoilNode, R>(
        _ nodes: [Node], _ finish: @escaping ([LoadState<Node.T>]) throws -> R?
    ) async throws -> R {
        try await ReactiveAtoms.settled {
            let states = try nodes.map { node in
                try reading(node, as: .awaited) { instance in
                    _ = try? instance.settledValue(for: reader)
                    return try instance.state()
                }
            }
            return try finish(states)
        }
    }

    /// Starts nodes, and waits until where they stand is good enough.
    fileprivate func loadables<Node: RecoilNode>(
        _ nodes: [Node], until isEnough: @escaping ([LoadState<Node.T>]) -> Bool
    ) async throws -> [LoadableContent<Node.T>] {
        try await ReactiveAtoms.settled {
            let states = try nodes.map { node in try reading(node, as: .loadable) { try $0.state() } }
            return isEnough(states) ? nodes.map { loadable($0) } : nil
        }
    }
}

/// Waits until both halves are there.
private func settledTogether<A, B>(_ poll: @escaping () throws -> (A?, B?)) async throws -> (A, B) {
    try await settled {
        guard case (let a?, let b?) = try poll() else { return nil }
        return (a, b)
    }
}
