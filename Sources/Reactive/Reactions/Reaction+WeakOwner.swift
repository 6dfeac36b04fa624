// Reactions that belong to an owner without keeping it alive, and end when it is gone.

import CReactive

extension WeakOwner {
    /// Calls `body` with the owner, as the tracked closure of a reaction. The reaction ends if the owner is gone.
    @usableFromInline
    func track(_ body: (Owner) -> Void) {
        if let owner = strong() { body(owner) } else { Reaction.currentOwner?.cancel() }
    }

    /// Calls `body` with the owner, as the effect of a reaction. The reaction ends if the owner is gone.
    @usableFromInline
    package func act(_ body: (Owner) -> Void) {
        if let owner { body(owner) } else { Reaction.currentOwner?.cancel() }
    }
}

extension Reaction {
    /// Creates and starts a reaction whose effect contains the tracked closure.
    @usableFromInline
    static func started(
        named name: String?, schedule: Schedule, isolation: (any Actor)?, fileID: StaticString, line: UInt,
        following effect: TypedEffect
    ) -> Reaction {
        let reaction = Reaction(
            named: name, fileID: fileID, line: line,
            options: ReactionOptions(isolation: isolation, schedule: schedule, effect: effect),
            body: { effect.follow() })
        reaction.start()
        return reaction
    }

    /// Creates and starts a reaction that belongs to an owner.
    @usableFromInline
    static func started<Owner: AnyObject>(
        for owner: WeakOwner<Owner>, named name: String?, schedule: Schedule, isolation: (any Actor)?,
        fileID: StaticString, line: UInt, effect: ReactionEffect? = nil, _ body: @escaping (Owner) -> Void
    ) -> Reaction {
        let reaction = Reaction(
            named: name, fileID: fileID, line: line,
            options: ReactionOptions(isolation: isolation, owner: owner, schedule: schedule, effect: effect)
        ) {
            owner.track(body)
        }
        reaction.startOwned()
        return reaction
    }

    /// Starts a reaction with an owner. First checks whether the owners of a few other reactions are gone.
    func startOwned() {
        graph.enter()
        graph.cancelSomeAbandonedReactions()
        start()
        graph.leave()
    }
}

extension UnsafeMutablePointer where Pointee == GraphState {
    /// Checks the owners of two reactions, different ones each time, and cancels those reactions whose owners are gone.
    ///
    /// Otherwise they would wait for a change, which may never come. Two checks per new reaction keep the number of
    /// abandoned ones below that of the others.
    fileprivate func cancelSomeAbandonedReactions() {
        for _ in 0..<Swift.min(2, pointee.reactions.count) {
            let work = details
            work.nextToSweep =
                work.nextToSweep > 0
                ? Swift.min(work.nextToSweep, pointee.reactions.count) - 1 : pointee.reactions.count - 1
            let reaction = pointee.reactions.elements(of: ObserverPointer.self)[work.nextToSweep].reaction
            reaction._withUnsafeGuaranteedRef { if $0.options?.isUseless == true { $0.cancel() } }
        }
    }
}
