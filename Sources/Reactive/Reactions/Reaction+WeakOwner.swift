// Reactions that work for an owner without keeping it alive, and end when it is gone.

import CReactive

extension WeakOwner {
    /// Calls `body` with the owner, as the tracked part of a reaction, which ends if the owner is gone.
    @usableFromInline
    func track(_ body: (Owner) -> Void) {
        if let owner = strong() { body(owner) } else { Reaction.currentOwner?.cancel() }
    }

    /// Calls `body` with the owner, as the effect of a reaction, which ends if the owner is gone.
    @usableFromInline
    package func act(_ body: (Owner) -> Void) {
        if let owner { body(owner) } else { Reaction.currentOwner?.cancel() }
    }
}

extension Reaction {
    /// Creates and starts a reaction with an effect that has the tracked closure as well.
    @usableFromInline
    static func started(
        named name: String?, schedule: Schedule, isolation: (any Actor)?, fileID: StaticString, line: UInt,
        following effect: TypedEffect
    ) -> Reaction {
        let reaction = Reaction(
            named: name, fileID: fileID, line: line,
            extras: ReactionExtras(isolation: isolation, schedule: schedule, effect: effect),
            body: { effect.follow() })
        reaction.start()
        return reaction
    }

    /// Creates and starts a reaction that works for an owner.
    @usableFromInline
    static func started<Owner: AnyObject>(
        for owner: WeakOwner<Owner>, named name: String?, schedule: Schedule, isolation: (any Actor)?,
        fileID: StaticString, line: UInt, effect: ReactionEffect? = nil, _ body: @escaping (Owner) -> Void
    ) -> Reaction {
        let reaction = Reaction(
            named: name, fileID: fileID, line: line,
            extras: ReactionExtras(isolation: isolation, owner: owner, schedule: schedule, effect: effect)
        ) {
            owner.track(body)
        }
        reaction.startOwned()
        return reaction
    }

    /// As `start`, for a reaction with an owner: looks at a few others first, whether theirs are gone.
    func startOwned() {
        graph.enter()
        graph.cancelSomeAbandonedReactions()
        start()
        graph.leave()
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Looks at two reactions, at two others the next time, and cancels those whose owners are gone.
    ///
    /// They would otherwise wait for a change, which may never come. Two for each new one keep their number below that
    /// of the others.
    fileprivate func cancelSomeAbandonedReactions() {
        for _ in 0..<Swift.min(2, pointee.reactions.count) {
            let work = details
            work.nextToSweep =
                work.nextToSweep > 0
                ? Swift.min(work.nextToSweep, pointee.reactions.count) - 1 : pointee.reactions.count - 1
            let reaction = pointee.reactions.elements(of: ObserverPointer.self)[work.nextToSweep].reaction
            reaction._withUnsafeGuaranteedRef { if $0.extras?.isAbandoned == true { $0.cancel() } }
        }
    }
}
