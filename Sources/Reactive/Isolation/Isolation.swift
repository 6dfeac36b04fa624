// Asking whether the current code runs on a given actor, and going there if not.

import CReactive

enum Isolation {
    /// Whether the calling code already runs on `actor`.
    ///
    /// Asks the concurrency runtime, not the thread: on Linux main-actor jobs may run on another than the process's first thread.
    /// Where the runtime cannot tell, as in a plain block on an actor's queue, the answer is no, and the work takes a hop.
    static func isCurrent(_ actor: any Actor) -> Bool {
        withUnsafeBytes(of: actor.unownedExecutor) { executor in
            reactive_is_current_executor(
                executor.load(as: UnsafeRawPointer?.self),
                executor.load(fromByteOffset: MemoryLayout<UInt>.size, as: UInt.self))
        }
    }

    /// Runs `body` on `actor`, soon.
    static func hop(to actor: any Actor, _ body: @escaping @Sendable () -> Void) {
        Task { await run(on: actor, body) }
    }

    private static func run(on actor: isolated any Actor, _ body: () -> Void) {
        body()
    }
}
