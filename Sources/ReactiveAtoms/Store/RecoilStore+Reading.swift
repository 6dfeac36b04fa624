// Functions of a store that read and observe nodes.

public import Reactive

extension RecoilStore: NodeReading {
    /// The object that reads nodes. For the compiler only; do not use it.
    @inlinable
    public var _getter: StateGetter { StateGetter(.store(self)) }

    // Shorter implementations of the functions that every type that reads nodes has.

    /// Returns the value of a node.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value.
    /// - Throws: The error of the node.
    @inlinable
    public func get<Node: RecoilSyncNode>(_ node: Node) throws -> Node.T {
        do { return try read(node) } catch { throw naming(error) }
    }

    /// Returns the value of a node, or `nil` if there is none now. Starts to load the node if necessary.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value; `nil` if the node has failed or is loading.
    @inlinable
    public func getOrNil<Node: RecoilNode>(_ node: Node) -> Node.T? { try? read(node) }

    /// Returns the value of a node, and subscribes the caller where reads are tracked.
    ///
    /// - Throws: The error of the node, and the core's error for a cycle.
    @inlinable @inline(__always)
    func read<Node: RecoilNode>(_ node: Node) throws -> Node.T {
        table.enter()
        defer { table.leave() }
        guard let found = table.find(instanceOf: node) else { return try makeInstance(for: node, .get).trackedValue() }
        return try found._withUnsafeGuaranteedRef { try $0.instance(for: node).trackedValue() }
    }

    /// Returns the value of a node.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value.
    /// - Throws: The error of the node.
    @inlinable
    public func value<Node: RecoilSyncNode>(_ node: Node) throws -> Node.T { try get(node) }

    /// Returns the value of an asynchronous node, or `nil` if there is none now. Starts to load it if necessary.
    ///
    /// - Parameter node: The node.
    /// - Returns: The value; `nil` if the node has failed or is loading.
    public func value<Node: RecoilAsyncNode>(_ node: Node) -> Node.T? { getOrNil(node) }

    func report<Node: RecoilNode>(on node: Node) -> LoadReport<Node.T> { _getter.report(on: node) }

    /// Calls a closure whenever a node has a new value.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - fireImmediately: Whether to call the closure with the current value too, if there is one.
    ///   - isolation: The actor that the closure belongs to; by default the caller's.
    ///   - onChange: Receives the value. Runs outside the lock, its writes batched. Not called for errors and loading;
    ///     to follow these, read ``NodeReading/loadable(_:)`` in an `autorun`.
    /// - Returns: The reaction, to cancel it; releasing it does not end it.
    @discardableResult
    public func observe<Node: RecoilNode>(
        _ node: Node, fireImmediately: Bool = false, isolation: isolated (any Actor)? = #isolation,
        onChange: @escaping (Node.T) -> Void
    ) -> Reaction {
        observe(node, fireImmediately: fireImmediately, isolation: isolation) { new, _ in onChange(new) }
    }

    /// Calls a closure whenever a node has a new value, with the previous value, if there was one.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - fireImmediately: Whether to call the closure with the current value too, if there is one.
    ///   - isolation: The actor that the closure belongs to; by default the caller's.
    ///   - onChange: Receives the new value and the previous one. Runs outside the lock, its writes batched.
    /// - Returns: The reaction, to cancel it; releasing it does not end it.
    @discardableResult
    public func observe<Node: RecoilNode>(
        _ node: Node, fireImmediately: Bool = false, isolation: isolated (any Actor)? = #isolation,
        onChange: @escaping (Node.T, Node.T?) -> Void
    ) -> Reaction {
        let values = Equality<Node.T>.automatic
        let rule = Equality<Node.T?> { old, new in
            // A missing value is no new value: the next value is compared with the last one.
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
                // A reaction that fires immediately passes its first value twice.
                onChange(new, isFirst && fireImmediately ? nil : old)
                isFirst = false
            }
        }
    }
}
