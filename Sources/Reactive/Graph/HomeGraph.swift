// The graph that something was made in, for parts of the library that come back to it later, from threads whose scope is another one.

/// The graph that state belongs to which is made here and now.
///
/// It does not keep the graph: whoever has one has state of that graph as well.
package struct HomeGraph: Sendable {
    // What the graph guards is touched under its lock only.
    private nonisolated(unsafe) let graph = GraphPointer.current

    /// Remembers the present graph.
    package init() {}

    /// Runs `body` with the graph locked and untracked.
    package func withLock<R>(_ body: () throws -> R) rethrows -> R {
        graph.enter()
        defer { graph.leave() }
        return try untracked(body)
    }
}
