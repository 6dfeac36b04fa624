// Runs one test at a time, in all suites that request it: they share the default graph, the terminal's signals, and
// processors that the tested programs need, too. These tests may block their thread.

import Testing

/// Runs the tests of a suite one at a time, among all suites that have this trait.
package struct AloneTrait: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        await Turns.shared.enter()
        do {
            try await withOwnThreads(function)
        } catch {
            await Turns.shared.leave()
            throw error
        }
        await Turns.shared.leave()
    }
}

extension Trait where Self == AloneTrait {
    /// No other test with this trait runs meanwhile. Includes `blocking`.
    package static var alone: Self { Self() }
}

/// Admits one test at a time, in the order of requests.
private actor Turns {
    static let shared = Turns()

    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func enter() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func leave() {
        if waiting.isEmpty {
            isTaken = false
        } else {
            waiting.removeFirst().resume()
        }
    }
}
