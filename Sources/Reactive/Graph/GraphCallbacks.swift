// The way up: what the graph asks of the floors above it, and all that it knows of them.
//
// Values and derivations are reached through the overridden methods of `_Node` and the function `_Derivation.evaluate`.
// What the graph needs to know of reactions is here. The calls are static, so the optimiser sees through them: a call
// costs what a call of the function behind it would.

/// What the graph asks of the floor of reactions, which implements it as `Callbacks`.
///
/// All of it is called with the graph locked.
protocol GraphCallbacks {
    // MARK: - In every flush

    /// Runs a reaction whose turn has come, if what it read has really changed.
    ///
    /// - Parameter isOnly: Whether it is the first of a flush, and has not been queued: neither cancelled nor held by
    ///   anything.
    static func run(_ reaction: ObserverPointer, isOnly: Bool)

    /// Something upstream of a part of a reaction may have changed: the part's reaction is due.
    static func notify(_ part: ObserverPointer)

    /// A live reaction has stopped reading `source`, which is about to be unlinked from it.
    static func unwatched(_ source: NodePointer, by reaction: ObserverPointer)

    // MARK: - Now and then

    /// Nothing is due any more in this thread's flush. Returns whether there may be again.
    static func flushEnds(in graph: GraphPointer) -> Bool

    /// A source is written while writers are recorded; see `GraphState.tracing`.
    static func written(_ source: NodePointer)

    /// The first run of a reaction was rolled back.
    static func firstRunWasRolledBack(of reaction: ObserverPointer)

    /// Calls `body` with the parts of a reaction that may have changed.
    static func forEachDuePart(of reaction: ObserverPointer, _ body: (ObserverPointer) -> Void)
}
