// Overrides: another definition of a node in one store, for tests and previews.

import Reactive

/// What takes a node's place.
private struct NodeOverride<Node: RecoilNode> {
    /// The actor that the closure was created on, if any.
    let isolation: ClosureIsolation?
    let makeValue: (Node) throws -> Node.T
}

extension RecoilStore {
    /// Lets a node have a value instead of its own; those who depend on it see it.
    ///
    /// An atom starts anew with it, and can be set and reset to it; its effects do not run. A selector or an asynchronous node does not run. The last
    /// override of a node wins, and wins over one of its type. Not taken back when a transaction fails.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - value: The value.
    public func override<Node: RecoilNode>(_ node: Node, value: Node.T) {
        override(node, isolation: nil) { _ in value }
    }

    /// Lets a node fail. Its effects do not run. Not taken back when a transaction fails.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - error: What reading it throws.
    public func override<Node: RecoilNode>(_ node: Node, error: any Error) {
        override(node, isolation: nil) { _ in throw error }
    }

    /// Lets a node have a value that a closure computes. Its effects do not run. Not taken back when a transaction fails.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - isolation: The actor that `makeValue` belongs to; by default the caller's. `nil` for a closure that may run
    ///     anywhere.
    ///   - makeValue: Returns the value or throws. Called untracked, with the graph locked, on first use and on each
    ///     reset. If it belongs to an actor, the program stops where it would have to be called elsewhere.
    public func override<Node: RecoilNode>(
        _ node: Node, isolation: isolated (any Actor)? = #isolation,
        with makeValue: @escaping (Node) throws -> Node.T
    ) {
        let override = NodeOverride(isolation: .of(isolation), makeValue: makeValue)
        graph.inTransaction {
            nodeOverrides[node.key.unretained] = override
            if let instance = table.instance(for: node.key) { end(instance, as: .replaced) }
        }
    }

    /// Lets all nodes of a type have values that a closure computes, except those that are overridden themselves.
    ///
    /// Their effects do not run. Not taken back when a transaction fails.
    ///
    /// - Parameters:
    ///   - type: The type of the nodes.
    ///   - isolation: The actor that `makeValue` belongs to; by default the caller's. `nil` for a closure that may run
    ///     anywhere.
    ///   - makeValue: Returns the value of a node or throws. Called untracked, with the graph locked, on first use and
    ///     on each reset. If it belongs to an actor, the program stops where it would have to be called elsewhere.
    public func override<Node: RecoilNode>(
        _ type: Node.Type, isolation: isolated (any Actor)? = #isolation,
        with makeValue: @escaping (Node) throws -> Node.T
    ) {
        let override = NodeOverride(isolation: .of(isolation), makeValue: makeValue)
        graph.inTransaction {
            typeOverrides[ObjectIdentifier(type)] = override
            replaceInstances(of: type)
        }
    }

    /// Lets a node be what it is defined as again, or what its type is overridden to be. Not taken back when a transaction fails.
    ///
    /// - Parameter node: The node.
    public func removeOverride<Node: RecoilNode>(of node: Node) {
        graph.inTransaction {
            guard nodeOverrides.removeValue(forKey: node.key) != nil else { return }
            if let instance = table.instance(for: node.key) { end(instance, as: .replaced) }
        }
    }

    /// Lets the nodes of a type be what they are defined as again, except those that are overridden themselves.
    ///
    /// Not taken back when a transaction fails.
    ///
    /// - Parameter type: The type of the nodes.
    public func removeOverride<Node: RecoilNode>(of type: Node.Type) {
        graph.inTransaction {
            guard typeOverrides.removeValue(forKey: ObjectIdentifier(type)) != nil else { return }
            replaceInstances(of: type)
        }
    }

    private func replaceInstances<Node: RecoilNode>(of type: Node.Type) {
        for instance in table.instances
        where instance.nodeType == ObjectIdentifier(type) && nodeOverrides[instance.key] == nil {
            end(instance, as: .replaced)
        }
    }

    /// What takes the node's place, if anything does. Under the lock.
    @inlinable @inline(__always)
    func overriding<Node: RecoilNode>(_ node: borrowing Node) -> (() throws -> Node.T)? {
        hasOverrides ? findOverride(of: node._unretained) : nil
    }

    @usableFromInline var hasOverrides: Bool { !nodeOverrides.isEmpty || !typeOverrides.isEmpty }

    @usableFromInline
    func findOverride<Node: RecoilNode>(of node: Node) -> (() throws -> Node.T)? {
        let found = nodeOverrides[node.key] ?? typeOverrides[ObjectIdentifier(Node.self)]
        guard let override = found as? NodeOverride<Node> else { return nil }
        return {
            override.isolation?.require("the override of", of: node.key)
            return try override.makeValue(node)
        }
    }
}
