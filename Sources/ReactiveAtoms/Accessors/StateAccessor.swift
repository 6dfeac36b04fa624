// Reading and writing from outside of nodes: in callbacks, effects, setters of selectors.

import Reactive

/// Reads and writes nodes of a store.
@frozen
public struct StateAccessor: NodeReading, Sendable {
    /// The store.
    public let store: RecoilStore
    /// What reads. For the compiler's sake; not for use.
    public let _getter: StateGetter
    /// Resets what it should set: the setter of a selector is being asked what it would set.
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

    /// Sets a node: an atom keeps the value, a selector passes it on.
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
    ///   - body: Gets the value to change. Runs with the graph locked, in a transaction.
    /// - Throws: What `body` throws, after everything has been taken back.
    public func update<Node: Writeable, E: Error>(
        _ node: Node, _ body: (inout Node.T) throws(E) -> Void
    ) throws(E) {
        if isReset { store.reset(node) } else { try store.update(node, body) }
    }

    /// Gives a node its default back; see ``RecoilStore/reset(_:)``.
    ///
    /// - Parameter node: The node.
    public func reset<Node: Writeable>(_ node: Node) { store.reset(node) }

    /// Loads a node again; see ``RecoilStore/refresh(_:)``.
    ///
    /// - Parameter node: The node.
    public func refresh<Node: RecoilNode>(_ node: Node) { store.refresh(node) }
}

/// What the setter of a node is handed.
@frozen
public struct MutableContext: NodeWriting, Sendable {
    /// Reads and writes other nodes.
    public let accessor: StateAccessor

    /// Whether the node is being reset, not set. What the accessor is told to set is reset then.
    public var isReset: Bool { accessor.isReset }

    @inlinable
    init(accessor: StateAccessor) { self.accessor = accessor }

    /// Keeps the value of an atom: what setting one comes down to.
    ///
    /// - Parameters:
    ///   - newValue: The value.
    ///   - atom: The atom whose setter this is.
    @inlinable
    public func assign<Node: Writeable>(_ newValue: Node.T, to atom: Node) {
        accessor.store.assign(newValue, to: atom)
    }
}
