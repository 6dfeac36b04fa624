// Cleanups: closures that run before a reaction runs again.

import CReactive

/// Registers a cleanup. It runs once, before the next run of the current reaction or when the reaction is cancelled.
///
/// ```swift
/// let observer = autorun {
///     let name = channel.value
///     print("open", name)
///     onCleanup { print("close", name) }
/// }  // prints "open news"
/// channel.value = "music"  // prints "close news", "open music"
/// observer.cancel()  // prints "close music"
/// ```
///
/// Call it in the tracked closure or the effect of a reaction, or in a render of an ``ObserverScope``. Several cleanups
/// run in reverse order.
///
/// The effect of a `when` runs once, so it has no next run. A cleanup that it registers belongs to the reaction in
/// whose run the `when` was created, and runs before that reaction's next run. If there is no such reaction, nothing
/// could ever run the cleanup: the call is ignored and reported as misuse. The same applies to all calls outside of a
/// reaction's run.
///
/// - Parameters:
///   - isolation: The actor that `body` belongs to; by default the caller's.
///   - body: Runs once, untracked and outside the library's lock; its writes are batched. If it belongs to an actor, it
///     runs there, after a hop if the reaction is cancelled elsewhere. If it belongs to no actor, it runs on the thread
///     that runs the reaction next or cancels it. Released afterwards.
public func onCleanup(isolation: isolated (any Actor)? = #isolation, _ body: @escaping () -> Void) {
    guard let owner = Reaction.currentOwner else {
        Diagnostics.report(
            .init(
                kind: .misuse,
                message:
                    """
                    onCleanup is called outside a reaction's run, and is ignored. Call it in an autorun, reaction or \
                    render, or in the effect of a `when` that is created in one of these.
                    """,
                site: "onCleanup"), in: .current)
        return
    }
    if let closureIsolation = isolation.map({ ClosureIsolation($0) }) {
        owner.own(.cleanup { closureIsolation.run(body) { owner.graph.runUnlocked($0) } })
    } else {
        owner.own(.cleanup(body))
    }
}
