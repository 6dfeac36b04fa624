// Waiting for nodes in a task: look, suspend until something has settled, look again.

import Reactive

/// When a task that waits for several nodes looks again.
enum WaitRule {
    /// When all have settled, or one has failed.
    case allHaveValues
    /// When all have settled.
    case allHaveSettled
    /// When one has settled.
    case oneHasSettled

    /// Whether the wait is over, with some nodes still loading.
    func isMet(loading: Int, of count: Int) -> Bool {
        switch self {
        case .allHaveValues, .allHaveSettled: loading == 0
        case .oneHasSettled: loading < count || count == 0
        }
    }

    fileprivate func makeWaiter(for loading: Int) -> Waiter {
        switch self {
        case .allHaveValues: Waiter(for: loading, of: loading, endsWithFailure: true)
        case .allHaveSettled: Waiter(for: loading, of: loading)
        case .oneHasSettled: Waiter(for: 1, of: loading)
        }
    }
}

/// Waits until `look` has found what the task waits for, or throws.
///
/// Not generic, since generic code asks the runtime for the types that it uses: `look` keeps what it finds.
///
/// - Parameters:
///   - graph: The graph of what `look` reads.
///   - rule: When to look again.
///   - look: Runs with the graph locked and untracked, in the caller's isolation. Adds the nodes that are loading;
///     returns whether the wait is over.
/// - Throws: What `look` throws; `CancellationError` if the task is cancelled.
nonisolated(nonsending) func waitForNodes(
    in graph: GraphHandle, until rule: WaitRule = .allHaveValues, _ look: (inout [_AnyNodeInstance]) throws -> Bool
) async throws {
    while true {
        try Task.checkCancellation()
        var loading: [_AnyNodeInstance] = []
        let waiter: Waiter? = try graph.withUntrackedLock {
            if try look(&loading) { return nil }
            let waiter = rule.makeWaiter(for: loading.count)
            for instance in loading { instance.loader?.add(waiter) }
            return waiter
        }
        guard let waiter else { return }
        await waiter.wait()
        if waiter.isListed {
            graph.withLock {
                for instance in loading { instance.loader?.remove(waiter) }
            }
        }
    }
}

/// Waits until `look` returns something or throws, and returns that.
nonisolated(nonsending) func waitForValue<R>(
    in graph: GraphHandle, until rule: WaitRule = .allHaveValues, _ look: (inout [_AnyNodeInstance]) throws -> R?
) async throws -> R {
    var found: R?
    try await waitForNodes(in: graph, until: rule) { loading in
        found = try look(&loading)
        return found != nil
    }
    guard let found else { fatalError("internal inconsistency: a wait has ended without a value") }
    return found
}
