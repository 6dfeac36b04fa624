// A test while it runs: its graph, and the jobs that it has caused.
//
// A test is a task. Its jobs, and those of its child tasks, run on an executor that puts each into the scope of the test's
// graph. Tasks that the test or the library starts without a parent stay outside of that scope, as they do on a server
// with a graph for each session. Both are counted as the test's: whatever a job or a thread of the test enqueues. So a test
// can wait until all that it has caused has happened.

import Foundation
import Reactive

/// A test that runs.
final class TestRun: @unchecked Sendable {
    // Sendable because the counts are touched under the lock only.

    /// `nil` for the default graph.
    private let graph: IndependentGraph?
    private let queue = DispatchQueue(label: "test", attributes: .concurrent)
    private let lock = NSLock()
    /// The jobs that run or are due to run.
    private var jobs = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(in graph: IndependentGraph?) { self.graph = graph }

    /// Runs the body of the test, and returns when all that it has caused has happened.
    func run(_ body: @Sendable () async throws -> Void) async throws {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else { return try await body() }
        JobHooks.install
        try await withTaskExecutorPreference(Executor(self)) {
            do {
                try await body()
            } catch {
                await becomesIdle()
                throw error
            }
            await becomesIdle()
        }
    }

    // MARK: - Which test it is

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

    /// Counts a job that is due, and returns how to run it.
    fileprivate func counted(_ job: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        lock.withLock { jobs += 1 }
        return { [self] in
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

    fileprivate func enqueue(_ job: @escaping @Sendable () -> Void) { queue.async(execute: counted(job)) }

    /// Waits until no job of the test runs or is due: all of its tasks have ended or are suspended.
    func becomesIdle() async {
        // The job that is suspended here counts until it has ended.
        await withCheckedContinuation { continuation in lock.withLock { waiting.append(continuation) } }
    }

    /// Runs all jobs in the scope of the test's graph.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
    private final class Executor: TaskExecutor {
        private let run: TestRun

        init(_ run: TestRun) { self.run = run }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            run.enqueue { [self] in
                guard let graph = run.graph else { return job.runSynchronously(on: asUnownedTaskExecutor()) }
                graph.run { job.runSynchronously(on: asUnownedTaskExecutor()) }
            }
        }
    }
}

/// Lets all run that the test has caused: returns when each of its other tasks has ended or is suspended.
package func letOthersRun() async {
    if let run = TestRun.current { return await run.becomesIdle() }
    // Where there are no task executors, nobody counts jobs.
    for _ in 0..<200 { await Task.yield() }
}

/// Takes the jobs that tests enqueue on the global executor and on that of the main actor.
///
/// The runtime has hooks for this purpose. They get the job, and what would have happened to it otherwise.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
private enum JobHooks {
    typealias Original = @convention(thin) (UnownedJob) -> Void
    typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    /// Sets the hooks, once.
    static let install: Void = {
        set("swift_task_enqueueGlobal_hook") { job, original in
            guard let run = TestRun.current else { return original(job) }
            run.enqueue { job.runSynchronously(on: globalConcurrentExecutor.asUnownedTaskExecutor()) }
        }
        set("swift_task_enqueueMainExecutor_hook") { job, original in
            guard let run = TestRun.current else { return original(job) }
            let body = run.counted { job.runSynchronously(on: MainActor.sharedUnownedExecutor) }
            DispatchQueue.main.async(execute: body)
        }
    }()

    private static func set(_ name: String, _ hook: @escaping Hook) {
        guard let address = dlsym(UnsafeMutableRawPointer(bitPattern: 0), name) else { fatalError("no \(name)") }
        address.assumingMemoryBound(to: Hook?.self).pointee = hook
    }
}
