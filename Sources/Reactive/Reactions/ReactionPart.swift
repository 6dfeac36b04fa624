// Reactions that are made of parts, each with sources of its own, so that a change runs only the parts that it concerns.
//
// An ordinary reaction has one tracked closure, and finding out whether to run it takes a look at all that it read. A reaction that
// follows a million observables must not do that. Its *parts* are observers in the lists of the sources; a part that may have changed
// is collected, once, and its reaction is queued:
//
//     source ──▶ part ──collected by──▶ reaction ──▶ queue
//
// When the reaction's turn has come, it validates the collected parts alone, and hands each that did change to its content, which
// decides what to do with it: evaluate it again, make new ones, end old ones. All the rest (schedule, isolation, ownership, loops,
// the effect outside the lock) is an ordinary reaction's.
//
// A part has no registry: who makes it ends it. A collected part that ends is released by whoever takes it out of the list.

import CReactive

/// A part of a reaction. Public for the compiler's sake; not for use.
open class _ReactionPart: _Observer {
    /// Creates a part, which is kept alive until it ends. Public, because the compiler warns of less for no reason.
    public init(of reaction: Reaction) {
        super.init(
            flags: [.part, .live], graph: reaction.graph,
            origin: reaction.node.pointee.flags.contains(.named) ? 0 : reaction.node.pointee.origin)
        // Not retained: the reaction ends its parts before it goes.
        node.pointee.part_of = reaction.observer
        _ = Unmanaged.passRetained(self)
    }

    /// Runs `body`: what it reads is what the part depends on from now on. Under the lock.
    package final func evaluate(_ body: () -> Void) {
        let graph = graph
        // What is read where the cursor expects it is taken to be current.
        if graph.pointee.due.work.contains(.routers) { graph.updateRouters() }
        if graph.pointee.log_count > 0 { graph.claimLog() }
        graph.evaluate(observer, body)
        noteEvaluation()
    }

    /// Runs `body` as ``evaluate(_:)`` does. What it creates and registers belongs to the caller instead of to the reaction. Under the lock.
    ///
    /// - Returns: The reactions created and the clean-ups registered in `body`.
    package final func evaluateCollecting(_ body: () -> Void) -> Belongings {
        let reaction = observer.reactionOfPart.takeUnretainedValue()
        let before = reaction.extras?.tracked.exchangeItems(for: []) ?? []
        reaction.owning(.tracked) { evaluate(body) }
        return Belongings(items: reaction.extras?.tracked.exchangeItems(for: before) ?? [])
    }

    /// Counts as changed: the next update looks at it. Tells nobody. Under the lock.
    package final func markChanged() {
        guard !hasEnded else { return }
        observer.flags.insert(.stale)
        let reaction = observer.reactionOfPart.takeUnretainedValue()
        reaction.extras?.parts?.collect(observer)
    }

    /// Counts as evaluated, where the part is known to read the same as ever. Under the lock.
    package final func skipEvaluation() {
        if graph.pointee.log_count > 0 { graph.claimLog() }
        observer.flags.remove([.stale, .marks])
        observer.pointee.validated_at = graph.pointee.epoch
        noteEvaluation()
    }

    @inline(__always)
    private final func noteEvaluation() {
        if graph.pointee.log_count > 0 { graph.logRun(of: observer) }
    }

    /// Where the tracking of the running evaluation stands. Differs from before if something was read for the first time.
    package static var readMark: UnsafeRawPointer? {
        reactive_is_tracking() ? UnsafeRawPointer(reactive_current().pointee.tracking.pointee.cursor) : nil
    }

    /// Whether the stack is too nearly used up for recursion to go on.
    package static var stackIsLow: Bool { reactive_stack_is_low() }

    /// Ends the part: it depends on nothing any more, and is released once the graph is unlocked. Under the lock.
    package final func end() {
        guard observer.flags.isDisjoint(with: .cancelled) else { return }
        observer.flags = observer.flags.union(.cancelled).subtracting(.checking)
        graph.dropSources(of: observer)
        if observer.flags.isDisjoint(with: .queued) { graph.releaseLater(.passUnretained(self)) }
    }

    /// Whether it has ended.
    package final var hasEnded: Bool { observer.flags.contains(.cancelled) }
}

/// What one evaluation of a part has created.
package struct Belongings {
    fileprivate let items: [OwnedScope.Item]

    package var isEmpty: Bool { items.isEmpty }

    /// Cancels the reactions and runs the clean-ups, the newest first. Outside the lock.
    package func end() { OwnedScope.dispose(items) }
}

extension UnsafeMutablePointer where Pointee == ObserverHeader {
    /// The part that the header lies in. Precondition: it is one.
    var part: Unmanaged<_ReactionPart> {
        Unmanaged.fromOpaque(UnsafeMutableRawPointer(self) - objectHeaderSize)
    }

    /// The reaction that the part belongs to. Precondition: it is one, and has not ended.
    var reactionOfPart: Unmanaged<Reaction> {
        pointee.node.part_of.unsafelyUnwrapped.reaction
    }

    /// Calls `body` with the parts, if this is a reaction or a derivation that has any.
    func forEachPart(_ body: (ObserverPointer) -> Void) {
        guard flags.contains(.reaction) else { return forEachPartOfDerivation(body) }
        reaction._withUnsafeGuaranteedRef { $0.extras?.parts?.forEach(body) }
    }
}
