// What a callback of a scope or a component gets: the store, and a place for what it starts.

public import Reactive

/// What a callback is handed. It keeps the store, and may be used from any thread.
public struct RecoilCallbackContext {
    /// Reads and writes the store.
    public let accessor: StateAccessor
    /// Keeps something cancellable as long as the scope; cancels it at once if the scope is gone. May be called from any thread.
    public let store: (AnyCancellable) -> Void

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - accessor: Reads and writes the store.
    ///   - store: Keeps something cancellable.
    public init(accessor: StateAccessor, store: @escaping (AnyCancellable) -> Void) {
        self.accessor = accessor
        self.store = store
    }

    /// The value of a node.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value.
    /// - Throws: What the node throws.
    public func get<Node: RecoilSyncNode>(_ node: Node) throws -> Node.T { try accessor.get(node) }

    /// The value of a node that takes its time, once it has settled.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value.
    /// - Throws: What the node throws; `CancellationError` if the task is cancelled, or the node released meanwhile.
    public nonisolated(nonsending) func get<Node: RecoilAsyncNode>(_ node: Node) async throws -> Node.T {
        try await accessor.get(node)
    }

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

    /// Where a node stands. Starts loading it if need be.
    ///
    /// - Parameter node: The node.
    /// - Returns: A loadable that looks at the store each time it is asked.
    public func loadable<Node: RecoilNode>(_ node: Node) -> LoadableContent<Node.T> { accessor.loadable(node) }

    /// Sets a node: an atom keeps the value, a selector passes it on.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - newValue: The value.
    public func set<Node: Writeable>(_ node: Node, _ newValue: Node.T) { accessor.set(node, newValue) }

    /// Changes the value of a node; see ``RecoilStore/update(_:_:)``.
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

    /// Loads a node again; see ``RecoilStore/refresh(_:)``.
    ///
    /// - Parameter node: The node.
    public func refresh<Node: RecoilNode>(_ node: Node) { accessor.refresh(node) }
}

extension Cancellable {
    /// Keeps this running as long as the scope that made the callback; cancels it at once if the scope is gone.
    ///
    /// - Parameter context: What the callback was handed.
    public func store(in context: RecoilCallbackContext) { context.store(AnyCancellable(self)) }
}
