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
    named("waitForAll", nodes, waitForAll)
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
    waiting("waitForAllSettled", nodes) { accessor in
        try await accessor.loadables(nodes) { states in states.allSatisfy { !$0.isLoading } }
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

// MARK: - How they wait

extension NodeKey {
    init(waiting function: String, for keys: [NodeKey], _ type: Any.Type) {
        let value = WaitedNodes(function: function, keys: keys) { $0.map(\.name) }
        self.init(type: type, place: nil, value: value, name: nil)
    }

    fileprivate init<Name: Hashable & Sendable, Node: RecoilNode>(
        waiting function: String, for nodes: [Name: Node], _ type: Any.Type
    ) {
        let value = WaitedNodes(function: function, keys: nodes.mapValues(\.key)) { keys in
            keys.map { "\($0.key): \($0.value.name)" }.sorted()
        }
        self.init(type: type, place: nil, value: value, name: nil)
    }
}

/// Identifies a node that waits for others: by order, or by name.
private struct WaitedNodes<Keys: Hashable & Sendable>: Hashable, Sendable, CustomStringConvertible {
    let function: String
    let keys: Keys
    let names: @Sendable (Keys) -> [String]

    var description: String { "\(function)(\(names(keys).joined(separator: ", ")))" }

    static func == (a: Self, b: Self) -> Bool { a.function == b.function && a.keys == b.keys }

    func hash(into hasher: inout Hasher) {
        hasher.combine(function)
        hasher.combine(keys)
    }
}

private func waiting<Node: RecoilNode, Value: Sendable>(
    _ function: String, _ nodes: [Node], _ get: @escaping (StateGetter) async throws -> Value
) -> AsyncSelector<Value> {
    waiting(function, nodes.map(\.key), get)
}

func waiting<Value: Sendable>(
    _ function: String, _ keys: [NodeKey], _ get: @escaping (StateGetter) async throws -> Value
) -> AsyncSelector<Value> {
    AsyncSelector(
        key: NodeKey(waiting: function, for: keys, AsyncSelector<Value>.self), retention: .whileObserved,
        cache: .latest, keepPrevious: true, get)
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

extension LoadState {
    var settledError: (any Error)? { isLoading ? nil : error }
}

extension StateGetter {
    /// Where a node stands that is waited for. Starts it if need be.
    func awaited<Node: RecoilNode>(_ node: Node) throws -> LoadState<Node.T> {
        try reading(node, as: .awaited) { instance in
            _ = try? instance.settledValue(for: reader)
            return try instance.state()
        }
    }

    /// Where a node stands, whatever comes next. Starts it if need be.
    func standing<Node: RecoilNode>(_ node: Node) throws -> LoadState<Node.T> {
        try reading(node, as: .loadable) { try $0.state() }
    }

    /// Starts nodes, and waits until `finish` makes something of where they stand.
    fileprivate func settled<Node: RecoilNode, R>(
        _ nodes: [Node], _ finish: @escaping ([LoadState<Node.T>]) throws -> R?
    ) async throws -> R {
        try await ReactiveAtoms.settled(in: graph) { try finish(nodes.map { try awaited($0) }) }
    }

    /// Starts nodes, and waits until where they stand is good enough.
    fileprivate func loadables<Node: RecoilNode>(
        _ nodes: [Node], until isEnough: @escaping ([LoadState<Node.T>]) -> Bool
    ) async throws -> [LoadableContent<Node.T>] {
        try await ReactiveAtoms.settled(in: graph) {
            try isEnough(nodes.map { try standing($0) }) ? nodes.map { loadable($0) } : nil
        }
    }
}
