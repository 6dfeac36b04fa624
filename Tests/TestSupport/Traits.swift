// How tests share the process: each runs in a graph of its own, as many at a time as there are processors.
//
// A root suite has the trait `.ownGraph`; suites and tests in it add their other requirements. With
// `REACTIVE_TEST_GRAPH=default` in the environment, all tests run in the default graph, one at a time. No promise of
// the library depends on the graph that state belongs to, so the suites pass in both modes.

import Foundation
import Reactive
import Testing

/// The requirements of a test. The traits of its suites count, too.
package struct TestNeed: SuiteTrait, TestTrait, TestScoping {
    fileprivate enum Kind { case ownGraph, defaultGraph, process }

    fileprivate let kind: Kind
    package var isRecursive: Bool { true }

    /// Whether an outer trait has already met the requirements of this test.
    @TaskLocal private static var isProvided = false

    /// The outermost trait of a test meets all requirements.
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
    /// Each test runs in an independent graph of its own, in parallel with others.
    package static var ownGraph: Self { Self(kind: .ownGraph) }

    /// The tests are about the default graph, or create state on the main actor, in tasks of their own or in methods of
    /// an actor that reactions hop to. One of them runs at a time.
    package static var inDefaultGraph: Self { Self(kind: .defaultGraph) }

    /// The tests are about the whole process, such as its issue handler, or a recording, which covers all graphs and keeps
    /// the names of nodes that end. No other test runs meanwhile.
    package static var alone: Self { Self(kind: .process) }
}

extension Trait where Self == TimeLimitTrait {
    /// The limit for a test and the tests that it waits for: all of them wait at first.
    package static var timeLimit: Self { .timeLimit(.minutes(60)) }
}
