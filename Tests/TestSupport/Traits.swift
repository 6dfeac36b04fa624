// How tests share the process: each runs in a graph of its own, as many at a time as there are processors.
//
// A root suite has the trait `.ownGraph`; suites and tests in it say what they need besides. In the environment,
// `REACTIVE_TEST_GRAPH=default` lets all tests run in the default graph instead, one at a time. Nothing that the library
// promises depends on which graph state belongs to, so the suites pass in both ways.

import Foundation
import Reactive
import Testing

/// What a test needs for itself. The traits of its suites count too.
package struct TestNeed: SuiteTrait, TestTrait, TestScoping {
    fileprivate enum Kind { case ownGraph, defaultGraph, process }

    fileprivate let kind: Kind
    package var isRecursive: Bool { true }

    /// Whether an outer trait has already provided what this test needs.
    @TaskLocal private static var isProvided = false

    /// The outermost trait of a test provides what all of them ask for.
    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard !TestNeed.isProvided else { return try await function() }
        let kinds = Set(test.traits.compactMap { ($0 as? TestNeed)?.kind })
        let isInOwnGraph = TestNeed.allowsOwnGraphs && kinds.contains(.ownGraph) && !kinds.contains(.defaultGraph)
        let isAlone = !TestNeed.allowsOwnGraphs || kinds.contains(.process)
        let run = TestRun(in: isInOwnGraph ? IndependentGraph(named: "test") : nil)
        try await TestGate.shared.run(isAlone ? .alone : isInOwnGraph ? .any : .defaultGraph) {
            try await TestTimes.measuring(test) {
                try await TestNeed.$isProvided.withValue(true) { try await run.run(function) }
            }
        }
    }

    private static let allowsOwnGraphs: Bool = {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else { return false }
        return ProcessInfo.processInfo.environment["REACTIVE_TEST_GRAPH"] != "default"
    }()
}

extension Trait where Self == TestNeed {
    /// Each test runs in an independent graph of its own, beside others.
    package static var ownGraph: Self { Self(kind: .ownGraph) }

    /// The tests are about the default graph, or create state on the main actor, in tasks of their own or in methods of
    /// an actor that reactions hop to. One of them runs at a time.
    package static var inDefaultGraph: Self { Self(kind: .defaultGraph) }

    /// The tests are about the whole process, such as its issue handler. No other test runs meanwhile.
    package static var alone: Self { Self(kind: .process) }
}

extension Trait where Self == TimeLimitTrait {
    /// The limit for a test and the tests that it waits for: all of them wait at first.
    package static var timeLimit: Self { .timeLimit(.minutes(60)) }
}
