// What happened, in order.

/// Notes what happens.
final class Log: @unchecked Sendable {
    // Sendable because the tests that use it write with the graph locked, or from one task.
    private(set) var entries: [String] = []

    func callAsFunction(_ entry: String) { entries.append(entry) }

    /// Takes what has been noted.
    func take() -> [String] {
        defer { entries = [] }
        return entries
    }
}
