// Functions that read and write nodes, defined once for every type that has them.
//
//     RecoilStore, StateAccessor, RecoilCallbackContext, MutableContext     read by a `StateGetter`
//     RecoilCallbackContext, MutableContext                                 write by a `StateAccessor`
//
// `StateGetter` has reads of its own: they are dependencies. `StateAccessor` has writes of its own: while a selector is
// being reset, they reset nodes instead. Both call functions of the store.

/// A type that reads nodes.
public protocol NodeReading {
    /// The object that reads nodes. For the compiler only; do not use it.
    var _getter: StateGetter { get }
}

extension NodeReading {
    /// Returns the value of a node.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value.
    /// - Throws: The error of the node.
    @inlinable
    public func get<Node: RecoilSyncNode>(_ node: Node) throws -> Node.T { try _getter.get(node) }

    /// Returns the value of an asynchronous node when it has loaded.
    ///
    /// Joins the current run, or starts one. If an input changes meanwhile, this waits for the new result. Cancelling
    /// the waiting task does not cancel the run.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value.
    /// - Throws: The error of the node; `CancellationError` if the task is cancelled or the node is released meanwhile.
    public nonisolated(nonsending) func get<Node: RecoilAsyncNode>(_ node: Node) async throws -> Node.T {
        try await _getter.get(node)
    }

    /// Returns the value of a node, or `nil` if there is none now. Starts to load the node if necessary.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value; `nil` if the node has failed or is loading.
    @inlinable
    public func getOrNil<Node: RecoilNode>(_ node: Node) -> Node.T? { _getter.getOrNil(node) }

    /// Returns the value of a node that cannot fail.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value.
    /// - Precondition: The node has a value.
    @inlinable
    public func getUnsafe<Node: RecoilSyncNode>(_ node: Node) -> Node.T { _getter.getUnsafe(node) }

    /// Returns the state of a node. Starts to load it if necessary.
    ///
    /// - Parameter node: The node.
    /// - Returns: A loadable that reads the store on each access.
    public func loadable<Node: RecoilNode>(_ node: Node) -> LoadableContent<Node.T> { _getter.loadable(node) }
}

/// A type that reads and writes nodes.
public protocol NodeWriting: NodeReading {
    /// The accessor that reads and writes nodes.
    var accessor: StateAccessor { get }
}

extension NodeWriting {
    /// The object that reads nodes. For the compiler only; do not use it.
    @inlinable
    public var _getter: StateGetter { accessor._getter }

    /// Sets a node. An atom keeps the value; a selector passes it to its setter. In the setter of a node that is being
    /// reset, it resets the node.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - newValue: The value.
    @inlinable
    public func set<Node: Writeable>(_ node: Node, _ newValue: Node.T) { accessor.set(node, newValue) }

    /// Changes the value of a node; see ``RecoilStore/update(_:_:)``. In the setter of a node that is being reset, it
    /// resets the node.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - body: Receives the value to change. Runs with the graph locked, in a transaction.
    /// - Throws: The error of `body`, after all its writes have been rolled back.
    public func update<Node: Writeable, E: Error>(
        _ node: Node, _ body: (inout Node.T) throws(E) -> Void
    ) throws(E) {
        try accessor.update(node, body)
    }

    /// Resets a node to its default; see ``RecoilStore/reset(_:)``.
    ///
    /// - Parameter node: The node.
    public func reset<Node: Writeable>(_ node: Node) { accessor.reset(node) }

    /// Loads a node again; see ``RecoilStore/refresh(_:)``.
    ///
    /// - Parameter node: The node.
    public func refresh<Node: RecoilNode>(_ node: Node) { accessor.refresh(node) }
}
