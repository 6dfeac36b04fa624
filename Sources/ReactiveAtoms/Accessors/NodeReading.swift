// Reading and writing nodes, said once for every type that can.
//
//     RecoilStore, StateAccessor, RecoilCallbackContext, MutableContext     read by a `StateGetter`
//     RecoilCallbackContext, MutableContext                                 write by a `StateAccessor`
//
// `StateGetter` reads by itself: its reads are dependencies. `StateAccessor` writes by itself: while a selector is being
// reset, it resets what it should set. A store does what both of them forward to.

/// A type through which nodes are read.
public protocol NodeReading {
    /// What reads. For the compiler's sake; not for use.
    var _getter: StateGetter { get }
}

extension NodeReading {
    /// The value of a node.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value.
    /// - Throws: What the node throws.
    @inlinable
    public func get<Node: RecoilSyncNode>(_ node: Node) throws -> Node.T { try _getter.get(node) }

    /// The value of a node that takes its time, once it has settled.
    ///
    /// Joins the run that is under way, or starts one. If an input changes meanwhile, this waits for the new result.
    /// Cancelling the task that waits does not cancel the run.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value.
    /// - Throws: What the node throws; `CancellationError` if the task is cancelled, or the node released meanwhile.
    public nonisolated(nonsending) func get<Node: RecoilAsyncNode>(_ node: Node) async throws -> Node.T {
        try await _getter.get(node)
    }

    /// The value of a node, or `nil` if there is none now. Starts loading it if need be.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value; `nil` because of an error, or because it is still loading.
    @inlinable
    public func getOrNil<Node: RecoilNode>(_ node: Node) -> Node.T? { _getter.getOrNil(node) }

    /// The value of a node that cannot fail.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value.
    /// - Precondition: The node has a value.
    @inlinable
    public func getUnsafe<Node: RecoilSyncNode>(_ node: Node) -> Node.T { _getter.getUnsafe(node) }

    /// Where a node stands. Starts loading it if need be.
    ///
    /// - Parameter node: The node.
    /// - Returns: A loadable that looks at the store each time it is asked.
    public func loadable<Node: RecoilNode>(_ node: Node) -> LoadableContent<Node.T> { _getter.loadable(node) }
}

/// A type through which nodes are read and written.
public protocol NodeWriting: NodeReading {
    /// Reads and writes nodes.
    var accessor: StateAccessor { get }
}

extension NodeWriting {
    /// What reads. For the compiler's sake; not for use.
    @inlinable
    public var _getter: StateGetter { accessor._getter }

    /// Sets a node: an atom keeps the value, a selector passes it on. In the setter of a node that is being reset, it
    /// resets.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - newValue: The value.
    @inlinable
    public func set<Node: Writeable>(_ node: Node, _ newValue: Node.T) { accessor.set(node, newValue) }

    /// Changes the value of a node; see ``RecoilStore/update(_:_:)``. In the setter of a node that is being reset, it
    /// resets.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - body: Gets the value to change. Runs with the graph locked, in a transaction.
    /// - Throws: What `body` throws, after everything has been rolled back.
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
