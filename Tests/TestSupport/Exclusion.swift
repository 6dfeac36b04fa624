// One test at a time, in all suites of the process.
//
// The graph is one for the whole process, and most tests speak of what happens while nobody else uses it: that everything has run when
// a setter returns, who runs it, and what is alive. Suites that are merely serialized run beside one another.

/// Who may run a test now: one after the other, in the order of asking.
package actor Exclusion {
    /// The one for the process.
    package static let shared = Exclusion()

    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Runs `body` while nobody else does.
    package nonisolated func run(
        in graph: TestGraph = .asked, _ body: @Sendable () async throws -> Void
    ) async throws {
        await enter()
        do {
            try await graph.run(body)
        } catch {
            await leave()
            throw error
        }
        await leave()
    }

    private func enter() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func leave() {
        if waiting.isEmpty {
            isTaken = false
        } else {
            waiting.removeFirst().resume()
        }
    }
}
