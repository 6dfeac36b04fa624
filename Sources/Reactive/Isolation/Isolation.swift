// The actor that a closure belongs to: asking whether the current code runs there, going there if not, and refusing to run elsewhere.

import CReactive

@usableFromInline
package enum Isolation {
    /// Whether the calling code already runs on `actor`.
    ///
    /// Asks the concurrency runtime, not the thread: on Linux main-actor jobs may run on another than the process's first thread.
    /// Where the runtime cannot tell, as in a plain block on an actor's queue, the answer is no, and the work takes a hop.
    package static func isCurrent(_ actor: any Actor) -> Bool {
        withUnsafeBytes(of: actor.unownedExecutor) { executor in
            reactive_is_current_executor(
                executor.load(as: UnsafeRawPointer?.self),
                executor.load(fromByteOffset: MemoryLayout<UInt>.size, as: UInt.self))
        }
    }

    /// Runs `body` on `actor`, soon. What is sent to one actor arrives in the order in which it was sent.
    ///
    /// Tasks may overtake one another, so what is sent while a task is on its way there travels with it.
    package static func hop(to actor: any Actor, _ body: @escaping @Sendable () -> Void) {
        let isFirst = travellers.withLock { travellers in
            travellers.byDestination[ObjectIdentifier(actor), default: []].append(body)
            return travellers.byDestination[ObjectIdentifier(actor)]?.count == 1
        }
        if isFirst { Task { await arrive(at: actor) } }
    }

    private static let travellers = Guarded(Travellers())

    /// What is on its way, by the actor that it goes to. The task keeps that actor alive.
    ///
    /// An object, so that `Guarded` keeps no copy of the collections while they change.
    private final class Travellers {
        var byDestination: [ObjectIdentifier: [@Sendable () -> Void]] = [:]
    }

    private static func arrive(at actor: isolated any Actor) {
        let arrived = travellers.withLock { $0.byDestination.removeValue(forKey: ObjectIdentifier(actor)) }
        for body in arrived ?? [] { body() }
    }

    /// Calls `body` where it was created: now, if the calling code runs there, else by a hop.
    static func run(_ body: @escaping @isolated(any) @Sendable () -> Void) {
        let plain = plain(body)
        if let actor = body.isolation, !isCurrent(actor) {
            hop(to: actor, plain)
        } else {
            plain()
        }
    }

    /// Ends the program: a closure that belongs to an actor would have to run elsewhere.
    ///
    /// - Parameter thing: Names what the closure belongs to, as in "computed total".
    package static func stopForEvaluation(of thing: String, belongingTo isolation: ClosureIsolation) -> Never {
        fatalError(
            """
            Reactive: \(thing) was created on \(name(of: isolation.actor)) and would have to be evaluated elsewhere. Read it \
            on that actor, or create it with `isolation: nil` if its closure may run anywhere.
            """)
    }

    /// What messages call an actor.
    static func name(of actor: (any Actor)?) -> String {
        actor.map { $0 is MainActor ? "the main actor" : "\($0)" } ?? "an actor that is gone"
    }

    // MARK: - Calling what is isolated
    //
    // Swift has no synchronous call of a closure whose isolation is known at run time only. These return the same
    // closure under a type that can be called; the representations are the same. Precondition of the call: it happens
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

/// The actor that a closure was created on, without keeping it alive: an actor that owns its reactions must be able to go
/// away.
@usableFromInline
package final class ClosureIsolation: Sendable {
    /// The main actor lives for ever, and a strong reference is cheaper to read than a weak one.
    private let lasting: MainActor?
    // A `let`, if Swift 6.2 had weak ones: it is set by the initialiser alone.
    private nonisolated(unsafe) weak var passing: (any Actor)?

    package init(_ actor: any Actor) {
        lasting = actor as? MainActor
        passing = lasting == nil ? actor : nil
    }

    /// The actor, unless it is gone.
    package var actor: (any Actor)? { lasting ?? passing }

    /// The actor, for code that holds the graph: it stays until the lock is released, so that its deinitialiser does
    /// not run under that.
    package func strong() -> (any Actor)? {
        if let lasting { return lasting }
        guard let passing else { return nil }
        Trash.add(object: passing)
        return passing
    }

    /// Whether the actor is gone. Under the lock.
    var isGone: Bool { strong() == nil }

    /// Whether the calling code runs on the actor. False once that is gone.
    package var isCurrent: Bool { actor.map(Isolation.isCurrent) ?? false }

    /// Calls `body`, which was created in the given isolation: now, if the calling code runs there or there is none,
    /// else by a hop.
    static func run(_ body: @escaping () -> Void, in isolation: ClosureIsolation?) {
        if let isolation { isolation.run(body) } else { body() }
    }

    /// Calls `body`, which was created on the actor: now, if the calling code runs there, else by a hop. Once the actor
    /// is gone, `body` cannot have captured it, and is called now.
    ///
    /// - Parameter arriving: Calls `body` after a hop, with what it needs around it.
    package func run(
        _ body: @escaping () -> Void,
        arriving: @escaping @Sendable (_ body: () -> Void) -> Void = { body in body() }
    ) {
        guard let actor, !Isolation.isCurrent(actor) else {
            body()
            return
        }
        // It goes back to where it was created, and this code does not call it.
        nonisolated(unsafe) let body = body
        Isolation.hop(to: actor) { arriving(body) }
    }
}
