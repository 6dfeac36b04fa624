// Reads of nodes that are awaited; see waitForNodes.swift for the wait itself.

import Reactive

extension StateGetter {
    /// Returns the outcome of a node that is awaited, or `nil` while it is loading. Starts it if necessary.
    ///
    /// - Parameters:
    ///   - node: The node, on which the reader depends from now on.
    ///   - loading: The nodes to wait for. The node is added if it is loading.
    /// - Throws: The core's error for a cycle, and `CancellationError` if the reader has been replaced.
    func outcome<Node: RecoilNode>(
        of node: Node, _ loading: inout [_AnyNodeInstance]
    ) throws -> Result<Node.T, any Error>? {
        try reading(node, as: .awaited) { instance in
            guard let result = try instance.outcome() else {
                loading.append(instance)
                return nil
            }
            if case .run(let run) = reader { run.noteOutcome(instance) }
            return result
        }
    }

    /// Returns the value of a node that is awaited and has an outcome.
    func awaitedValue<Node: RecoilNode>(of node: Node) throws -> Node.T {
        var loading: [_AnyNodeInstance] = []
        guard let result = try outcome(of: node, &loading) else { throw CancellationError() }
        return try result.get()
    }

    /// Returns the value of a node to code outside of the store. The node is kept until the wait is over.
    nonisolated(nonsending) func value<Node: RecoilAsyncNode>(
        of node: Node, in store: RecoilStore
    ) async throws -> Node.T {
        var awaited: _NodeInstance<Node.T>?
        defer {
            if let awaited { graph.withLock { awaited.endWait() } }
        }
        return try await waitForValue(in: graph) { loading in
            // A replaced instance has a successor, which is awaited instead. A released instance has none.
            if let replaced = awaited, replaced.ending == .replaced {
                awaited = nil
                replaced.endWait()
            }
            let instance = awaited ?? store.instance(for: node)
            guard let result = try naming({ try instance.outcome() }) else {
                loading.append(instance)
                if awaited == nil {
                    instance.beginWait()
                    awaited = instance
                }
                return nil
            }
            instance.noteUse()
            if instance.ending == .released { throw CancellationError() }
            return try result.get()
        }
    }
}
