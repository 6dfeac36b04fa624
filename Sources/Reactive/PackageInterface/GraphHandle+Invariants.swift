// The graph's invariants, for tests.

#if DEBUG
extension GraphHandle {
    /// A sentence for each broken invariant of the graph; empty if none is. Complexity: O(nodes and edges).
    ///
    /// - Precondition: Not called in a tracked closure of the graph.
    package var brokenInvariants: [String] {
        withUntrackedLock { pointer.brokenInvariants() }
    }

    /// Ends the program with a message if an invariant of the graph is broken.
    package func checkInvariants() {
        let broken = brokenInvariants
        if !broken.isEmpty { fatalError("Reactive: \(name) is inconsistent.\n" + broken.joined(separator: "\n")) }
    }
}
#endif
