// Reads and writes from outside of nodes: in callbacks, effects, and setters of selectors.

import Reactive

/// An accessor that reads and writes nodes of a store.
@frozen
public struct StateAccessor: NodeReading, Sendable {
    /// The store.
    public let store: RecoilStore
    /// The object that reads nodes. For the compiler only; do not use it.
    public let _getter: StateGetter
    /// Whether writes reset nodes: the setter of a selector is called to find the nodes that it would set.
    @usableFromInline let isReset: Bool

    /// Creates an accessor to a store.
    ///
    /// - Parameter store: The store, kept as long as the accessor.
    @inlinable
    public init(_ store: RecoilStore) { self.init(store, isReset: false) }

    @inlinable
    init(_ store: RecoilStore, isReset: Bool) {
        self.store = store
        self.isReset = isReset
        _getter = StateGetter(.store(store))
    }

    /// Sets a node. An atom keeps the value; a selector passes it to its setter.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - newValue: The value.
    @inlinable
    public func set<Node: Writeable>(_ node: Node, _ newValue: Node.T) {
        if isReset { store.reset(node) } else { store.set(node, newValue) }
    }

    /// Changes the value of a node; see ``RecoilStore/update(_:_:)``.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - body: Receives the value to change. Runs with the graph locked, in a transaction.
    /// - Throws: The error of `body`, after all its writes have been rolled back.
    public func update<Node: Writeable, E: Error>(
        _ node: Node, _ body: (inout Node.T) throws(E) -> Void
    ) throws(E) {
        if isReset { store.reset(node) } else { try store.update(node, body) }
    }

    /// Resets a node to its default; see ``RecoilStore/reset(_:)``.
    ///
    /// - Parameter node: The node.
    public func reset<Node: Writeable>(_ node: Node) { store.reset(node) }

    /// Loads a node again; see ``RecoilStore/refresh(_:)``.
    ///
    /// - Parameter node: The node.
    public func refresh<Node: RecoilNode>(_ node: Node) { store.refresh(node) }
}

/// The argument of a node's setter.
@frozen
public struct MutableContext: NodeWriting, Sendable {
    /// The accessor that reads and writes other nodes.
    public let accessor: StateAccessor

    /// Whether the node is being reset, not set. If it is, writes through the accessor reset nodes.
    public var isReset: Bool { accessor.isReset }

    @inlinable
    init(accessor: StateAccessor) { self.accessor = accessor }

    /// Stores the value of an atom: the last step of every setter of an atom.
    ///
    /// - Parameters:
    ///   - newValue: The value.
    ///   - atom: The atom whose setter this is.
    @inlinable
    public func assign<Node: Writeable>(_ newValue: Node.T, to atom: Node) {
        accessor.store.assign(newValue, to: atom)
    }
}
