// Waits for nodes in a task: check, suspend until a node has an outcome, check again.
//
// An *outcome* is the value or the error of a node that is not loading.

import Reactive

/// The condition under which a task that waits for several nodes checks again.
enum WaitRule {
    /// All nodes have outcomes, or one has failed.
    case allHaveValues
    /// All nodes have outcomes.
    case allHaveOutcomes
    /// One node has an outcome.
    case oneHasOutcome

    /// Returns whether the wait is over, with some nodes still loading.
    func isMet(loading: Int, of count: Int) -> Bool {
        switch self {
        case .allHaveValues, .allHaveOutcomes: loading == 0
        case .oneHasOutcome: loading < count || count == 0
        }
    }

    fileprivate func makeWaiter(for loading: Int) -> Waiter {
        switch self {
        case .allHaveValues: Waiter(for: loading, of: loading, endsWithFailure: true)
        case .allHaveOutcomes: Waiter(for: loading, of: loading)
        case .oneHasOutcome: Waiter(for: 1, of: loading)
        }
    }
}

/// Waits until `check` returns true, or throws.
///
/// Not generic, since generic code asks the runtime for its types. `check` stores its result itself.
///
/// - Parameters:
///   - graph: The graph of the nodes that `check` reads.
///   - rule: The condition under which to check again.
///   - check: Runs with the graph locked and untracked, in the caller's isolation. Adds the nodes that are loading;
///     returns whether the wait is over.
/// - Throws: The error of `check`; `CancellationError` if the task is cancelled.
nonisolated(nonsending) func waitForNodes(
    in graph: GraphHandle, until rule: WaitRule = .allHaveValues, _ check: (inout [_AnyNodeInstance]) throws -> Bool
) async throws {
    while true {
        try Task.checkCancellation()
        var loading: [_AnyNodeInstance] = []
        let waiter: Waiter? = try graph.withUntrackedLock {
            if try check(&loading) { return nil }
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

/// Waits until `check` returns a value or throws, and returns the value.
nonisolated(nonsending) func waitForValue<R>(
    in graph: GraphHandle, until rule: WaitRule = .allHaveValues, _ check: (inout [_AnyNodeInstance]) throws -> R?
) async throws -> R {
    var found: R?
    try await waitForNodes(in: graph, until: rule) { loading in
        found = try check(&loading)
        return found != nil
    }
    guard let found else { fatalError("internal inconsistency: a wait has ended without a value") }
    return found
}
