// Real threads for tests: started together, joined at the end, with the requested stack size.

import Foundation
import Reactive

/// Runs `body` on `count` threads, which start together, and returns when all have ended. State that they create
/// belongs to the test's graph.
package func onThreads(_ count: Int, stackSize: Int? = nil, _ body: @escaping @Sendable (_ thread: Int) -> Void) {
    let ready = DispatchSemaphore(value: 0)
    let go = DispatchSemaphore(value: 0)
    let threads = DispatchGroup()
    let (graph, run) = (GraphHandle.current, TestRun.current)
    for index in 0..<count {
        threads.enter()
        let thread = Thread {
            ready.signal()
            go.wait()
            TestRun.working(for: run) { graph.run { body(index) } }
            threads.leave()
        }
        if let stackSize { thread.stackSize = stackSize }
        thread.start()
    }
    for _ in 0..<count { ready.wait() }
    for _ in 0..<count { go.signal() }
    threads.wait()
}

/// Runs `body` on one other thread and waits for it.
package func onOtherThread(stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) {
    onThreads(1, stackSize: stackSize) { _ in body() }
}

/// Runs `body` on a thread while the caller continues; returns a function that waits for its end.
package func inBackground(_ body: @escaping @Sendable () -> Void) -> () -> Void {
    let ended = DispatchSemaphore(value: 0)
    let (graph, run) = (GraphHandle.current, TestRun.current)
    Thread {
        TestRun.working(for: run) { graph.run(body) }
        ended.signal()
    }.start()
    return { ended.wait() }
}

/// The identity of this thread. (Keeping the `Thread` would keep the captures of its block.)
package var currentThread: ObjectIdentifier { ObjectIdentifier(Thread.current) }

/// Runs `body`, and each part of it between two `await`s on a thread of its own.
package func onChangingThreads(_ body: @Sendable () async -> Void) async {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else { return await body() }
    await withTaskExecutorPreference(ThreadPerJob(), operation: body)
}

/// Changes a value, and suspends while the caller still mutates it.
package func changeAndSuspend(_ value: inout Int) async {
    value += 1
    // A change of the executor always suspends. `Task.yield()` may continue on the same thread.
    await MainActor.run {}
}

/// Runs each job on a new thread.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
private final class ThreadPerJob: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job)) }

    func enqueue(_ job: UnownedJob) {
        Thread {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
            // A thread that ends may pass its identity on to the next one.
            DispatchSemaphore(value: 0).wait()
        }.start()
    }
}

/// A value that several threads of a test share.
package final class Shared<Value>: @unchecked Sendable {
    // Sendable because the value is accessed only under the lock.
    private let lock = NSLock()
    private var stored: Value

    package init(_ value: Value) { stored = value }

    package var value: Value {
        get { withLock { $0 } }
        set { withLock { $0 = newValue } }
    }

    @discardableResult
    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&stored)
    }
}

/// Passes a value that the compiler cannot check to another thread of the test.
package struct Unchecked<Value>: @unchecked Sendable {
    // Each test that uses it says why only one thread at a time accesses the value.
    package let value: Value
    package init(_ value: Value) { self.value = value }
}
