// Asynchronous work in synchronous programs.

import Dispatch
import Foundation

/// Runs asynchronous work to its end. The work starts on this thread and stays here until it suspends.
func waiting(for work: @escaping @Sendable () async -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    if #available(macOS 26.0, *) {
        Task.immediate {
            await work()
            isDone.signal()
        }
    } else {
        Task {
            await work()
            isDone.signal()
        }
    }
    isDone.wait()
}

/// Runs asynchronous work of the main actor to its end, as an application does. Called on the main thread.
func waitingOnMainActor(for work: @escaping @MainActor @Sendable () async -> Void) {
    MainActor.assumeIsolated {
        var isDone = false
        Task {
            await work()
            isDone = true
        }
        while !isDone { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
    }
}
