// Reading nodes through a store, and following them.

public import Reactive

extension RecoilStore {
    /// The value of a node.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value.
    /// - Throws: What the node throws.
    public func value<Node: RecoilSyncNode>(_ node: Node) throws -> Node.T { try get(node) }

    /// The value of a node that takes its time, or `nil` if there is none now. Starts loading it if need be.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value; `nil` because of an error, or because it is still loading.
    public func value<Node: RecoilAsyncNode>(_ node: Node) -> Node.T? { getOrNil(node) }

    /// The value of a node.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value.
    /// - Throws: What the node throws.
    public func get<Node: RecoilSyncNode>(_ node: Node) throws -> Node.T {
        try StateGetter(.store(self)).get(node)
    }

    /// The value of a node that takes its time, once it has settled.
    ///
    /// Joins the run that is under way, or starts one. If an input changes meanwhile, this waits for the new result. Cancelling the task that waits does not
    /// cancel the run.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value.
    /// - Throws: What the node throws; `CancellationError` if the task is cancelled, or the node released meanwhile.
    public nonisolated(nonsending) func get<Node: RecoilAsyncNode>(_ node: Node) async throws -> Node.T {
        let wait = NodeWait<Node>()
        return try await settled(in: graph) {
            let instance = wait.follow(node, in: self)
            return try naming { try instance.settledValue(for: .store(self)) }
        }
    }

    /// The value of a node, or `nil` if there is none now. Starts loading it if need be.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value; `nil` because of an error, or because it is still loading.
    public func getOrNil<Node: RecoilNode>(_ node: Node) -> Node.T? { StateGetter(.store(self)).getOrNil(node) }

    /// The value of a node that cannot fail.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value.
    /// - Precondition: The node has a value.
    public func getUnsafe<Node: RecoilSyncNode>(_ node: Node) -> Node.T {
        StateGetter(.store(self)).getUnsafe(node)
    }

    /// Where a node stands. Starts loading it if need be.
    ///
    /// - Parameter node: The node.
    /// - Returns: A loadable that looks at the store each time it is asked.
    public func loadable<Node: RecoilNode>(_ node: Node) -> LoadableContent<Node.T> {
        _ = report(on: node)
        return LoadableContent(node, in: self)
    }

    func report<Node: RecoilNode>(on node: Node) -> LoadReport<Node.T> {
        let report = Result { try StateGetter(.store(self)).reading(node, as: .loadable) { try LoadReport($0) } }
        return (try? report.get()) ?? LoadReport(report)
    }

    /// Calls a closure whenever a node has a new value.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - fireImmediately: Whether to call it with the present value too, if there is one.
    ///   - isolation: The actor that the closure belongs to; by default the caller's.
    ///   - onChange: Gets the value. Runs outside the lock, its writes batched. Errors and loading are passed over; to follow these, read
    ///     ``loadable(_:)`` in an `autorun`.
    /// - Returns: The reaction, to cancel it; dropping it does not end it.
    @discardableResult
    public func observe<Node: RecoilNode>(
        _ node: Node, fireImmediately: Bool = false, isolation: isolated (any Actor)? = #isolation,
        onChange: @escaping (Node.T) -> Void
    ) -> Reaction {
        observe(node, fireImmediately: fireImmediately, isolation: isolation) { new, _ in onChange(new) }
    }

    /// Calls a closure whenever a node has a new value, with the value before, if there was one.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - fireImmediately: Whether to call it with the present value too, if there is one.
    ///   - isolation: The actor that the closure belongs to; by default the caller's.
    ///   - onChange: Gets the value and the one before. Runs outside the lock, its writes batched.
    /// - Returns: The reaction, to cancel it; dropping it does not end it.
    @discardableResult
    public func observe<Node: RecoilNode>(
        _ node: Node, fireImmediately: Bool = false, isolation: isolated (any Actor)? = #isolation,
        onChange: @escaping (Node.T, Node.T?) -> Void
    ) -> Reaction {
        let values = Equality<Node.T>.automatic
        let rule = Equality<Node.T?> { old, new in
            // No value now is no new value: the last one stays the one to compare with.
            guard let new else { return true }
            return old.map { values($0, new) } ?? false
        }
        var isFirst = true
        return graph.run {
            reaction(
                named: "observe \(node.key.name)", equals: rule, fireImmediately: fireImmediately, isolation: isolation
            ) { [weak self] in
                self?.getOrNil(node)
            } onChange: { new, old in
                guard let new else { return }
                // A reaction that fires at once passes its first value twice.
                onChange(new, isFirst && fireImmediately ? nil : old)
                isFirst = false
            }
        }
    }
}

/// Follows a node that is awaited, also when its instance is replaced; but not beyond a release.
private final class NodeWait<Node: RecoilNode> {
    private var instance: _NodeInstance<Node.T>?

    func follow(_ node: Node, in store: RecoilStore) -> _NodeInstance<Node.T> {
        if let instance, instance.ending != .replaced { return instance }
        instance?.endWait()
        let found = store.instance(for: node)
        found.beginWait()
        instance = found
        return found
    }

    deinit {
        guard let instance else { return }
        instance.graph.lockWhenFree { instance.endWait() }
    }
}
