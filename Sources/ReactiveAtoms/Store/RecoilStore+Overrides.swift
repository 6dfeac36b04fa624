// Overrides: a different definition of a node in one store, for tests and previews.

import Reactive

/// The replacement of a node.
private struct NodeOverride<Node: RecoilNode> {
    /// The actor that the closure was created on, if any.
    let isolation: ClosureIsolation?
    let makeValue: (Node) throws -> Node.T
}

extension RecoilStore {
    /// Replaces a node with a value, also for the nodes that depend on it.
    ///
    /// An atom starts anew with the value, and can be set and reset to it; its effects do not run. A selector or an
    /// asynchronous node does not run. The last override of a node counts, before one of its type. A transaction that
    /// fails does not roll it back.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - value: The value.
    public func override<Node: RecoilNode>(_ node: Node, value: Node.T) {
        override(node, isolation: nil) { _ in value }
    }

    /// Makes a node fail. Its effects do not run. A transaction that fails does not roll it back.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - error: The error that reading it throws.
    public func override<Node: RecoilNode>(_ node: Node, error: any Error) {
        override(node, isolation: nil) { _ in throw error }
    }

    /// Replaces a node with a value that a closure computes. Its effects do not run. A transaction that fails does not
    /// roll it back.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - isolation: The actor that `makeValue` belongs to; by default the caller's. `nil` for a closure that may run
    ///     anywhere.
    ///   - makeValue: Returns the value or throws. Called untracked, with the graph locked, on first use and on each
    ///     reset. If it belongs to an actor and would have to be called elsewhere, the program stops.
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

    /// Replaces all nodes of a type with values that a closure computes, except those that have overrides of their own.
    ///
    /// Their effects do not run. A transaction that fails does not roll it back.
    ///
    /// - Parameters:
    ///   - type: The type of the nodes.
    ///   - isolation: The actor that `makeValue` belongs to; by default the caller's. `nil` for a closure that may run
    ///     anywhere.
    ///   - makeValue: Returns the value of a node or throws. Called untracked, with the graph locked, on first use and
    ///     on each reset. If it belongs to an actor and would have to be called elsewhere, the program stops.
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

    /// Removes the override of a node. The node then has its own definition again, or the override of its type. A
    /// transaction that fails does not roll it back.
    ///
    /// - Parameter node: The node.
    public func removeOverride<Node: RecoilNode>(of node: Node) {
        graph.inTransaction {
            guard nodeOverrides.removeValue(forKey: node.key) != nil else { return }
            if let instance = table.instance(for: node.key) { end(instance, as: .replaced) }
        }
    }

    /// Removes the override of a type of nodes. Its nodes then have their own definitions again, except those that have
    /// overrides of their own.
    ///
    /// A transaction that fails does not roll it back.
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

    /// Returns the override of a node, if there is one. Under the lock.
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
