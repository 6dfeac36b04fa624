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

/// Waits until `look` returns something or throws.
///
/// - Parameters:
///   - graph: The graph of what `look` reads.
///   - rule: When to look again.
///   - look: Runs with the graph locked and untracked, in the caller's isolation. Returns `nil` to wait, after it has
///     added the nodes that are loading.
/// - Throws: What `look` throws; `CancellationError` if the task is cancelled.
nonisolated(nonsending) func settled<R>(
    in graph: GraphHandle, until rule: WaitRule = .allHaveValues, _ look: (inout [_AnyNodeInstance]) throws -> R?
) async throws -> R {
    while true {
        try Task.checkCancellation()
        var loading: [_AnyNodeInstance] = []
        var waiter: Waiter?
        let found = try graph.withUntrackedLock {
            let found = try look(&loading)
            if found == nil {
                let listed = rule.makeWaiter(for: loading.count)
                for instance in loading { instance.loader?.add(listed) }
                waiter = listed
            }
            return found
        }
        if let found { return found }
        guard let waiter else { continue }
        await waiter.wait()
        if waiter.isListed {
            graph.withLock {
                for instance in loading { instance.loader?.remove(waiter) }
            }
        }
    }
}
