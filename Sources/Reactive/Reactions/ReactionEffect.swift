// What follows the tracked part of a reaction, outside the lock.

/// The second half of a reaction: what its tracked part has found out, and what to do about it outside the lock.
@usableFromInline
class ReactionEffect {
    /// There is something to do. Guarded by the graph's lock; unchecked for the reason of `ReactionExtras`.
    @exclusivity(unchecked) @usableFromInline final var isDue = false

    /// Fixes, under the lock, what `run` will do. Sets `isDue` back.
    func take(for reaction: Reaction) { isDue = false }

    /// Does it, outside the lock; never overlaps with itself.
    func run() {}

    /// Forgets what the first run has found out, because that was rolled back. Under the lock, before the next run.
    func startOver() { isDue = false }

    /// The run that what `run` creates is handed over to; `nil` if it belongs to this reaction.
    var heir: OwnerRun? { nil }

    /// Lets closures go that somebody else than the reaction may keep alive. Under the lock, when the reaction has been
    /// cancelled.
    func end() {}
}
