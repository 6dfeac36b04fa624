// Reads of nodes by other nodes: each read is a dependency.

import Reactive

/// An accessor that reads nodes of a store.
///
/// A selector receives one, and depends on the nodes that it reads with it: before an `await` and after, from child
/// tasks too. If the accessor is kept beyond the evaluation, it only reads.
@frozen
public struct StateGetter: @unchecked Sendable {
    // Sendable because everything is done under the graph's lock.

    @frozen @usableFromInline
    enum Reader {
        case store(RecoilStore)
        case selector(_AnyNodeInstance)
        case run(Run)
    }

    @usableFromInline let reader: Reader

    @inlinable @inline(__always)
    init(_ reader: Reader) { self.reader = reader }

    /// Runs `body` with the store's instance of a node, after recording the read.
    ///
    /// - Throws: The error of `body`, `RecoilError.circular`, and `CancellationError` if the reader has been replaced.
    func reading<Node: RecoilNode, R>(
        _ node: Node, as kind: Dependency.Kind, _ body: (_NodeInstance<Node.T>) throws -> R
    ) throws -> R {
        try graph.withLock {
            let instance: _NodeInstance<Node.T>
            switch reader {
            case .store(let store):
                instance = store.instance(for: node)
                instance.noteObserver()
            case .selector(let selector):
                instance = try selector.requireStore().instance(for: node)
                instance.noteObserver()
            case .run(let run):
                instance = try run.requireStore().instance(for: node)
                try run.record(instance, kind)
            }
            return try naming { try body(instance) }
        }
    }

    /// Returns the value of a node: a shorter form of `reading`.
    ///
    /// - Throws: The error of the node, and the core's error for a cycle.
    @inlinable @inline(__always)
    func read<Node: RecoilNode>(_ node: Node) throws -> Node.T {
        // The accessor keeps the reader alive, so it need not be retained.
        switch reader {
        case .store(let store): try Unmanaged.passUnretained(store)._withUnsafeGuaranteedRef { try $0.read(node) }
        case .selector(let selector):
            try Unmanaged.passUnretained(selector)._withUnsafeGuaranteedRef { try $0.read(node) }
        case .run: try readInRun(node)
        }
    }

    @usableFromInline @inline(never)
    func readInRun<Node: RecoilNode>(_ node: Node) throws -> Node.T { try reading(node, as: .value) { try $0.value() } }

    // MARK: - Values

    /// Returns the value of a node.
    ///
    /// - Parameter node: The node, on which the reader depends from now on.
    /// - Returns: The value.
    /// - Throws: The error of the node.
    @inlinable
    public func get<Node: RecoilSyncNode>(_ node: Node) throws -> Node.T {
        do { return try read(node) } catch { throw naming(error) }
    }

    /// Returns the value of an asynchronous node when it has loaded.
    ///
    /// Joins the current run, or starts one.
    ///
    /// - Parameter node: The node, on which the reader depends from now on.
    /// - Returns: The value.
    /// - Throws: The error of the node; `CancellationError` if the task is cancelled or the node is released meanwhile.
    public nonisolated(nonsending) func get<Node: RecoilAsyncNode>(_ node: Node) async throws -> Node.T {
        switch reader {
        case .store(let store): try await value(of: node, in: store)
        case .selector, .run: try await waitForValue(in: graph) { loading in try outcome(of: node, &loading)?.get() }
        }
    }

    /// Returns the value of a node, or `nil` if there is none now. Starts to load the node if necessary.
    ///
    /// - Parameter node: The node, on which the reader depends from now on.
    /// - Returns: The value; `nil` if the node has failed or is loading.
    @inlinable
    public func getOrNil<Node: RecoilNode>(_ node: Node) -> Node.T? { try? read(node) }

    /// Returns the value of a node that cannot fail.
    ///
    /// - Parameter node: The node, on which the reader depends from now on.
    /// - Returns: The value.
    /// - Precondition: The node has a value.
    @inlinable
    public func getUnsafe<Node: RecoilSyncNode>(_ node: Node) -> Node.T {
        do {
            return try get(node)
        } catch {
            fatalError(
                "ReactiveAtoms: getUnsafe(\(node.key.name)) failed: \(error). Use `try get` to handle the error.")
        }
    }

    /// Returns the current state of a node. Starts to load it if necessary.
    ///
    /// - Parameter node: The node, on which the reader depends from now on.
    /// - Returns: A loadable that describes the current state.
    public func loadable<Node: RecoilNode>(_ node: Node) -> LoadableContent<Node.T> {
        guard case .store(let store) = reader else {
            return LoadableContent(node, fixed: report(on: node), store: store)
        }
        _ = state(of: node)
        return LoadableContent(node, in: store)
    }

    /// Returns the content of a node.
    func state<Node: RecoilNode>(of node: Node) -> LoadState<Node.T> {
        (try? reading(node, as: .value) { try $0.state() }) ?? LoadState(.failure(CancellationError()))
    }

    func report<Node: RecoilNode>(on node: Node) -> LoadReport<Node.T> {
        let report = Result { try reading(node, as: .loadable) { try LoadReport($0) } }
        return (try? report.get()) ?? LoadReport(report)
    }

    /// Returns the value of a node; for accessors with the name `get`.
    ///
    /// - Parameter node: The node, on which the reader depends from now on.
    /// - Returns: The value.
    /// - Throws: The error of the node.
    @inlinable
    public func callAsFunction<Node: RecoilSyncNode>(_ node: Node) throws -> Node.T { try get(node) }

    /// Returns the value of an asynchronous node when it has loaded; for accessors with the name `get`.
    ///
    /// - Parameter node: The node, on which the reader depends from now on.
    /// - Returns: The value.
    /// - Throws: The error of the node; `CancellationError` if the task is cancelled or the node is released meanwhile.
    public nonisolated(nonsending) func callAsFunction<Node: RecoilAsyncNode>(_ node: Node) async throws -> Node.T {
        try await get(node)
    }

    /// The graph of the store.
    var graph: GraphHandle {
        switch reader {
        case .store(let store): store.graph
        case .selector(let reader): reader.graph
        case .run(let run): run.graph
        }
    }

    private var store: RecoilStore? {
        graph.withLock {
            switch reader {
            case .store(let store): store
            case .selector(let reader): reader.store
            case .run(let run): run.store
            }
        }
    }
}

/// ``StateGetter`` by another name.
public typealias Getter = StateGetter

extension _AnyNodeInstance {
    /// Returns the value of a node that the selector of this instance reads. The selector depends on it while it is
    /// evaluated.
    ///
    /// - Throws: The error of the node, the core's error for a cycle, and `CancellationError` if the store has ended.
    @inlinable @inline(__always)
    final func read<Node: RecoilNode>(_ node: Node) throws -> Node.T {
        enter()
        defer { leave() }
        guard let found = table.find(instanceOf: node) else {
            return try requireStore().makeInstance(for: node, .get).trackedValue()
        }
        return try found._withUnsafeGuaranteedRef { try $0.instance(for: node).trackedValue() }
    }

    /// Returns the store.
    ///
    /// - Throws: `CancellationError` if the store has ended. Reads of the selector then have no effect.
    @usableFromInline
    final func requireStore() throws -> RecoilStore {
        guard let store else { throw CancellationError() }
        return store
    }
}
