// The actor that a closure belongs to: whether the current code runs on it, hops to it, and the refusal to run
// elsewhere.

import CReactive

@usableFromInline
package enum Isolation {
    /// Returns whether the calling code already runs on `actor`.
    ///
    /// It asks the concurrency runtime and does not look at the thread: on Linux, main-actor jobs may run on a thread
    /// other than the process's first. Where the runtime does not know, as in a plain block on an actor's queue, the
    /// result is false, and the work is done after a hop.
    package static func isCurrent(_ actor: any Actor) -> Bool {
        withUnsafeBytes(of: actor.unownedExecutor) { executor in
            reactive_is_current_executor(
                executor.load(as: UnsafeRawPointer?.self),
                executor.load(fromByteOffset: MemoryLayout<UInt>.size, as: UInt.self))
        }
    }

    /// Runs `body` on `actor`, soon. Closures that are sent to one actor run in the order in which they were sent.
    ///
    /// Tasks may overtake one another. So closures that are sent while a task is on its way to the same actor are added
    /// to that task.
    package static func hop(to actor: any Actor, _ body: @escaping @Sendable () -> Void) {
        let isFirst = pendingHops.withLock { pendingHops in
            pendingHops.byActor[ObjectIdentifier(actor), default: []].append(body)
            return pendingHops.byActor[ObjectIdentifier(actor)]?.count == 1
        }
        // No test sees this always hold: it only saves tasks.
        if isFirst { Task { await runHops(on: actor) } }
    }

    private static let pendingHops = Guarded(PendingHops())

    /// The closures on their way, by the actor that they go to. The task keeps that actor alive.
    ///
    /// An object, so that `Guarded` does not copy the collections when they change.
    private final class PendingHops {
        var byActor: [ObjectIdentifier: [@Sendable () -> Void]] = [:]
    }

    private static func runHops(on actor: isolated any Actor) {
        let hops = pendingHops.withLock { $0.byActor.removeValue(forKey: ObjectIdentifier(actor)) }
        for body in hops ?? [] { body() }
    }

    /// Calls `body` where it was created: now, if the calling code runs there, else after a hop.
    static func run(_ body: @escaping @isolated(any) @Sendable () -> Void) {
        let plain = plain(body)
        if let actor = body.isolation, !isCurrent(actor) {
            hop(to: actor, plain)
        } else {
            plain()
        }
    }

    /// Ends the program with a message: a closure that belongs to an actor would have to run elsewhere.
    ///
    /// - Parameter thing: The name of the thing that the closure belongs to, as in "computed total".
    package static func stopForEvaluation(of thing: String, belongingTo isolation: ClosureIsolation) -> Never {
        fatalError(
            """
            Reactive: \(thing) was created on \(name(of: isolation.actor)) and cannot be evaluated elsewhere. Read it \
            on that actor, or create it with `isolation: nil` if its closure may run anywhere.
            """)
    }

    /// The name of an actor in messages.
    static func name(of actor: (any Actor)?) -> String {
        actor.map { $0 is MainActor ? "the main actor" : "\($0)" } ?? "an actor that was released"
    }

    // MARK: - Calling isolated closures
    //
    // Swift has no synchronous call of a closure whose isolation is known only at run time. These functions return the
    // same closure as a type that can be called; the representations are the same. Precondition of the call: it happens
    // on the actor, or there is none.

    @usableFromInline
    static func plain<Result>(
        _ body: @escaping @isolated(any) @Sendable () -> Result
    ) -> @Sendable () -> Result {
        unsafeBitCast(body, to: (@Sendable () -> Result).self)
    }

    @usableFromInline
    static func plain<Input>(_ body: @escaping @isolated(any) @Sendable (Input) -> Void) -> (Input) -> Void {
        unsafeBitCast(body, to: ((Input) -> Void).self)
    }

    @usableFromInline
    package static func plain<Owner: Actor, Result>(_ body: @escaping (isolated Owner) -> Result) -> (Owner) -> Result {
        unsafeBitCast(body, to: ((Owner) -> Result).self)
    }

    @usableFromInline
    static func plain<Owner: Actor, Result>(
        _ body: @escaping (isolated Owner) throws -> Result
    ) -> (Owner) throws -> Result {
        unsafeBitCast(body, to: ((Owner) throws -> Result).self)
    }

    @usableFromInline
    package static func plain<Owner: Actor, Input, Result>(
        _ body: @escaping (isolated Owner, Input) -> Result
    ) -> (Owner, Input) -> Result {
        unsafeBitCast(body, to: ((Owner, Input) -> Result).self)
    }

    @usableFromInline
    static func plain<Owner: Actor, Input1, Input2>(
        _ body: @escaping (isolated Owner, Input1, Input2) -> Void
    ) -> (Owner, Input1, Input2) -> Void {
        unsafeBitCast(body, to: ((Owner, Input1, Input2) -> Void).self)
    }
}

/// The actor that a closure was created on. It is not kept alive, because an actor that owns its reactions must be able
/// to end.
@usableFromInline
package final class ClosureIsolation: Sendable {
    /// The main actor lives as long as the program, and a strong reference is faster to read than a weak one.
    private let mainActor: MainActor?
    // It would be a `let` if Swift 6.2 had weak ones: only the initialiser sets it.
    private nonisolated(unsafe) weak var weakActor: (any Actor)?

    package init(_ actor: any Actor) {
        mainActor = actor as? MainActor
        // No test sees this always hold: it only saves a weak reference.
        weakActor = mainActor == nil ? actor : nil
    }

    /// The actor; `nil` if it is gone.
    package var actor: (any Actor)? { mainActor ?? weakActor }

    /// Returns the actor, for code that holds the graph. The actor is kept until the lock is released, so that its
    /// deinitialiser does not run under the lock.
    package func strong() -> (any Actor)? {
        if let mainActor { return mainActor }
        guard let weakActor else { return nil }
        DeferredReleases.add(object: weakActor)
        return weakActor
    }

    /// Whether the actor is gone. Under the lock.
    var isGone: Bool { strong() == nil }

    /// Whether the calling code runs on the actor. False once the actor is gone.
    package var isCurrent: Bool { actor.map(Isolation.isCurrent) ?? false }

    /// Calls `body`, which was created in the given isolation: now, if the calling code runs there or there is no
    /// isolation, else after a hop.
    static func run(_ body: @escaping () -> Void, in isolation: ClosureIsolation?) {
        if let isolation { isolation.run(body) } else { body() }
    }

    /// Calls `body`, which was created on the actor: now, if the calling code runs there, else after a hop. Once the
    /// actor is gone, `body` cannot have captured it, and is called now.
    ///
    /// - Parameter arriving: Calls `body` after a hop, in the context that it needs.
    package func run(
        _ body: @escaping () -> Void,
        arriving: @escaping @Sendable (_ body: () -> Void) -> Void = { body in body() }
    ) {
        guard let actor, !Isolation.isCurrent(actor) else {
            body()
            return
        }
        // It is called where it was created, and not by this code.
        nonisolated(unsafe) let body = body
        Isolation.hop(to: actor) { arriving(body) }
    }
}
