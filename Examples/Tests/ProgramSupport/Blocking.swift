// Threads for tests that wait for programs and sockets. The tasks of a process share as many threads as there are
// processors. Tests that block these would also stop what they wait for, if that is a task of the same process.

import Foundation
import Testing

/// Runs the tests of a suite on threads of their own.
package struct BlockingTrait: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withOwnThreads(function)
    }
}

extension Trait where Self == BlockingTrait {
    /// The tests may block their thread.
    package static var blocking: Self { Self() }
}

/// Runs a function, and tasks that are its children, on threads that no other task uses.
func withOwnThreads(_ function: () async throws -> Void) async throws {
    guard #available(macOS 15, *) else { return try await function() }
    try await withTaskExecutorPreference(ThreadExecutor()) { try await function() }
}

/// Runs each job on a new thread.
@available(macOS 15, *)
private final class ThreadExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
