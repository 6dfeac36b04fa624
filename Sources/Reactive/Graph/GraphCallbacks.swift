// The calls upwards: the functions of higher layers that the graph calls.
//
// Values and derivations are reached through the overridden methods of `_Node` and the function `_Derivation.evaluate`.
// Reactions are reached through the functions here. The calls are static, so the optimiser sees through them: a call
// costs the same as a call of the function behind it.

/// The functions that the graph calls on the layer of reactions, which implements them as `Callbacks`.
///
/// All of them are called with the graph locked.
protocol GraphCallbacks {
    // MARK: - In every flush

    /// Runs the next reaction, if something that it read has really changed.
    ///
    /// - Parameter isOnly: Whether it is the first of a flush, and has not been queued: neither cancelled nor held by
    ///   anything.
    static func run(_ reaction: ObserverPointer, isOnly: Bool)

    /// Makes the reaction of a part due, because something upstream of the part may have changed.
    static func notify(_ part: ObserverPointer)

    /// Called when a live reaction has stopped reading `source`, before they are unlinked.
    static func unwatched(_ source: NodePointer, by reaction: ObserverPointer)

    // MARK: - Now and then

    /// Called when nothing is due any more in this thread's flush. Returns whether something may be due again.
    static func flushEnds(in graph: GraphPointer) -> Bool

    /// Called when a source is written while writers are recorded; see `GraphState.tracing`.
    static func written(_ source: NodePointer)

    /// Called when the first run of a reaction was rolled back.
    static func firstRunWasRolledBack(of reaction: ObserverPointer)

    /// Calls `body` with the parts of a reaction that may have changed.
    static func forEachDuePart(of reaction: ObserverPointer, _ body: (ObserverPointer) -> Void)
}
