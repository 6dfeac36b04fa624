// Reading and writing from outside of nodes: in callbacks, effects, setters of selectors.

import Reactive

/// Reads and writes nodes of a store.
public struct StateAccessor: Sendable {
    /// The store.
    public let store: RecoilStore
    private let getter: StateGetter
    /// Resets what it should set: the setter of a selector is being asked what it would set.
    let isReset: Bool

    /// Creates an accessor to a store.
    ///
    /// - Parameter store: The store, kept as long as the accessor.
    public init(_ store: RecoilStore) { self.init(store, isReset: false) }

    init(_ store: RecoilStore, isReset: Bool) {
        self.store = store
        self.isReset = isReset
        getter = StateGetter(.store(store))
    }

    // MARK: - Reading

    /// The value of a node.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value.
    /// - Throws: What the node throws.
    public func get<Node: RecoilSyncNode>(_ node: Node) throws -> Node.T { try getter.get(node) }

    /// The value of a node that takes its time, once it has settled.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value.
    /// - Throws: What the node throws; `CancellationError` if the task is cancelled, or the node released meanwhile.
    public nonisolated(nonsending) func get<Node: RecoilAsyncNode>(_ node: Node) async throws -> Node.T {
        try await store.get(node)
    }

    /// The value of a node, or `nil` if there is none now. Starts loading it if need be.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value; `nil` because of an error, or because it is still loading.
    public func getOrNil<Node: RecoilNode>(_ node: Node) -> Node.T? { getter.getOrNil(node) }

    /// The value of a node that cannot fail.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value.
    /// - Precondition: The node has a value.
    public func getUnsafe<Node: RecoilSyncNode>(_ node: Node) -> Node.T { getter.getUnsafe(node) }

    /// Where a node stands. Starts loading it if need be.
    ///
    /// - Parameter node: The node.
    /// - Returns: A loadable that looks at the store each time it is asked.
    public func loadable<Node: RecoilNode>(_ node: Node) -> LoadableContent<Node.T> { store.loadable(node) }

    // MARK: - Writing

    /// Sets a node: an atom keeps the value, a selector passes it on.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - newValue: The value.
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
public struct MutableContext: Sendable {
    /// Reads and writes other nodes.
    public let accessor: StateAccessor

    /// Whether the node is being reset, not set. What the accessor is told to set is reset then.
    public var isReset: Bool { accessor.isReset }

    /// The value of a node.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value.
    /// - Throws: What the node throws.
    public func get<Node: RecoilSyncNode>(_ node: Node) throws -> Node.T { try accessor.get(node) }

    /// The value of a node, or `nil` if there is none now. Starts loading it if need be.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value; `nil` because of an error, or because it is still loading.
    public func getOrNil<Node: RecoilNode>(_ node: Node) -> Node.T? { accessor.getOrNil(node) }

    /// The value of a node that cannot fail.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value.
    /// - Precondition: The node has a value.
    public func getUnsafe<Node: RecoilSyncNode>(_ node: Node) -> Node.T { accessor.getUnsafe(node) }

    /// Sets a node; resets it while this one is being reset.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - newValue: The value.
    public func set<Node: Writeable>(_ node: Node, _ newValue: Node.T) { accessor.set(node, newValue) }

    /// Changes the value of a node; resets it while this one is being reset.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - body: Gets the value to change. Runs with the graph locked, in a transaction.
    /// - Throws: What `body` throws, after everything has been taken back.
    public func update<Node: Writeable, E: Error>(
        _ node: Node, _ body: (inout Node.T) throws(E) -> Void
    ) throws(E) {
        try accessor.update(node, body)
    }

    /// Gives a node its default back; see ``RecoilStore/reset(_:)``.
    ///
    /// - Parameter node: The node.
    public func reset<Node: Writeable>(_ node: Node) { accessor.reset(node) }

    /// Keeps the value of an atom: what setting one comes down to.
    ///
    /// - Parameters:
    ///   - newValue: The value.
    ///   - atom: The atom whose setter this is.
    public func assign<Node: Writeable>(_ newValue: Node.T, to atom: Node) {
        accessor.store.assign(newValue, to: atom)
    }
}
