// How the selectors wait that `waitForAll` and its like return: all of their nodes are read until enough of them have settled.
//
// What is enough does not depend on the types of the nodes, so the loop sees a node as a closure that says where it stands.

import Reactive

/// Where a node stands, without its value.
struct Standing {
    let isLoading: Bool
    /// The error that the node has settled with, if it has.
    let error: (any Error)?

    init<T>(_ state: LoadState<T>) {
        isLoading = state.isLoading
        error = state.isLoading ? nil : state.error
    }

    /// Whether all have a value.
    ///
    /// - Throws: The first error.
    static func allHaveValues(_ standings: [Standing]) throws -> Bool {
        for case let error? in standings.map(\.error) { throw error }
        return allHaveSettled(standings)
    }

    /// Whether all have a value or an error.
    static func allHaveSettled(_ standings: [Standing]) -> Bool { standings.allSatisfy { !$0.isLoading } }

    /// Whether at least one has a value or an error, or there is none.
    static func oneHasSettled(_ standings: [Standing]) -> Bool {
        standings.isEmpty || standings.contains { !$0.isLoading }
    }
}

/// A node that is waited for, of any type.
struct WaitedNode {
    let key: NodeKey
    /// Starts the node if need be, and returns where it stands.
    let standing: (StateGetter) throws -> Standing

    /// A node of which every state counts.
    init<Node: RecoilNode>(_ node: Node) {
        key = node.key
        standing = { accessor in try Standing(accessor.reading(node, as: .loadable) { try $0.state() }) }
    }

    /// A node of which the value counts.
    init<Node: RecoilNode>(awaited node: Node) {
        key = node.key
        standing = { accessor in try Standing(accessor.awaited(node)) }
    }
}

/// Returns a selector that waits until enough of its nodes have settled.
///
/// - Parameters:
///   - function: The function that returns the selector.
///   - nodes: The nodes.
///   - isEnough: Whether the wait is over, or the error that ends it.
///   - value: Returns the selector's value. Runs immediately after `isEnough`, in the same evaluation.
func waiting<Value: Sendable>(
    _ function: String, _ nodes: [WaitedNode], until isEnough: @escaping ([Standing]) throws -> Bool,
    _ value: @escaping (StateGetter) throws -> Value
) -> AsyncSelector<Value> {
    waiting(function, nodes.map(\.key)) { accessor in
        try isEnough(nodes.map { try $0.standing(accessor) }) ? value(accessor) : nil
    }
}

/// Returns a selector that waits until `poll` returns something or throws.
func waiting<Value: Sendable>(
    _ function: String, _ keys: [NodeKey], _ poll: @escaping (StateGetter) throws -> Value?
) -> AsyncSelector<Value> {
    AsyncSelector(
        key: NodeKey(waiting: function, for: keys, AsyncSelector<Value>.self), retention: .whileObserved,
        cache: .latest, keepPrevious: true
    ) { accessor in try await settled(in: accessor.graph) { try poll(accessor) } }
}

// MARK: - What they are known by

extension NodeKey {
    init(waiting function: String, for keys: [NodeKey], _ type: Any.Type) {
        let value = WaitedNodes(function: function, keys: keys) { $0.map(\.name) }
        self.init(type: type, place: nil, parameter: NodeParameter(value), name: nil)
    }

    init<Name: Hashable & Sendable, Node: RecoilNode>(
        waiting function: String, for nodes: [Name: Node], _ type: Any.Type
    ) {
        let value = WaitedNodes(function: function, keys: nodes.mapValues(\.key)) { keys in
            keys.map { "\($0.key): \($0.value.name)" }.sorted()
        }
        self.init(type: type, place: nil, parameter: NodeParameter(value), name: nil)
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

// MARK: - Reading

extension LoadState {
    /// The value of a node that is known to have one.
    func settledValue() throws -> T {
        guard let settled else { throw CancellationError() }
        return try settled.get()
    }
}

extension StateGetter {
    /// Where a node stands that is waited for. Starts it if need be.
    func awaited<Node: RecoilNode>(_ node: Node) throws -> LoadState<Node.T> {
        try reading(node, as: .awaited) { instance in
            _ = try? instance.settledValue(for: reader)
            return try instance.state()
        }
    }
}
