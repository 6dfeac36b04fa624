// Tests that have the graph to themselves.

@_exported import TestSupport
import Testing

/// Lets the tests of a suite run one at a time, among all suites that have this trait.
struct AloneTrait: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Exclusion.shared.run(function)
    }
}

extension Trait where Self == AloneTrait {
    /// No test of another suite runs meanwhile.
    static var alone: Self { Self() }
}
