// The selectors that `waitForAll` and similar functions return: they read all of their nodes until enough of them have
// outcomes.
//
// The types of the nodes do not matter for this, so the loop knows a node as a closure that looks at it.

import Reactive

/// A node of any type that a selector waits for.
struct WaitedNode {
    let key: NodeKey
    /// Starts the node if necessary. Adds it to the list if it is loading; returns the error if it has failed.
    let check: (StateGetter, inout [_AnyNodeInstance]) throws -> (any Error)?

    /// Creates a node that is read as a loadable.
    init<Node: RecoilNode>(_ node: Node) {
        key = node.key
        check = { accessor, loading in
            try accessor.reading(node, as: .loadable) { instance in
                if try instance.summary().isLoading { loading.append(instance) }
                return nil
            }
        }
    }

    /// Creates a node whose outcome is awaited.
    init<Node: RecoilNode>(awaited node: Node) {
        key = node.key
        check = { accessor, loading in
            if case .failure(let error)? = try accessor.outcome(of: node, &loading) { return error }
            return nil
        }
    }
}

/// Returns a selector that waits until enough of its nodes have outcomes.
///
/// - Parameters:
///   - function: The function that returns the selector.
///   - nodes: The nodes.
///   - rule: Decides when enough nodes have outcomes.
///   - value: Returns the selector's value. Runs immediately after the last check, in the same evaluation.
func waiting<Value: Sendable>(
    _ function: String, _ nodes: [WaitedNode], until rule: WaitRule, _ value: @escaping (StateGetter) throws -> Value
) -> AsyncSelector<Value> {
    waiting(function, nodes.map(\.key), until: rule) { accessor, loading in
        // Looks at all nodes first, so that all start.
        let errors = try nodes.map { try $0.check(accessor, &loading) }
        for case let error? in errors { throw error }
        return rule.isMet(loading: loading.count, of: nodes.count) ? try value(accessor) : nil
    }
}

/// Returns a selector that looks at nodes until there is a value to return or an error to throw.
func waiting<Value: Sendable>(
    _ function: String, _ keys: [NodeKey], until rule: WaitRule,
    _ check: @escaping (StateGetter, inout [_AnyNodeInstance]) throws -> Value?
) -> AsyncSelector<Value> {
    AsyncSelector(
        key: NodeKey(waiting: function, for: keys, AsyncSelector<Value>.self), retention: .whileObserved,
        cache: .latest, keepPrevious: true
    ) { accessor in
        try await waitForValue(in: accessor.graph, until: rule) { loading in try check(accessor, &loading) }
    }
}

// MARK: - What they are known by

extension NodeKey {
    init(waiting function: String, for keys: [NodeKey], _ type: Any.Type) {
        let value = WaitedNodes(function: function, keys: keys) { $0.map(\.name) }
        self.init(type: type, location: nil, parameter: NodeParameter(value), name: nil)
    }

    init<Name: Hashable & Sendable, Node: RecoilNode>(
        waiting function: String, for nodes: [Name: Node], _ type: Any.Type
    ) {
        let value = WaitedNodes(function: function, keys: nodes.mapValues(\.key)) { keys in
            keys.map { "\($0.key): \($0.value.name)" }.sorted()
        }
        self.init(type: type, location: nil, parameter: NodeParameter(value), name: nil)
    }
}

/// The identity of a node that waits for others: by order, or by name.
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
