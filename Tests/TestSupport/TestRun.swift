// A running test: its graph, and the jobs that it has caused.
//
// A test is a task. Its jobs, and those of its child tasks, run on an executor that puts each into the scope of the
// test's graph. Tasks that the test or the library starts without a parent stay outside that scope, as they do on a
// server with a graph for each session. Both are counted: every job that a job or a thread of the test enqueues. So a
// test can wait until all jobs that it has caused have run. Jobs on the main actor are not counted.

import Foundation
import Reactive
import Testing

/// A running test.
final class TestRun: @unchecked Sendable {
    // Sendable because the counts are accessed only under the lock.

    /// `nil` for the default graph.
    private let graph: IndependentGraph?
    private let queue = DispatchQueue(label: "test", attributes: .concurrent)
    private let lock = NSLock()
    /// The number of jobs that run or are due to run.
    private var jobs = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(in graph: IndependentGraph?) { self.graph = graph }

    /// Runs the body of the test, and returns when all jobs that it has caused have run.
    func run(_ body: @Sendable () async throws -> Void) async throws {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else { return try await body() }
        JobHook.install
        try await withTaskExecutorPreference(Executor(self, scope: graph)) {
            do {
                try await body()
            } catch {
                await becomesIdle()
                throw error
            }
            await becomesIdle()
            #if DEBUG
            #expect(GraphHandle.current.brokenInvariants == [])
            #endif
        }
    }

    // MARK: - The current test

    private static let key = "TestRun"

    /// The test that this thread works for.
    static var current: TestRun? { Thread.current.threadDictionary[key] as? TestRun }

    /// Runs `body` for a test.
    static func working<R>(for run: TestRun?, _ body: () throws -> R) rethrows -> R {
        let thread = Thread.current.threadDictionary
        let before = thread[key]
        thread[key] = run
        defer { thread[key] = before }
        return try body()
    }

    // MARK: - Jobs

    /// Runs a job soon, and counts it until it has ended.
    fileprivate func enqueue(_ job: @escaping @Sendable () -> Void) {
        lock.withLock { jobs += 1 }
        queue.async { [self] in
            TestRun.working(for: self) {
                job()
                let idle = lock.withLock { () -> [CheckedContinuation<Void, Never>] in
                    jobs -= 1
                    guard jobs == 0 else { return [] }
                    defer { waiting = [] }
                    return waiting
                }
                idle.forEach { $0.resume() }
            }
        }
    }

    /// Waits until no job of the test runs or is due: all of its tasks have ended or are suspended.
    func becomesIdle() async {
        // The job that is suspended here counts until it has ended.
        await withCheckedContinuation { continuation in lock.withLock { waiting.append(continuation) } }
    }

    /// Runs jobs of the test, in the scope of a graph or outside.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
    fileprivate final class Executor: TaskExecutor {
        private let run: TestRun
        private let scope: IndependentGraph?

        init(_ run: TestRun, scope: IndependentGraph?) {
            self.run = run
            self.scope = scope
        }

        func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job)) }

        func enqueue(_ job: UnownedJob) {
            run.enqueue { [self] in
                guard let scope else { return job.runSynchronously(on: asUnownedTaskExecutor()) }
                scope.run { job.runSynchronously(on: asUnownedTaskExecutor()) }
            }
        }
    }
}

/// Lets all jobs run that the test has caused. Returns when each of its other tasks has ended, is suspended or waits
/// for the main actor.
package func letOthersRun() async {
    if let run = TestRun.current { return await run.becomesIdle() }
    // Without task executors, jobs are not counted.
    for _ in 0..<200 { await Task.yield() }
}

/// Waits until `condition` holds, which other tasks or threads cause.
package func eventually(isolation: isolated (any Actor)? = #isolation, _ condition: () async -> Bool) async {
    while !(await condition()) { await letOthersRun() }
}

/// Passes a new actor to `body`. Returns when the actor is freed: the thread that ran its last job may keep it a moment
/// longer than that job.
package func withFreedActor<A: Actor, Result>(
    isolation: isolated (any Actor)? = #isolation, _ new: () async -> A, _ body: (A) async -> Result
) async -> Result {
    weak var freed: A?
    let result: Result
    do {
        let actor = await new()
        freed = actor
        result = await body(actor)
    }
    await eventually { freed == nil }
    return result
}

/// Takes the jobs that tests enqueue on the global executor.
///
/// The runtime has a hook for this purpose. The hook gets the job and the default action.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
private enum JobHook {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    #if canImport(Darwin)
    private static var everyLibrary: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: -2) }
    #else
    private static var everyLibrary: UnsafeMutableRawPointer? { nil }
    #endif

    /// Sets the hook, once.
    static let install: Void = {
        guard let address = dlsym(everyLibrary, "swift_task_enqueueGlobal_hook") else {
            fatalError("the concurrency runtime has no hook for jobs")
        }
        address.assumingMemoryBound(to: Hook?.self).pointee = { job, original in
            guard let run = TestRun.current else { return original(job) }
            // Jobs that the job yields or resumes then return to this executor, and are counted, too.
            TestRun.Executor(run, scope: nil).enqueue(job)
        }
    }()
}
