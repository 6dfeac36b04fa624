// Reactions that deliver more than a value, for modules whose state records its changes.

import CReactive

/// The tracked closure and the effect of a reaction, with shared state.
///
/// A run of the reaction calls `follow`, and, if that returns `true`, directly afterwards `take` and `deliver`.
package protocol ReactionFollower: AnyObject {
    /// Reads the state and records its changes. Tracked, under the lock.
    ///
    /// - Returns: Whether there is anything to deliver.
    func follow() -> Bool
    /// Fixes the changes that the next call of `deliver` will deliver. Under the lock; must run no user code.
    func take()
    /// Delivers the changes. Outside the lock, untracked; its calls never overlap.
    func deliver()
    /// Discards everything, because the first run was rolled back. Under the lock; must run no user code.
    func startOver()
}

extension Reaction {
    /// Creates and starts a reaction that calls a follower.
    ///
    /// - Parameters:
    ///   - follower: The follower, which the reaction keeps until it is cancelled.
    ///   - owner: The object whose end ends the reaction.
    ///   - graph: The graph of the state that the follower reads; by default the current one.
    ///   - name: The name in diagnostics; by default the file and line of the call.
    ///   - schedule: The schedule of runs that are due.
    ///   - isolation: The actor that the follower's methods run on.
    ///   - fileID: The source file, for the default name.
    ///   - line: The line in the source file, for the default name.
    /// - Precondition: This thread holds no other graph than that of the state.
    package static func started(
        following follower: any ReactionFollower, for owner: OwnerReference? = nil,
        in graph: GraphHandle = .current, named name: String?, schedule: Schedule, isolation: (any Actor)?,
        fileID: StaticString, line: UInt
    ) -> Reaction {
        graph.run {
            let effect = FollowerEffect(follower)
            let reaction = Reaction(
                named: name, fileID: fileID, line: line,
                options: ReactionOptions(isolation: isolation, owner: owner, schedule: schedule, effect: effect)
            ) {
                // No test sees this left out: it is a check.
                assert(!effect.isDue, "internal inconsistency: a reaction runs again before its changes are taken")
                effect.isDue = follower.follow()
            }
            // No test sees this: owners that are gone would only be found later, or searched for in vain.
            if owner == nil { reaction.start() } else { reaction.startOwned() }
            return reaction
        }
    }
}

private final class FollowerEffect: ReactionEffect {
    private let follower: any ReactionFollower

    init(_ follower: any ReactionFollower) { self.follower = follower }

    override func startOver() {
        // No test sees this left out: no follower has something to deliver after its first run.
        super.startOver()
        follower.startOver()
    }

    override func take(for reaction: Reaction) {
        super.take(for: reaction)
        follower.take()
    }

    override func run() { follower.deliver() }
}
