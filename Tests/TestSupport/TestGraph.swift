// The graph that a test is in: the default one, or, with REACTIVE_TEST_GRAPH=independent in the environment, an
// independent one of its own.
//
// Nothing that the library promises depends on which graph state belongs to. So the suites run in both ways, and what
// takes the default graph where it should ask shows up. A test is a task: all of its jobs, wherever it suspends, run on
// an executor that puts each into the graph's scope. Tests on the main actor, and tasks that a test starts by itself,
// stay outside, as they do on a server with a graph for each session.

import Foundation
import Reactive

/// The graph that a test is in.
package enum TestGraph: Sendable {
    /// The default one: for tests that are about it.
    case `default`
    /// The one that the environment asks for.
    case asked

    private static let isIndependent = ProcessInfo.processInfo.environment["REACTIVE_TEST_GRAPH"] == "independent"

    func run(_ body: @Sendable () async throws -> Void) async throws {
        guard self == .asked, TestGraph.isIndependent, #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else {
            return try await body()
        }
        try await withTaskExecutorPreference(GraphExecutor(IndependentGraph(named: "test"))) { try await body() }
    }
}

/// Runs all jobs in the scope of a graph.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
private final class GraphExecutor: TaskExecutor {
    private let graph: IndependentGraph
    private let queue = DispatchQueue(label: "test", attributes: .concurrent)

    init(_ graph: IndependentGraph) { self.graph = graph }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in graph.run { job.runSynchronously(on: asUnownedTaskExecutor()) } }
    }
}
