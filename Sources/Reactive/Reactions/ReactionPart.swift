// Reactions that consist of parts. Each part has its own sources, so that a change runs only the parts that it affects.
//
// An ordinary reaction has one tracked closure. Deciding whether to run it means checking everything that it read,
// which is too slow for a reaction that follows a million observables. Such a reaction has *parts*, which are observers
// in the lists of the sources. A part that may have changed is collected, once, and its reaction is queued:
//
//     source ──▶ part ──collected by──▶ reaction ──▶ queue
//
// When the reaction runs, it validates only the collected parts. It passes each part that did change to its delegate
// (`PartsDelegate`), which evaluates the part again, creates new ones, or ends old ones. Everything else (schedule,
// isolation, ownership, loops, the effect outside the lock) works as in an ordinary reaction.
//
// No registry keeps parts: the code that creates a part ends it. A collected part that ends is released when it is
// taken out of the list.

import CReactive

/// A part of a reaction. Public only for the compiler; do not use it directly.
open class _ReactionPart: _Observer {
    /// Creates a part, which is kept alive until it ends. Public, because the compiler warns needlessly about lower
    /// access.
    public init(of reaction: Reaction) {
        super.init(
            flags: [.part, .live], graph: reaction.graph,
            origin: reaction.node.pointee.flags.contains(.named) ? 0 : reaction.node.pointee.origin)
        // Not retained: the reaction ends its parts before it is released.
        node.pointee.part_of = reaction.observer
        _ = Unmanaged.passRetained(self)
    }

    /// Runs `body`, whose reads become the part's dependencies. Under the lock.
    package final func evaluate(_ body: () -> Void) {
        let graph = graph
        // A read at the cursor's expected node assumes that the node is up to date.
        // No test sees this always hold: the call then does nothing.
        if graph.pointee.due.work.contains(.routers) { graph.updateRouters() }
        // No test sees this always hold: the call then does nothing.
        if graph.pointee.log_count != 0 { graph.claimLog() }
        graph.evaluate(observer, body)
        noteEvaluation()
    }

    /// Runs `body` like ``evaluate(_:)``, but whatever it creates and registers belongs to the caller instead of the
    /// reaction. Under the lock.
    ///
    /// - Returns: The reactions created and the cleanups registered in `body`.
    package final func evaluateCollecting(_ body: () -> Void) -> Belongings {
        let reaction = observer.reactionOfPart.takeUnretainedValue()
        let before = reaction.options?.tracked.exchangeItems(for: []) ?? []
        reaction.owning(.tracked) { evaluate(body) }
        return Belongings(items: reaction.options?.tracked.exchangeItems(for: before) ?? [])
    }

    /// Marks the part as changed: the next update checks it. Notifies no observer. Under the lock.
    package final func markChanged() {
        guard !hasEnded else { return }
        observer.flags.insert(.stale)
        let reaction = observer.reactionOfPart.takeUnretainedValue()
        reaction.options?.parts?.collect(observer)
    }

    /// Marks the part as evaluated, for a part that is known to have the same dependencies as before. Under the lock.
    package final func skipEvaluation() {
        // No test sees this always hold: the call then does nothing.
        if graph.pointee.log_count != 0 { graph.claimLog() }
        observer.flags.remove([.stale, .marks])
        observer.pointee.validated_at = graph.pointee.epoch
        noteEvaluation()
    }

    @inline(__always)
    private final func noteEvaluation() {
        if graph.pointee.log_count != 0 { graph.logRun(of: observer) }
    }

    /// The tracking position of the running evaluation. It differs from an earlier one if something was read for the
    /// first time.
    package static var readMark: UnsafeRawPointer? {
        // No test sees this always hold: the record of untracked code has a null pointer there.
        reactive_is_tracking() ? UnsafeRawPointer(reactive_current().pointee.tracking.pointee.cursor) : nil
    }

    /// Whether too little stack is left for recursion to continue.
    package static var stackIsLow: Bool { reactive_stack_is_low() }

    /// Ends the part: it has no dependencies any more, and is released once the graph is unlocked. Under the lock.
    package final func end() {
        guard observer.flags.isDisjoint(with: .cancelled) else { return }
        observer.flags = observer.flags.union(.cancelled).subtracting(.checking)
        graph.dropSources(of: observer)
        if observer.flags.isDisjoint(with: .queued) { graph.releaseLater(.passUnretained(self)) }
    }

    /// Whether the part has ended.
    package final var hasEnded: Bool { observer.flags.contains(.cancelled) }
}

/// The reactions and cleanups that one evaluation of a part has created.
package struct Belongings {
    fileprivate let items: [OwnedScope.Item]

    package var isEmpty: Bool { items.isEmpty }

    /// Cancels the reactions and runs the cleanups, the newest first. Outside the lock.
    package func end() { OwnedScope.dispose(items) }
}

extension UnsafeMutablePointer where Pointee == ObserverHeader {
    /// The part that contains the header. Precondition: the node is a part.
    var part: Unmanaged<_ReactionPart> {
        Unmanaged.fromOpaque(UnsafeMutableRawPointer(self) - objectHeaderSize)
    }

    /// The reaction that the part belongs to. Precondition: the node is a part, and has not ended.
    var reactionOfPart: Unmanaged<Reaction> {
        pointee.node.part_of.unsafelyUnwrapped.reaction
    }

    /// Calls `body` with the parts, if this is a reaction or a derivation that has any.
    package func forEachPart(_ body: (ObserverPointer) -> Void) {
        guard flags.contains(.reaction) else { return forEachPartOfDerivation(body) }
        reaction._withUnsafeGuaranteedRef { $0.options?.parts?.forEach(body) }
    }
}
