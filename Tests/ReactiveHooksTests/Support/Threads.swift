// Real threads for tests, and what they share.

import Foundation

/// Runs `body` on `count` threads of its own, all let go at the same moment, and returns when all have ended.
func onThreads(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) {
    let ready = DispatchSemaphore(value: 0)
    let go = DispatchSemaphore(value: 0)
    let threads = DispatchGroup()
    for index in 0..<count {
        threads.enter()
        Thread {
            ready.signal()
            go.wait()
            body(index)
            threads.leave()
        }.start()
    }
    for _ in 0..<count { ready.wait() }
    for _ in 0..<count { go.signal() }
    threads.wait()
}

/// A value that several threads of a test share.
final class Shared<Value>: @unchecked Sendable {
    // Sendable because the value is touched under the lock only.
    private let lock = NSLock()
    private var stored: Value

    init(_ value: Value) { stored = value }

    var value: Value { withLock { $0 } }

    @discardableResult
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&stored)
    }
}
