// The actor that a reaction runs on: asking whether the current code runs there, and going there if not.

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

/// The actor that a reaction belongs to, without keeping it alive: an actor that owns its reactions must be able to go away. A reaction
/// whose actor is gone has nowhere to run, and is cancelled.
final class ReactionIsolation {
    /// The main actor lives for ever, and a strong reference is cheaper to read than a weak one.
    private let lasting: MainActor?
    private weak var passing: (any Actor)?

    init(_ actor: any Actor) {
        lasting = actor as? MainActor
        passing = lasting == nil ? actor : nil
    }

    /// The actor, unless it is gone.
    var actor: (any Actor)? { lasting ?? passing }
}
