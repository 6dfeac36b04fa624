// What a test shares with the tests that run beside it.

import Testing

/// Lets the tests of a suite run one at a time, among all suites that have this trait.
package struct AloneTrait: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let isOfDefaultGraph = test.traits.contains { $0 is DefaultGraphTrait }
        try await Exclusion.shared.run(in: isOfDefaultGraph ? .default : .asked, function)
    }
}

/// Keeps tests in the default graph, also where the environment asks for an independent one.
package struct DefaultGraphTrait: SuiteTrait, TestTrait {
    package var isRecursive: Bool { true }
}

extension Trait where Self == AloneTrait {
    /// No test of another suite runs meanwhile.
    package static var alone: Self { Self() }
}

extension Trait where Self == DefaultGraphTrait {
    /// The tests are about the default graph, or create things in tasks of their own or on the main actor.
    package static var inDefaultGraph: Self { Self() }
}
