// Owners: what a closure works for without keeping it alive.
//
// The `of:` forms of the library take an owner, hold it weakly, and hand it back to the closure, so that there is
// nothing to capture. Each comes twice. For an object, the closure gets the object. For an actor, the closure's
// parameter is `isolated`, which Swift cannot say of a parameter that may be any object; such a closure belongs to that
// actor.
//
// The last release of an owner runs its deinitialiser, which may do anything, and so must not happen under the graph's
// lock. Code that takes a strong reference there shares it with the trash.

import CReactive

/// A weak reference to an owner, of any type.
package class OwnerReference {
    /// Whether the owner is gone. Under the lock.
    var isGone: Bool { true }
}

/// A weak reference to an owner.
package final class WeakOwner<Owner: AnyObject>: OwnerReference {
    /// For code that holds no graph.
    private(set) weak var owner: Owner?

    package init(_ owner: Owner) { self.owner = owner }

    /// The owner, for code that holds the graph: it stays until the lock is released.
    package func strong() -> Owner? {
        guard let owner else { return nil }
        Trash.add(object: owner)
        return owner
    }

    override var isGone: Bool { strong() == nil }

    /// Calls `body` with the owner, as the tracked part of a reaction, which ends if the owner is gone.
    func track(_ body: (Owner) -> Void) {
        if let owner = strong() { body(owner) } else { Reaction.currentOwner?.cancel() }
    }

    /// Calls `body` with the owner, as the effect of a reaction, which ends if the owner is gone.
    package func act(_ body: (Owner) -> Void) {
        if let owner { body(owner) } else { Reaction.currentOwner?.cancel() }
    }
}

extension Reaction {
    /// Creates and starts a reaction that works for an owner.
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
            let work = deferredWork
            work.nextToSweep =
                work.nextToSweep > 0
                ? Swift.min(work.nextToSweep, pointee.reactions.count) - 1 : pointee.reactions.count - 1
            let reaction = pointee.reactions.elements(of: ObserverPointer.self)[work.nextToSweep].reaction
            reaction._withUnsafeGuaranteedRef { if $0.extras?.isAbandoned == true { $0.cancel() } }
        }
    }
}

/// The owner of a ``ThrowingComputed`` was gone before the first value had been computed.
public struct OwnerGoneError: Error, CustomStringConvertible {
    /// The computed: the name that it was given, or the file and line.
    public let name: String

    /// A sentence for people.
    public var description: String { "the owner of \(name) was gone before its first value was computed" }
}
