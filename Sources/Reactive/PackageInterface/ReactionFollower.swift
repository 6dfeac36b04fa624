// Reactions that deliver more than a value: for modules whose state knows what has changed about it.

import CReactive

/// The tracked part and the effect of a reaction, which share state.
///
/// A run of the reaction calls `follow`, `take` and `deliver` in this order. Under contention, and with a schedule,
/// several calls of `follow` may come before one of `take`.
package protocol ReactionFollower: AnyObject {
    /// Reads the state and notes what has changed about it. Tracked, under the lock.
    ///
    /// - Returns: Whether there is anything to deliver, also from earlier calls.
    func follow() -> Bool
    /// Fixes what the next call of `deliver` will deliver. Under the lock; must run no user code.
    func take()
    /// Delivers it. Outside the lock, untracked; its calls never overlap.
    func deliver()
    /// Forgets everything, because the first run was rolled back. Under the lock; must run no user code.
    func startOver()
}

extension Reaction {
    /// Creates and starts a reaction that does what a follower says.
    ///
    /// - Parameters:
    ///   - follower: The follower, which the reaction keeps until it is cancelled.
    ///   - owner: The object with whose end the reaction ends.
    ///   - name: The name for diagnostics. Without one: the file and line that created it.
    ///   - schedule: When runs that are due happen.
    ///   - isolation: The actor that the follower's methods run on.
    ///   - fileID: The file that created it.
    ///   - line: The line that created it.
    package static func started(
        following follower: any ReactionFollower, for owner: OwnerReference? = nil, named name: String?,
        schedule: Schedule, isolation: (any Actor)?, fileID: StaticString, line: UInt
    ) -> Reaction {
        let effect = FollowerEffect(follower)
        let reaction = Reaction(
            named: name, fileID: fileID, line: line,
            extras: ReactionExtras(isolation: isolation, owner: owner, schedule: schedule, effect: effect)
        ) {
            effect.isDue = follower.follow()
        }
        if owner == nil { reaction.start() } else { reaction.startOwned() }
        return reaction
    }
}

private final class FollowerEffect: ReactionEffect {
    private let follower: any ReactionFollower

    init(_ follower: any ReactionFollower) { self.follower = follower }

    override func startOver() {
        super.startOver()
        follower.startOver()
    }

    override func take(for reaction: Reaction) {
        super.take(for: reaction)
        follower.take()
    }

    override func run() { follower.deliver() }
}
